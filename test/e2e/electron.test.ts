/**
 * The desktop window itself. Electron's program is no npm package, so that vitest.config.ts lets these tests run only where
 * it was fetched (`npm start` does that) or ELECTRON_OVERRIDE_DIST_PATH names one, and where there is a display.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { _electron } from "playwright-core";
import { describe, expect, test } from "vitest";
import { ELECTRON_NODE } from "../../build/lib/node-versions.mjs";
import { engineEnvironment } from "../support/engine-environment.js";
import { environmentWithoutProxies, repositoryRoot } from "../support/peers.js";
import { settleIn } from "./support/app.js";
import { WindowPage } from "./support/window-page.js";

describe("the desktop window", () => {
  test("opens, is confined, runs the welcome graph", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "tensordeck-electron-"));
    settleIn(dataDir);
    const electron = await _electron.launch({
      executablePath: process.env.TENSORDECK_TEST_ELECTRON ?? "",
      args: [repositoryRoot],
      env: {
        ...environmentWithoutProxies(),
        TENSORDECK_DATA_DIR: dataDir,
        ...engineEnvironment("portable", dataDir),
        TENSORDECK_NODE: process.execPath,
      },
    });
    try {
      const node = await electron.evaluate(() => process.versions.node);
      expect(node.split(".")[0], "the Node on which other tests run the main process").toBe(
        ELECTRON_NODE.node,
      );
      const window = WindowPage.of(await electron.firstWindow());
      await window.ready();
      const reachable = await window.page.evaluate(() =>
        ["require", "process"].filter((name) => name in globalThis),
      );
      expect(reachable, "what a confined page must not have").toEqual([]);
      await window.startTwoWorkers();
      await window.runButton.click();
      await window.value("z").getByText("11.0").waitFor();
      expect(window.errors).toEqual([]);
    } finally {
      await electron.close();
      rmSync(dataDir, { recursive: true, force: true });
    }
  });
});
