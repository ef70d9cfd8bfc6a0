import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { offerUpdate } from "../../../../main/hosts/electron/updates.js";

let resources: string;
beforeEach(() => {
  resources = mkdtempSync(join(tmpdir(), "tensordeck-updates-"));
});
afterEach(() => {
  rmSync(resources, { recursive: true });
  vi.restoreAllMocks();
});

function found(isUpdateAvailable: boolean, response = 0) {
  const updater = {
    autoDownload: true,
    autoInstallOnAppQuit: false,
    checkForUpdates: vi.fn(async () => ({ isUpdateAvailable, updateInfo: { version: "9.0.0" } })),
    downloadUpdate: vi.fn(async () => []),
  };
  const dialog = { showMessageBox: vi.fn(async () => ({ response, checkboxChecked: false })) };
  const load = vi.fn(async () => updater);
  const offer = (platform: NodeJS.Platform = "win32", localData = "C:\\Users\\Zoë\\AppData\\Local") =>
    offerUpdate({ platform, resources, localData, dialog, load });
  return { updater, dialog, load, offer };
}
const writeFeed = () => writeFileSync(join(resources, "app-update.yml"), "provider: generic\n");

test("a package without a feed never looks, nor does one for Linux, whose updates nobody signs", async () => {
  const none = found(true);
  await none.offer();
  writeFeed();
  await none.offer("linux");
  expect(none.load).not.toHaveBeenCalled();
});

test("on Windows none is looked for where its signature could not be checked", async () => {
  writeFeed();
  const warned = vi.spyOn(console, "error").mockReturnValue(undefined);
  const update = found(true);
  await update.offer("win32", "C:\\Users\\O\u2019Brien\\AppData\\Local");
  expect(update.load).not.toHaveBeenCalled();
  expect(String(warned.mock.calls)).toContain("Install them by hand");
  await update.offer("darwin", "/Users/O\u2019Brien");
  expect(update.load).toHaveBeenCalledOnce();
});

test("an update is downloaded when the user agrees, and installed at the end", async () => {
  writeFeed();
  const { updater, dialog, offer } = found(true);
  await offer();
  expect(updater).toMatchObject({ autoDownload: false, autoInstallOnAppQuit: true });
  expect(dialog.showMessageBox).toHaveBeenCalledExactlyOnceWith(
    expect.objectContaining({ message: "Tensordeck 9.0.0 is available." }),
  );
  expect(updater.downloadUpdate).toHaveBeenCalledOnce();
});

test("nothing is asked without an update, and nothing is downloaded unasked or after a failure", async () => {
  writeFeed();
  const upToDate = found(false);
  await upToDate.offer();
  expect(upToDate.dialog.showMessageBox).not.toHaveBeenCalled();
  const declined = found(true, 1);
  await declined.offer();
  expect(declined.updater.downloadUpdate).not.toHaveBeenCalled();
  const failing = found(true);
  const warned = vi.spyOn(console, "error").mockReturnValue(undefined);
  failing.updater.checkForUpdates.mockRejectedValue(new Error("no route to the feed"));
  await failing.offer();
  expect(warned).toHaveBeenCalledOnce();
  expect(failing.dialog.showMessageBox).not.toHaveBeenCalled();
});
