import { afterEach, describe, expect, test, vi } from "vitest";
import { withDeadline } from "../../../worker-runtime/cancellation/deadline.js";
import { collectGarbage } from "../../support/garbage.js";
import { KINDS, whenAborted } from "./support/signals.js";

/** Never reached: the tests end the work themselves. */
const LONG_MILLIS = 3_600_000;

afterEach(() => void vi.useRealTimers());

describe.each(KINDS)("a deadline beside %s signal", (_kind, create) => {
  test("ends the work, also after a garbage collection", async () => {
    const followed = create();
    const reason = await withDeadline(20, followed.signal, async (signal) => {
      const ended = whenAborted(signal);
      await collectGarbage();
      return await ended;
    });
    expect(reason).toMatchObject({ name: "TimeoutError", message: "It took longer than 20 ms." });
    expect(followed.listeners()).toBe(0);
  });

  test("leaves the end to the signal, also after a garbage collection", async () => {
    const followed = create();
    const work = withDeadline(LONG_MILLIS, followed.signal, whenAborted);
    await collectGarbage();
    followed.abort("enough");
    expect(await work).toBe("enough");
    expect(await withDeadline(LONG_MILLIS, followed.signal, async ({ reason }) => reason)).toBe("enough");
    expect(followed.listeners()).toBe(0);
  });
});

test("a time longer than Node's timers have is no short one", async () => {
  const work = withDeadline(2 ** 40, undefined, async ({ aborted }) => {
    await collectGarbage();
    return aborted;
  });
  expect(await work).toBe(false);
});

test("a deadline ends with its work, and stops its timer", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  let left: AbortSignal | undefined;
  const work = withDeadline(LONG_MILLIS, undefined, async (signal) => {
    left = signal;
    expect(vi.getTimerCount()).toBe(1);
  });
  await work;
  expect(left).toMatchObject({ aborted: true, reason: { name: "AbortError" } });
  expect(vi.getTimerCount()).toBe(0);
  await expect(
    withDeadline(LONG_MILLIS, undefined, () => Promise.reject(new Error("failed"))),
  ).rejects.toThrow("failed");
  expect(vi.getTimerCount()).toBe(0);
});

test("a deadline does not keep the process alive", async () => {
  const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;
  const before = timers();
  await withDeadline(LONG_MILLIS, undefined, async () => expect(timers()).toBe(before));
});
