/** The complete desktop program around a stand-in for Electron (desktop/stand-in), walked from its start to its end. */

import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { peerMissing } from "../support/peers.js";
import { StandInDesktop, type StandInOptions } from "./desktop/stand-in/stand-in-desktop.js";
import { deleteNode, freshFolder, walkDesktop, windowOf } from "./desktop/walk.js";
import { closeBrowser } from "./support/fixtures.js";

describe.skipIf(peerMissing("chromium", "electron-node"))("the desktop program", () => {
  afterAll(closeBrowser);

  async function started(options: StandInOptions): Promise<StandInDesktop> {
    const desktop = await StandInDesktop.start(options);
    onTestFinished(() => desktop.dispose());
    return desktop;
  }

  walkDesktop((options) => StandInDesktop.start(options));

  test("a page that crashed is loaded again, with its unsaved edits", async () => {
    const folder = freshFolder();
    const desktop = await started({ folder });
    const window = await windowOf(desktop);
    await window.ready();
    await deleteNode(window, folder, "z");
    await desktop.crashPage();
    await expect.poll(async () => (await desktop.page()) !== window.page).toBe(true);
    const again = await windowOf(desktop);
    await again.node("y").waitFor();
    await again.page.getByText(/unsaved edits of .* are still here/).waitFor();
    await expect.poll(() => again.node("z").count()).toBe(0);
  });

  test("a start that fails says why and ends with 1", async () => {
    const folder = mkdtempSync(join(tmpdir(), "tensordeck-desktop-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    // The folder of the data cannot be made.
    writeFileSync(join(folder, "data"), "");
    const desktop = await started({ folder });
    expect(await desktop.exited).toEqual({ code: 1, signal: null });
    expect(desktop.output()).toContain("Tensordeck could not start");
    expect(existsSync(join(folder, "instance-lock"))).toBe(false);
  });

  test("on macOS the menu bar has the window's commands, and the program goes on without a window", async () => {
    const folder = freshFolder();
    const desktop = await started({ folder, platform: "darwin" });
    const window = await windowOf(desktop);
    await window.ready();
    const menus = async () => (await desktop.menu()).map(({ label }) => label);
    await expect
      .poll(menus)
      .toEqual(["appMenu", "File", "Edit", "Graph", "Run", "Cluster", "View", "windowMenu", "help"]);
    await desktop.choose("File", "Open…");
    const dialog = await desktop.nextDialog();
    expect(dialog.method).toBe("showOpenDialog");
    await dialog.answer(undefined);

    await desktop.closeWindow();
    await expect.poll(menus).toEqual(["appMenu", "Edit", "windowMenu"]);
    await desktop.activate();
    await (await windowOf(desktop)).ready();
    await desktop.quit();
    expect(await desktop.exited).toEqual({ code: 0, signal: null });
  });
});
