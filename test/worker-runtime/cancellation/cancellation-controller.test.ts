import { describe, expect, it } from "vitest";
import { CancellationController } from "../../../worker-runtime/cancellation/cancellation-controller.js";
import { collectGarbage } from "../../support/garbage.js";
import { KINDS, whenAborted } from "./support/signals.js";

describe("a cancellation controller", () => {
  it("tells each listener once, in their order, with the reason", () => {
    const controller = new CancellationController();
    const { signal } = controller;
    const told: string[] = [];
    const twice = () => told.push("twice added");
    signal.addEventListener("abort", twice, { once: true });
    signal.addEventListener("abort", twice);
    signal.addEventListener("abort", () => told.push(String(signal.reason)));
    expect(signal.aborted).toBe(false);
    expect(() => signal.throwIfAborted()).not.toThrow();
    controller.abort("why");
    controller.abort("another reason");
    expect(told).toEqual(["twice added", "why"]);
    expect(signal).toMatchObject({ aborted: true, reason: "why" });
    expect(() => signal.throwIfAborted()).toThrow("why");
  });

  it("tells none that was removed, also by one that is told before it", () => {
    const controller = new CancellationController();
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
    const controller = new CancellationController();
    controller.abort();
    expect(controller.signal.reason).toMatchObject({ name: "AbortError" });
    expect(controller.signal.reason).toBeInstanceOf(DOMException);
  });
});

describe.each(KINDS)("a cancellation controller that follows %s signal", (_kind, create) => {
  it("is aborted with its reason, or a given one, also after a garbage collection", async () => {
    const followed = create();
    const follow = (reason?: () => unknown) => {
      const controller = new CancellationController();
      controller.follow(followed.signal, reason);
      return whenAborted(controller.signal);
    };
    const ends = [follow(), follow(() => `because of ${String(followed.signal.reason)}`)];
    await collectGarbage();
    followed.abort("why");
    expect(await Promise.all(ends)).toEqual(["why", "because of why"]);
    expect(followed.listeners()).toBe(0);
  });

  it("is aborted at once if that one was", () => {
    const followed = create();
    followed.abort("why");
    const controller = new CancellationController();
    controller.follow(followed.signal);
    expect(controller.signal).toMatchObject({ aborted: true, reason: "why" });
    expect(followed.listeners()).toBe(0);
  });

  it("leaves no listener once it follows no longer", () => {
    const followed = create();
    const controller = new CancellationController();
    const leave = controller.follow(followed.signal);
    expect(followed.listeners()).toBe(1);
    leave();
    expect(followed.listeners()).toBe(0);
    followed.abort();
    expect(controller.signal.aborted).toBe(false);
  });
});
