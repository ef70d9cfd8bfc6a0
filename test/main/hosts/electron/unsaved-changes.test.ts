import { EventEmitter } from "node:events";
import type { BrowserWindow } from "electron";
import { expect, test, vi } from "vitest";
import { askBeforeUnload } from "../../../../main/hosts/electron/unsaved-changes.js";

const electron = vi.hoisted(() => ({ showMessageBoxSync: vi.fn((..._given: unknown[]) => 0) }));
vi.mock("electron", () => ({ dialog: electron }));

test.each([
  { answer: "Discard changes", leaves: true },
  { answer: "Keep editing", leaves: false },
])("a window with unsaved changes asks; $answer: leaves $leaves", ({ answer, leaves }) => {
  electron.showMessageBoxSync.mockImplementation((_window, options) =>
    (options as { buttons: string[] }).buttons.indexOf(answer),
  );
  const webContents = new EventEmitter();
  const window = { webContents } as unknown as BrowserWindow;
  const options = { isForced: () => false, onDiscard: vi.fn(), onStay: vi.fn() };
  askBeforeUnload(window, options);
  const preventDefault = vi.fn();
  webContents.emit("will-prevent-unload", { preventDefault });
  expect(electron.showMessageBoxSync.mock.lastCall?.[0]).toBe(window);
  expect(preventDefault).toHaveBeenCalledTimes(leaves ? 1 : 0);
  expect(options.onDiscard).toHaveBeenCalledTimes(leaves ? 1 : 0);
  expect(options.onStay).toHaveBeenCalledTimes(leaves ? 0 : 1);
});

test("a window that the system ends closes without a question, and its draft stays", () => {
  electron.showMessageBoxSync.mockClear();
  const webContents = new EventEmitter();
  const options = { isForced: () => true, onDiscard: vi.fn(), onStay: vi.fn() };
  askBeforeUnload({ webContents } as unknown as BrowserWindow, options);
  const preventDefault = vi.fn();
  webContents.emit("will-prevent-unload", { preventDefault });
  expect(preventDefault).toHaveBeenCalledOnce();
  expect(electron.showMessageBoxSync).not.toHaveBeenCalled();
  expect(options.onDiscard).not.toHaveBeenCalled();
});
