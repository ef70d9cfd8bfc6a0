import { describe, expect, it } from "vitest";
import { AttemptLimits } from "../../../main/pairing/attempt-limits.js";

const HOUR_MILLIS = 3_600_000;

describe("the limits of attempts", () => {
  it("cost nothing twice, then pause longer and longer, up to an hour", () => {
    const limits = new AttemptLimits();
    const pauses: number[] = [];
    for (let now = 0, i = 0; i < 12; i++) {
      limits.failed(["a"], now);
      const pause = limits.pauseMillis(["a"], now);
      pauses.push(pause / 1000);
      now += pause;
    }
    expect(pauses).toEqual([0, 0, 30, 60, 120, 240, 480, 960, 1920, 3600, 3600, 3600]);
  });

  it("count by address and by device, whichever is known", () => {
    const limits = new AttemptLimits();
    limits.failed(["address", "device"], 0, 3);
    expect(limits.pauseMillis(["address", "another device"], 0)).toBe(30_000);
    expect(limits.pauseMillis(["another address", "device"], 29_000)).toBe(1000);
    expect(limits.pauseMillis(["another address", "another device"], 0)).toBe(0);
    expect(limits.pauseMillis(["address"], 30_000)).toBe(0);
  });

  it("make everybody wait when many machines fail", () => {
    const limits = new AttemptLimits();
    for (let i = 0; i < 12; i++) limits.failed([`machine ${i}`], 0);
    expect(limits.pauseMillis(["somebody else"], 0)).toBe(30_000);
    limits.succeeded(["somebody else"]);
    expect(limits.pauseMillis(["somebody else"], 0)).toBe(0);
  });

  it("forget after a success, and after a long time", () => {
    const limits = new AttemptLimits();
    limits.failed(["a"], 0, 3);
    limits.succeeded(["a"]);
    limits.failed(["a"], 0);
    expect(limits.pauseMillis(["a"], 0)).toBe(0);
    limits.failed(["b"], 0, 5);
    limits.failed(["b"], 3 * HOUR_MILLIS);
    expect(limits.pauseMillis(["b"], 3 * HOUR_MILLIS)).toBe(0);
  });

  it("remember the newest of very many", () => {
    const limits = new AttemptLimits();
    for (let i = 0; i < 3000; i++) {
      limits.failed([`machine ${i}`], i, 3);
      limits.succeeded([]);
    }
    expect(limits.pauseMillis(["machine 2999"], 3000)).toBeGreaterThan(0);
    expect(limits.pauseMillis(["machine 0"], 3000)).toBe(0);
  });
});
