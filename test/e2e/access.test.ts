import { afterAll, describe, expect } from "vitest";
import { peerMissing } from "../support/peers.js";
import { startApp } from "./support/app.js";
import { closeBrowser, sharedBrowser, test } from "./support/fixtures.js";
import { WindowPage } from "./support/window-page.js";

afterAll(closeBrowser);

/** The browser's own report when the application refuses a page; the only errors that are expected here. */
const REFUSED = /401|Unauthorized/;

describe.skipIf(peerMissing("chromium"))("who gets in", () => {
  test("the link works once; its tab survives a reload, and another tab gets in by a fresh one only", async ({
    app,
    window,
  }) => {
    expect(window.page.url()).toBe(`${app.origin}/`);
    await window.page.reload();
    await window.ready();

    const browser = await sharedBrowser();
    const again = await WindowPage.open(browser, app.link);
    await again.page.getByRole("heading", { name: "This link was already used" }).waitFor();
    expect(again.errors.filter((text) => !REFUSED.test(text))).toEqual([]);
    await again.close();

    const without = await WindowPage.open(browser, app.origin);
    await without.page.getByRole("heading", { name: "Open the link that npm start printed" }).waitFor();
    await without.close();

    const fresh = await WindowPage.open(browser, await app.newLink());
    await fresh.ready();
    await fresh.close();
  });

  test("both tabs of one application show the same run", async ({ app, window }) => {
    const other = await WindowPage.open(await sharedBrowser(), await app.newLink());
    await other.ready();
    await window.startTwoWorkers();
    await other
      .task("worker/1")
      .and(other.page.getByRole("treeitem", { name: /, running,/ }))
      .waitFor();
    await window.runAndSee("z", "11.0");
    await other.value("z").getByText("11.0").waitFor();
    expect(other.errors).toEqual([]);
    await other.close();
  });

  test("an application that has ended is said to be gone", async ({ app, window }) => {
    await app.process.stop();
    await window.page
      .getByText(/connection|does not answer|not connected/i)
      .first()
      .waitFor();
    // The browser reports every attempt to reach it again.
    await window.close();
    window.errors.length = 0;
  });
});

describe.skipIf(peerMissing("chromium"))("how the window looks", () => {
  test("light theme: chosen in the window, kept for the next one", async ({ app, window }) => {
    const background = (page: WindowPage) =>
      page.page.evaluate(() =>
        getComputedStyle(document.body).getPropertyValue("--bg-0").trim().toLowerCase(),
      );
    expect(await background(window)).toBe("#0b0d10");
    await window.button("Change to the light theme").click();
    await window.button("Change to the dark theme").waitFor();
    expect(await background(window)).toMatch(/^#fff(fff)?$/);

    const next = await WindowPage.open(await sharedBrowser(), await app.newLink());
    await next.ready();
    await next.button("Change to the dark theme").waitFor();
    expect(await background(next)).toMatch(/^#fff(fff)?$/);
    await next.close();
  });
});

describe.skipIf(peerMissing("chromium"))("a machine without TensorFlow", () => {
  test("runs the first graph with nothing installed, and is told what TensorFlow would give", async () => {
    const app = await startApp({ offer: true });
    try {
      const window = await WindowPage.open(await sharedBrowser(), app.link);
      await window.ready();
      await window.page.getByText(/Tasks run on the portable engine/).waitFor();
      await window.startTwoWorkers();
      await window.page.getByText("portable engine", { exact: false }).first().waitFor();
      await window.runAndSee("z", "11.0");
      expect(window.errors).toEqual([]);
      await window.close();
    } finally {
      await app.stop();
    }
  });
});
