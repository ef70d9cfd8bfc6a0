import { EventEmitter } from "node:events";
import type { BrowserWindow, Dialog } from "electron";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { recoverWindow } from "../../../../main/hosts/electron/recovery.js";

vi.spyOn(console, "error").mockImplementation(() => undefined);

interface Asked {
  readonly buttons: string[];
  readonly signal: AbortSignal;
}

let now = 0;
let answer: string | undefined;
const showMessageBox = vi.fn(
  (_window: unknown, { buttons, signal }: Asked) =>
    new Promise<{ response: number }>((resolve) => {
      if (answer !== undefined) resolve({ response: buttons.indexOf(answer) });
      signal.addEventListener("abort", () => resolve({ response: 0 }));
    }),
);

function openWindow() {
  const webContents = Object.assign(new EventEmitter(), {
    reload: vi.fn(),
    forcefullyCrashRenderer: vi.fn(() => crash("crashed")),
  });
  const crash = (reason: string) => webContents.emit("render-process-gone", {}, { reason, exitCode: 1 });
  const window = Object.assign(new EventEmitter(), {
    webContents,
    destroy: vi.fn(),
    isDestroyed: () => false,
  });
  recoverWindow(window as unknown as BrowserWindow, {
    dialog: { showMessageBox } as unknown as Pick<Dialog, "showMessageBox">,
    now: () => now,
  });
  return { window, webContents, crash };
}

const answered = () => new Promise((resolve) => setImmediate(resolve));

beforeEach(() => {
  now = 0;
  answer = undefined;
  showMessageBox.mockClear();
});

describe("a window whose page has crashed", () => {
  test("is reloaded without a question, and left alone if it ended by itself", () => {
    const { webContents, crash } = openWindow();
    crash("clean-exit");
    expect(webContents.reload).not.toHaveBeenCalled();
    crash("oom");
    expect(webContents.reload).toHaveBeenCalledOnce();
    expect(showMessageBox).not.toHaveBeenCalled();
  });

  test.each([
    { answer: "Reload", reloads: 4, destroys: 0 },
    { answer: "Close", reloads: 3, destroys: 1 },
  ])("asks when that happens again and again ($answer)", async (given) => {
    answer = given.answer;
    const { window, webContents, crash } = openWindow();
    for (let time = 0; time < 4; time++) crash("crashed");
    await answered();
    expect(showMessageBox).toHaveBeenCalledOnce();
    expect(webContents.reload).toHaveBeenCalledTimes(given.reloads);
    expect(window.destroy).toHaveBeenCalledTimes(given.destroys);
  });

  test("counts only crashes of the last minute", () => {
    const { webContents, crash } = openWindow();
    for (let time = 0; time < 8; time++) {
      crash("crashed");
      now += 30_000;
    }
    expect(webContents.reload).toHaveBeenCalledTimes(8);
    expect(showMessageBox).not.toHaveBeenCalled();
  });
});

describe("a window that does not answer", () => {
  test("is reloaded when the user wants it", async () => {
    answer = "Reload";
    const { window, webContents } = openWindow();
    window.emit("unresponsive");
    await answered();
    expect(webContents.forcefullyCrashRenderer).toHaveBeenCalledOnce();
    expect(webContents.reload).toHaveBeenCalledOnce();
  });

  test("is waited for: the question goes when it answers again, and is asked once", async () => {
    const { window, webContents } = openWindow();
    window.emit("unresponsive");
    window.emit("unresponsive");
    expect(showMessageBox).toHaveBeenCalledOnce();
    window.emit("responsive");
    await answered();
    expect(webContents.forcefullyCrashRenderer).not.toHaveBeenCalled();
    window.emit("unresponsive");
    expect(showMessageBox).toHaveBeenCalledTimes(2);
  });
});
