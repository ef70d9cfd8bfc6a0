/** Each test gets an application and a window of its own; the tests of a file share one browser. */

import { test as base, expect } from "vitest";
import { failurePicture } from "../../support/pictures.js";
// Ends whatever a failed test leaves running.
import "../../support/peers.js";
import { type AppOptions, type RunningApp, startApp } from "./app.js";
import { sharedBrowser } from "./shared-browser.js";
import { WindowPage } from "./window-page.js";

export { closeBrowser, sharedBrowser } from "./shared-browser.js";

interface Fixtures {
  /** How the application is started; other options than the usual ones are set with `test.override`. */
  readonly appOptions: AppOptions;
  readonly app: RunningApp;
  /** The window, opened at the address that the application printed, with the welcome graph on its canvas. */
  readonly window: WindowPage;
}

export const test = base.extend<Fixtures>({
  appOptions: {},
  app: async ({ appOptions }, use) => {
    const app = await startApp(appOptions);
    await use(app);
    await app.stop();
  },
  window: async ({ app, task }, use) => {
    const window = await WindowPage.open(await sharedBrowser(), app.link);
    try {
      await window.ready();
      await use(window);
      expect(window.errors, "errors in the browser's console").toEqual([]);
    } finally {
      if (task.result?.state === "fail" && !window.page.isClosed()) {
        const picture = failurePicture(`e2e-${task.id}`);
        await window.page.screenshot({ path: picture });
        console.error(`${task.name}: the window when it failed is at ${picture}`);
      }
      await window.close();
    }
  },
});
