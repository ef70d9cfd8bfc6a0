import { EventEmitter } from "node:events";
import type { App } from "electron";
import { describe, expect, test, vi } from "vitest";
import { disposeBeforeEnd } from "../../../../main/hosts/electron/ending.js";
import { deferred } from "../../../../main/shared/deferred.js";

/** Emits an event that can be prevented; answers whether it was. */
function prevented(emitter: EventEmitter, name: string): boolean {
  const event = { preventDefault: vi.fn() };
  emitter.emit(name, event);
  return event.preventDefault.mock.calls.length > 0;
}

describe("the end of the program", () => {
  function program(dispose: () => Promise<void>) {
    const app = Object.assign(new EventEmitter(), { quit: vi.fn() });
    disposeBeforeEnd(app as unknown as Pick<App, "on" | "quit">, dispose);
    return app;
  }

  test("waits for the tasks, once, and only after the windows have closed", async () => {
    const disposed = deferred<void>();
    const dispose = vi.fn(() => disposed.promise);
    const app = program(dispose);
    expect(prevented(app, "before-quit")).toBe(false);
    expect(dispose).not.toHaveBeenCalled();
    expect(prevented(app, "will-quit")).toBe(true);
    expect(prevented(app, "will-quit")).toBe(true);
    expect(dispose).toHaveBeenCalledOnce();
    expect(app.quit).not.toHaveBeenCalled();
    disposed.resolve();
    await expect.poll(() => app.quit).toHaveBeenCalledOnce();
    expect(prevented(app, "will-quit")).toBe(false);
  });

  test("is not held back by tasks that do not obey or fail to end", async () => {
    vi.useFakeTimers();
    try {
      const stuck = program(() => new Promise(() => undefined));
      prevented(stuck, "will-quit");
      await vi.advanceTimersByTimeAsync(60_000);
      expect(stuck.quit).toHaveBeenCalledOnce();
      const failing = program(() => Promise.reject(new Error("no")));
      prevented(failing, "will-quit");
      await vi.advanceTimersByTimeAsync(0);
      expect(failing.quit).toHaveBeenCalledOnce();
    } finally {
      vi.useRealTimers();
    }
  });
});
