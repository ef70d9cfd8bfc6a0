import { describe, expect, test } from "vitest";
import {
  LearnedClasses,
  weightedClasses,
} from "../../../../../../worker-runtime/engines/portable/kernels/nn/candidate-distributions.js";
import {
  Philox,
  PhiloxSamples,
} from "../../../../../../worker-runtime/engines/portable/kernels/random/philox.js";

const numbers = () => new PhiloxSamples(Philox.ofSeeds(1n, 2n));

/** How often each class is drawn. */
function counts(classes: LearnedClasses | ReturnType<typeof weightedClasses>, draws: number): number[] {
  const stream = numbers();
  const found = new Array<number>(classes.range).fill(0);
  for (let i = 0; i < draws; i += 1) {
    const one = classes.sample(stream);
    found[one] = (found[one] ?? 0) + 1;
  }
  return found;
}

describe("distributions of classes", () => {
  test("weighted classes are drawn as often as their weights say", () => {
    const weights = Float32Array.of(1, 0, 3, 4);
    const found = counts(weightedClasses(weights, 8), 8000);
    expect(found[1]).toBe(0);
    for (const [one, weight] of weights.entries()) {
      expect(Math.abs((found[one] ?? 0) - weight * 1000)).toBeLessThan(150);
    }
  });

  test("learned classes are drawn the more often the more often they were true", () => {
    const classes = new LearnedClasses(5);
    expect(classes.probability(3)).toBeCloseTo(0.2, 6);
    classes.learn([3, 3, 3, 3, 0]);
    expect(classes.probability(3)).toBe(0.5);
    const found = counts(classes, 5000);
    for (const one of found.keys()) {
      expect(Math.abs((found[one] ?? 0) - classes.probability(one) * 5000)).toBeLessThan(200);
    }
  });

  test("more classes than memory is kept for are refused", () => {
    expect(() => new LearnedClasses(2 ** 30)).toThrow(/are more than the/);
  });
});
