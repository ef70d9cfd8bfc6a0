import fc from "fast-check";
import { expect, it } from "vitest";
import { DisjointSets } from "../../../worker-runtime/graph/disjoint-sets.js";

it("two numbers are in one set if pairs that were joined lead from one to the other", () => {
  const size = 12;
  const number = fc.nat({ max: size - 1 });
  fc.assert(
    fc.property(fc.array(fc.tuple(number, number)), (pairs) => {
      const sets = new DisjointSets(size);
      for (const [one, other] of pairs) sets.join(one, other);
      // The smallest number that can be reached, by passing it on along the pairs.
      const least = Array.from({ length: size }, (_, index) => index);
      for (let round = 0; round < size; round++) {
        for (const [one, other] of pairs) {
          const smaller = Math.min(least[one] ?? one, least[other] ?? other);
          least[one] = smaller;
          least[other] = smaller;
        }
      }
      for (let one = 0; one < size; one++) {
        for (let other = 0; other < size; other++) {
          expect(sets.find(one) === sets.find(other)).toBe(least[one] === least[other]);
        }
      }
    }),
  );
});
