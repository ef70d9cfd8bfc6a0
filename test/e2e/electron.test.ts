/**
 * The desktop program in Electron itself. Its program is no npm package, so that vitest.config.ts lets these tests run only where
 * it was fetched (`npm start` does that) or ELECTRON_OVERRIDE_DIST_PATH names one, and where there is a display; desktop.test.ts
 * runs them around a stand-in for Electron.
 */
import { describe, expect, onTestFinished, test } from "vitest";
import { ELECTRON_NODE } from "../../build/lib/node-versions.mjs";
import { ElectronDesktop } from "./desktop/electron-desktop.js";
import { freshFolder, walkDesktop } from "./desktop/walk.js";

describe("the desktop program in Electron", () => {
  test("its Node is that on which other tests run the main process", async () => {
    const desktop = await ElectronDesktop.start({ folder: freshFolder() });
    onTestFinished(() => desktop.dispose());
    expect(await desktop.nodeMajor()).toBe(ELECTRON_NODE.node);
  });

  walkDesktop((options) => ElectronDesktop.start(options));
});
