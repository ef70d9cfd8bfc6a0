import { describe, expect, test } from "vitest";
import { fourierTransform } from "../../../../../../worker-runtime/engines/portable/kernels/signal/fourier-transform.js";

/** Numbers that look random, the same in each run. */
const noise = (length: number, seed: number) =>
  Float64Array.from({ length }, (_, i) => Math.sin((i + 1) * seed * 12.9898));

/** The sum that the transform is defined by. */
function definition(re: Float64Array, im: Float64Array): { re: number[]; im: number[] } {
  const { length } = re;
  const sum = (k: number, part: (n: number, angle: number) => number) =>
    re.reduce((total, _, n) => total + part(n, (-2 * Math.PI * ((k * n) % length)) / length), 0);
  return {
    re: Array.from(re, (_, k) =>
      sum(k, (n, angle) => (re[n] ?? 0) * Math.cos(angle) - (im[n] ?? 0) * Math.sin(angle)),
    ),
    im: Array.from(re, (_, k) =>
      sum(k, (n, angle) => (re[n] ?? 0) * Math.sin(angle) + (im[n] ?? 0) * Math.cos(angle)),
    ),
  };
}

function largestDifference(a: ArrayLike<number>, b: ArrayLike<number>): number {
  return Array.from(a).reduce((most, value, i) => Math.max(most, Math.abs(value - (b[i] ?? Number.NaN))), 0);
}

describe("the Fourier transform", () => {
  test("is its definition for every length, powers of two or not", () => {
    for (let length = 1; length <= 70; length += 1) {
      const [re, im] = [noise(length, 1), noise(length, 2)];
      const expected = definition(re, im);
      fourierTransform(length).transform(re, im);
      expect(largestDifference(expected.re, re), `length ${length}`).toBeLessThan(1e-11);
      expect(largestDifference(expected.im, im), `length ${length}`).toBeLessThan(1e-11);
    }
  });

  test("with its parts exchanged is its own inverse, but for a factor, and can be used again", () => {
    for (const length of [1000, 1009, 1024]) {
      const transform = fourierTransform(length);
      for (const seed of [3, 4]) {
        const [re, im] = [noise(length, seed), noise(length, seed + 1)];
        const before = re.slice();
        transform.transform(re, im);
        transform.transform(im, re);
        expect(
          largestDifference(
            before,
            re.map((value) => value / length),
          ),
        ).toBeLessThan(1e-12);
      }
    }
  });
});
