import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nearestIndex, placeOf, scaleOf, tickLabels, ticksOf } from "../../../renderer/ui/chart-scale.js";

describe("scaleOf", () => {
  it("covers what can be drawn", () => {
    expect(scaleOf([3, null, Number.NaN, -1, Infinity])).toEqual({ min: -1, max: 3, logarithmic: false });
    expect(scaleOf([0, -2, 10, 1000], { logarithmic: true })).toEqual({
      min: 10,
      max: 1000,
      logarithmic: true,
    });
    expect(scaleOf([5])).toEqual({ min: 2.5, max: 7.5, logarithmic: false });
    expect(scaleOf([null, Number.NaN])).toBeUndefined();
  });
});

describe("placeOf", () => {
  it("is 0 and 1 at the ends, and linear or logarithmic between", () => {
    const linear = { min: 10, max: 30, logarithmic: false };
    expect([10, 15, 30].map((value) => placeOf(linear, value))).toEqual([0, 0.25, 1]);
    const logarithmic = { min: 1, max: 10_000, logarithmic: true };
    expect(placeOf(logarithmic, 100)).toBeCloseTo(0.5);
    expect([0, -1, null, Number.NaN].map((value) => placeOf(logarithmic, value))).toEqual(
      Array(4).fill(undefined),
    );
  });
});

describe("ticksOf", () => {
  it("are round numbers", () => {
    expect(ticksOf({ min: 0, max: 1000, logarithmic: false }, 4)).toEqual([0, 500, 1000]);
    expect(ticksOf({ min: 0.13, max: 0.87, logarithmic: false }, 4)).toEqual([0.2, 0.4, 0.6, 0.8]);
    expect(ticksOf({ min: 0.002, max: 300, logarithmic: true }, 5)).toEqual([0.01, 0.1, 1, 10, 100]);
    expect(ticksOf({ min: 1, max: 1, logarithmic: false }, 4)).toEqual([1]);
  });

  it("stay within the scale and are few", () => {
    const ends = fc.tuple(
      fc.double({ min: -1e9, max: 1e9, noNaN: true }),
      fc.double({ min: 1e-3, max: 1e9, noNaN: true }),
    );
    fc.assert(
      fc.property(ends, ([min, size]) => {
        const max = min + size;
        const ticks = ticksOf({ min, max, logarithmic: false }, 5);
        const slack = (max - min) * 1e-6 + Math.abs(min) * 1e-9;
        expect(ticks.every((tick) => tick >= min - slack && tick <= max + slack)).toBe(true);
        expect(ticks.length).toBeLessThanOrEqual(7);
      }),
    );
  });
});

it("nearestIndex", () => {
  expect([-5, 1.4, 1.6, 9].map((wanted) => nearestIndex([0, 1, 2, 4], wanted))).toEqual([0, 1, 2, 3]);
});

it("labels have all figures of the ticks, and no more", () => {
  expect(tickLabels([0.1, 0.2, 0.3])).toEqual(["0.1", "0.2", "0.3"]);
  expect(tickLabels([0.12345, 0.12346])).toEqual(["0.12345", "0.12346"]);
  expect(tickLabels([1.27e12, 1.28e12])).toEqual(["1.27e+12", "1.28e+12"]);
});
