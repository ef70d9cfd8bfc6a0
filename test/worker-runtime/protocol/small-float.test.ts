import { describe, expect, test } from "vitest";
import type { DType } from "../../../worker-runtime/protocol/dtype.js";
import {
  bitsFromNumber,
  numberFromBits,
  numbersFromBits,
} from "../../../worker-runtime/protocol/small-float.js";
import fc from "../../support/seeded-check.js";

const formats: [DType, number][] = [
  ["float16", 16],
  ["bfloat16", 16],
  ["float8_e5m2", 8],
  ["float8_e4m3fn", 8],
  ["float8_e4m3fnuz", 8],
  ["float8_e4m3b11fnuz", 8],
  ["float8_e5m2fnuz", 8],
  ["float4_e2m1fn", 4],
];

describe.each(formats)("%s", (dtype, width) => {
  const values = Array.from({ length: 2 ** width }, (_, bits) => numberFromBits(dtype, bits));

  test("every value comes back as its own bits", () => {
    const changed = values.filter(
      (value, bits) => !Number.isNaN(value) && bitsFromNumber(dtype, value) !== bits,
    );
    expect(changed).toEqual([]);
  });

  test("a number between two values becomes the nearer one, and the even one where both are as near", () => {
    const finite = values
      .map((value, bits) => ({ value, bits }))
      .filter(({ value }) => Number.isFinite(value) && value >= 0 && !Object.is(value, -0))
      .sort((a, b) => a.value - b.value);
    fc.assert(
      fc.property(fc.nat({ max: finite.length - 2 }), fc.double({ min: 0, max: 1, noNaN: true }), (i, t) => {
        const low = finite[i];
        const high = finite[i + 1];
        if (low === undefined || high === undefined) {
          throw new Error("out of range");
        }
        const number = low.value + (high.value - low.value) * t;
        const down = number - low.value;
        const up = high.value - number;
        const expected = down < up ? low : up < down ? high : low.bits % 2 === 0 ? low : high;
        expect(bitsFromNumber(dtype, number)).toBe(expected.bits);
      }),
    );
  });

  test("arrays give the same numbers as single elements", () => {
    const bits = Uint16Array.from({ length: 2 ** width }, (_, i) => i);
    expect([...numbersFromBits(dtype, bits)]).toEqual(values);
  });
});

describe("beyond the range", () => {
  test.each<[DType, number, number]>([
    ["float16", 65520, Infinity],
    ["float16", 65519, 65504],
    ["float16", -1e9, -Infinity],
    ["float16", 2 ** -25, 0],
    ["float16", 2 ** -24, 2 ** -24],
    ["bfloat16", 3.39e38, 3.3895313892515355e38],
    ["bfloat16", 3.4e38, Infinity],
    ["float8_e5m2", 1e6, Infinity],
    ["float8_e4m3fn", 448, 448],
    ["float8_e4m3fn", 500, Number.NaN],
    ["float8_e4m3fnuz", -0, 0],
    ["float4_e2m1fn", 100, 6],
    ["float4_e2m1fn", -100, -6],
  ])("%s of %d is %d", (dtype, number, expected) => {
    expect(numberFromBits(dtype, bitsFromNumber(dtype, number))).toBe(expected);
  });

  test("not a number stays so where the format can say it", () => {
    for (const [dtype] of formats.filter(([name]) => name !== "float4_e2m1fn")) {
      expect(numberFromBits(dtype, bitsFromNumber(dtype, Number.NaN))).toBeNaN();
    }
  });
});
