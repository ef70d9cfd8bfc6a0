import { EventEmitter } from "node:events";
import type { App, BrowserWindow, Dialog } from "electron";
import { beforeEach, describe, expect, test, vi } from "vitest";
import type { InUse } from "../../../../main/app/in-use.js";
import { Closing } from "../../../../main/hosts/electron/closing.js";

const IDLE: InUse = { tasks: [], ownTasks: [] };
const USED: InUse = { tasks: [{ name: "worker/0", user: "gpu-pc" }], ownTasks: [] };

let used: InUse;
let forced: boolean;
let answer: string;
const showMessageBox = vi.fn(async (...given: unknown[]) => {
  const { buttons } = given.at(-1) as { buttons: string[] };
  return { response: buttons.indexOf(answer) };
});
const stayInTray = vi.fn();

/** An Electron whose window and program end where nothing holds them. */
function program(platform: NodeJS.Platform = "linux") {
  const app = Object.assign(new EventEmitter(), { quit: vi.fn(() => emit(app, "before-quit")) });
  const window = Object.assign(new EventEmitter(), { close: vi.fn(() => emit(window, "close")) });
  const closing = new Closing({
    app: app as unknown as Pick<App, "on" | "quit">,
    dialog: { showMessageBox } as unknown as Pick<Dialog, "showMessageBox">,
    platform,
    inUse: () => used,
    isForced: () => forced,
    stayInTray,
  });
  closing.guard(window as unknown as BrowserWindow);
  return { app, window, closing };
}

/** Whether the event was held back. */
function emit(emitter: EventEmitter, name: string): boolean {
  const event = { preventDefault: vi.fn() };
  emitter.emit(name, event);
  return event.preventDefault.mock.calls.length > 0;
}

/** Lets the answer to a question be taken. */
const answered = () => new Promise((resolve) => setImmediate(resolve));

beforeEach(() => {
  used = USED;
  forced = false;
  answer = "Cancel";
  vi.clearAllMocks();
});

describe("closing the last window", () => {
  test("asks nothing when nothing would be lost, or the system ends the program", () => {
    used = IDLE;
    expect(emit(program().window, "close")).toBe(false);
    used = USED;
    forced = true;
    const { app, window } = program();
    expect(emit(window, "close")).toBe(false);
    expect(emit(app, "before-quit")).toBe(false);
    expect(showMessageBox).not.toHaveBeenCalled();
  });

  test("asks once, says what would end, and stays when the user cancels", async () => {
    const { window } = program();
    expect(emit(window, "close")).toBe(true);
    expect(emit(window, "close")).toBe(true);
    expect(showMessageBox).toHaveBeenCalledOnce();
    expect(showMessageBox.mock.lastCall?.[1]).toMatchObject({
      detail: expect.stringContaining("worker/0, which gpu-pc uses"),
    });
    await answered();
    expect(window.close).not.toHaveBeenCalled();
    expect(emit(window, "close")).toBe(true);
    expect(showMessageBox).toHaveBeenCalledTimes(2);
  });

  test("goes on in the tray", async () => {
    answer = "Stay in the tray";
    const { window } = program();
    emit(window, "close");
    await answered();
    expect(stayInTray).toHaveBeenCalledOnce();
    expect(window.close).not.toHaveBeenCalled();
  });

  test("ends when the user says so, and does not ask again on the way", async () => {
    answer = "End Tensordeck";
    const { app, window } = program();
    emit(window, "close");
    await answered();
    expect(window.close).toHaveBeenCalledOnce();
    expect(window.close.mock.results[0]?.value).toBe(false);
    expect(emit(app, "before-quit")).toBe(false);
    expect(showMessageBox).toHaveBeenCalledOnce();
  });

  test("asks the next time when unsaved changes kept the window open", async () => {
    answer = "End Tensordeck";
    const { window, closing } = program();
    emit(window, "close");
    await answered();
    closing.stayed();
    expect(emit(window, "close")).toBe(true);
  });

  test("asks nothing on macOS, where the application goes on", () => {
    expect(emit(program("darwin").window, "close")).toBe(false);
  });
});

describe("quitting", () => {
  test.each(["linux", "darwin"] as const)("asks, too (%s)", async (platform) => {
    answer = "End Tensordeck";
    const { app, window } = program(platform);
    expect(emit(app, "before-quit")).toBe(true);
    await answered();
    expect(app.quit).toHaveBeenCalledOnce();
    expect(app.quit.mock.results[0]?.value).toBe(false);
    expect(emit(window, "close")).toBe(false);
  });
});
