import { afterEach, describe, expect, test, vi } from "vitest";
import { delay } from "../../../worker-runtime/cancellation/delay.js";
import { collectGarbage } from "../../support/garbage.js";
import { KINDS } from "./support/signals.js";

/** Never reached: the tests end the wait themselves. */
const LONG_MILLIS = 3_600_000;

afterEach(() => void vi.useRealTimers());

describe.each(KINDS)("a delay that %s signal may end", (_kind, create) => {
  test("ends with its time, and leaves no listener", async () => {
    const { signal, listeners } = create();
    await delay(1, signal);
    expect(listeners()).toBe(0);
  });

  test("ends with the signal, also after a garbage collection, and leaves no timer", async () => {
    const { signal, abort, listeners } = create();
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const waiting = delay(LONG_MILLIS, signal);
    await collectGarbage();
    expect(vi.getTimerCount()).toBe(1);
    abort();
    await waiting;
    expect(listeners()).toBe(0);
    await delay(LONG_MILLIS, signal);
    expect(vi.getTimerCount()).toBe(0);
  });
});
