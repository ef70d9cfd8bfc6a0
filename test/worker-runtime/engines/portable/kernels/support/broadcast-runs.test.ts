import { expect, test } from "vitest";
import { forEachRun } from "../../../../../../worker-runtime/engines/portable/kernels/support/broadcast-runs.js";
import {
  broadcastShape,
  productOf,
  stridesOf,
} from "../../../../../../worker-runtime/engines/portable/kernels/support/shapes.js";
import fc from "../../../../../support/seeded-check.js";

/** Two shapes that broadcast, of up to eight dimensions. */
const shapePairs = fc
  .array(fc.tuple(fc.integer({ min: 0, max: 3 }), fc.constantFrom("both", "x is 1", "y is 1")), {
    maxLength: 8,
  })
  .chain((dims) =>
    fc.tuple(fc.nat({ max: dims.length }), fc.nat({ max: dims.length })).map(([cutX, cutY]) => {
      const x = dims.map(([size, kind]) => (kind === "x is 1" ? 1 : size));
      const y = dims.map(([size, kind]) => (kind === "y is 1" ? 1 : size));
      // Only one of the two may lack leading dimensions.
      return cutX < cutY ? { x: x.slice(cutX), y } : { x, y: y.slice(cutY) };
    }),
  );

/** Where the element of the result at `flat` lies in an operand. */
function placeIn(shape: readonly number[], target: readonly number[], flat: number): number {
  const own = stridesOf(shape);
  const strides = stridesOf(target);
  const missing = target.length - shape.length;
  return shape.reduce((position, size, d) => {
    const index = Math.floor(flat / (strides[d + missing] ?? 1)) % (target[d + missing] ?? 1);
    return position + (size === 1 ? 0 : index * (own[d] ?? 0));
  }, 0);
}

test("runs cover the result once and point to the right elements", () => {
  fc.assert(
    fc.property(shapePairs, ({ x, y }) => {
      const target = broadcastShape(x, y);
      let next = 0;
      forEachRun(x, y, target, (out, xStart, xStep, yStart, yStep, length) => {
        expect(out).toBe(next);
        next += length;
        for (const i of [0, length - 1]) {
          expect(xStart + i * xStep).toBe(placeIn(x, target, out + i));
          expect(yStart + i * yStep).toBe(placeIn(y, target, out + i));
        }
      });
      expect(next).toBe(productOf(target));
    }),
  );
});
