import { describe, expect, it } from "vitest";
import { AttemptLimits } from "../../../../main/peers/pairing/attempt-limits.js";

const HOUR_MILLIS = 3_600_000;

/** How long somebody waits for his own failures. */
function pauseOf(limits: AttemptLimits, keys: readonly string[], now: number): number {
  const wait = limits.waitOf(keys, now);
  return wait?.because === "own failures" ? wait.millis : 0;
}

describe("the limits of attempts", () => {
  it("cost nothing twice, then pause longer and longer, up to an hour", () => {
    const limits = new AttemptLimits();
    const pauses: number[] = [];
    for (let now = 0, i = 0; i < 12; i++) {
      limits.failed(["a"], now);
      const pause = pauseOf(limits, ["a"], now);
      pauses.push(pause / 1000);
      now += pause;
    }
    expect(pauses).toEqual([0, 0, 30, 60, 120, 240, 480, 960, 1920, 3600, 3600, 3600]);
  });

  it("count by address and by device, whichever is known", () => {
    const limits = new AttemptLimits();
    limits.failed(["address", "device"], 0, 3);
    expect(pauseOf(limits, ["address", "another device"], 0)).toBe(30_000);
    expect(pauseOf(limits, ["another address", "device"], 29_000)).toBe(1000);
    expect(pauseOf(limits, ["another address", "another device"], 0)).toBe(0);
    expect(pauseOf(limits, ["address"], 30_000)).toBe(0);
  });

  it("let those who did not fail take turns while many fail, and say whose fault it is", () => {
    const limits = new AttemptLimits();
    for (let i = 0; i < 12; i++) limits.failed([`machine ${i % 4}`], 0);
    expect(limits.waitOf(["machine 1"], 0)).toEqual({ millis: 30_000, because: "own failures" });
    expect(limits.waitOf(["somebody else"], 0)).toBeUndefined();
    limits.begun(0);
    expect(limits.waitOf(["a third one"], 1000)).toEqual({ millis: 59_000, because: "others' failures" });
    expect(limits.waitOf(["a third one"], 60_000)).toBeUndefined();
    limits.begun(60_000);
    limits.succeeded(["a third one"]);
    expect(limits.waitOf(["a fourth one"], 60_000)).toBeUndefined();
  });

  it("forget after a success, and after a long time", () => {
    const limits = new AttemptLimits();
    limits.failed(["a"], 0, 3);
    limits.succeeded(["a"]);
    limits.failed(["a"], 0);
    expect(pauseOf(limits, ["a"], 0)).toBe(0);
    limits.failed(["b"], 0, 5);
    limits.failed(["b"], 3 * HOUR_MILLIS);
    expect(pauseOf(limits, ["b"], 3 * HOUR_MILLIS)).toBe(0);
  });

  it("remember the newest of very many", () => {
    const limits = new AttemptLimits();
    for (let i = 0; i < 3000; i++) {
      limits.failed([`machine ${i}`], i, 3);
      limits.succeeded([]);
    }
    expect(pauseOf(limits, ["machine 2999"], 3000)).toBeGreaterThan(0);
    expect(pauseOf(limits, ["machine 0"], 3000)).toBe(0);
  });
});
