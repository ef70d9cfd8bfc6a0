import { getEventListeners } from "node:events";
import { describe, expect, test } from "vitest";
import { withSharedSignal } from "../../../worker-runtime/rpc/shared-signal.js";
import { warningsDuring } from "../../support/warnings.js";

/** Resolves with the signal's reason. */
const whenAborted = (signal: AbortSignal): Promise<unknown> =>
  new Promise((resolve) => signal.addEventListener("abort", () => resolve(signal.reason), { once: true }));

describe("a signal for many things at once", () => {
  test("has one listener on the one that it follows, and none when all is over", async () => {
    const { signal } = new AbortController();
    const warnings = await warningsDuring(async () => {
      await withSharedSignal(signal, async (shared) => {
        for (let i = 0; i < 40; i += 1) void whenAborted(shared);
        expect(getEventListeners(signal, "abort")).toHaveLength(1);
      });
    });
    expect(getEventListeners(signal, "abort")).toEqual([]);
    expect(warnings).toEqual([]);
  });

  test("ends with the reason of the one that it follows", async () => {
    const controller = new AbortController();
    const reason = new Error("enough");
    const work = withSharedSignal(controller.signal, whenAborted);
    controller.abort(reason);
    expect(await work).toBe(reason);
    expect(await withSharedSignal(controller.signal, async ({ reason: known }) => known)).toBe(reason);
  });

  test("ends what still goes on when one of them fails", async () => {
    let left: Promise<unknown> | undefined;
    const work = withSharedSignal(undefined, (shared) => {
      left = whenAborted(shared);
      return Promise.all([left, Promise.reject(new Error("failed"))]);
    });
    await expect(work).rejects.toThrow("failed");
    expect(await left).toMatchObject({ name: "AbortError" });
  });
});
