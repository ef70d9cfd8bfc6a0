// @vitest-environment happy-dom
import { beforeEach, describe, expect, it, vi } from "vitest";

describe("what waits for the start of the window", () => {
  beforeEach(() => vi.resetModules());

  it("is called once the first document is there, and not before", async () => {
    const { afterStart, startIsOver, started } = await import("../../../renderer/ui/after-start.js");
    const calls: string[] = [];
    const called = new Promise<void>((resolve) => {
      afterStart(() => {
        calls.push("after");
        resolve();
      });
    });
    const resolved = started().then(() => calls.push("started"));
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    expect(calls).toEqual([]);
    startIsOver();
    await Promise.all([resolved, called]);
    expect(calls).toEqual(["started", "after"]);
  });

  it("is called in a page that is not shown, too, and after the start", async () => {
    const { afterStart, startIsOver } = await import("../../../renderer/ui/after-start.js");
    vi.spyOn(document, "hidden", "get").mockReturnValue(true);
    const frames = vi.spyOn(globalThis, "requestAnimationFrame");
    startIsOver();
    await new Promise<void>((resolve) => afterStart(resolve));
    expect(frames).not.toHaveBeenCalled();
    vi.restoreAllMocks();
  });
});
