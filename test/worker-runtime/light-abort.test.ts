import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { LightAbortController } from "../../worker-runtime/light-abort.js";

describe("a light abort controller", () => {
  it("tells each listener once, in their order, with the reason", () => {
    const controller = new LightAbortController();
    const { signal } = controller;
    const told: string[] = [];
    const twice = () => told.push("twice added");
    signal.addEventListener("abort", twice, { once: true });
    signal.addEventListener("abort", twice);
    signal.addEventListener("abort", {
      handleEvent: (event: Event) => told.push(`${event.type}: ${String(signal.reason)}`),
    });
    expect(signal.aborted).toBe(false);
    controller.abort("why");
    controller.abort("another reason");
    expect(told).toEqual(["twice added", "abort: why"]);
    expect(signal).toMatchObject({ aborted: true, reason: "why" });
    expect(() => signal.throwIfAborted()).toThrow("why");
  });

  it("tells none that was removed, also by one that is told before it", () => {
    const controller = new LightAbortController();
    const { signal } = controller;
    const told: string[] = [];
    const last = () => told.push("last");
    const removed = () => told.push("removed");
    signal.addEventListener("abort", removed);
    signal.removeEventListener("abort", removed);
    signal.addEventListener("abort", () => {
      told.push("first");
      signal.removeEventListener("abort", last);
    });
    signal.addEventListener("abort", last);
    controller.abort();
    signal.addEventListener("abort", () => told.push("too late"));
    expect(told).toEqual(["first"]);
  });

  it("gives the reason that an AbortController gives", () => {
    const controller = new LightAbortController();
    controller.abort();
    expect(controller.signal.reason).toMatchObject({ name: "AbortError" });
    expect(controller.signal.reason).toBeInstanceOf(DOMException);
  });

  it("ends what Node does with files", async () => {
    const controller = new LightAbortController();
    controller.abort();
    await expect(readFile(import.meta.filename, { signal: controller.signal })).rejects.toMatchObject({
      name: "AbortError",
    });
  });
});
