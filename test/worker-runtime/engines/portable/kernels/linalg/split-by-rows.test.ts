import { expect, test } from "vitest";
import { matMul } from "../../../../../../worker-runtime/engines/portable/kernels/linalg/mat-mul.js";
import { splitByRows } from "../../../../../../worker-runtime/engines/portable/kernels/linalg/split-by-rows.js";
import { withoutPauses } from "../../../../../../worker-runtime/engines/portable/pauses.js";
import { Tensor } from "../../../../../../worker-runtime/protocol/tensor.js";
import fc from "../../../../../support/seeded-check.js";

const plain = { a: false, b: false };

function matrix(rows: number, columns: number, dtype: "int32" | "complex64" = "int32"): Tensor {
  const entries = rows * columns * (dtype === "int32" ? 1 : 2);
  const numbers = Array.from({ length: entries }, (_, i) => (i % 7) - 3);
  const data = dtype === "int32" ? Int32Array.from(numbers) : Float32Array.from(numbers);
  return new Tensor(dtype, [rows, columns], data);
}

test("the parts of a product are the product", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 128, max: 400 }),
      fc.integer({ min: 0, max: 5 }),
      fc.integer({ min: 0, max: 5 }),
      fc.integer({ min: 2, max: 4 }),
      fc.constantFrom("int32" as const, "complex64" as const),
      (rows, inner, columns, most, dtype) => {
        const [a, b] = [matrix(rows, inner, dtype), matrix(inner, columns, dtype)];
        const split = splitByRows([a, b], most);
        expect(split?.parts.length).toBe(Math.min(most, Math.floor(rows / 64)));
        const outputs = split?.parts.map(([part, other]) => [matMul(part ?? a, other ?? b, plain)]);
        expect(split && withoutPauses(split.join(outputs ?? []))).toEqual([matMul(a, b, plain)]);
      },
    ),
    { numRuns: 50 },
  );
});

test("a large product is put together in pieces, with pauses between", () => {
  const halves = [0, 1].map(() => [new Tensor("float32", [400, 3000], new Float32Array(400 * 3000).fill(2))]);
  const work = splitByRows([matrix(800, 1), matrix(1, 3000)], 2)?.join(halves);
  let pauses = 0;
  for (let step = work?.next(); step?.done === false; step = work?.next()) {
    pauses += 1;
  }
  expect(pauses).toBeGreaterThanOrEqual(4);
});

test.each([
  ["few rows", [matrix(100, 3), matrix(3, 2)], 4],
  ["one thread", [matrix(1000, 3), matrix(3, 2)], 1],
  ["what is no matrix", [Tensor.of(1), matrix(3, 2)], 4],
  ["nothing", [], 4],
] as const)("%s: not divided", (_, inputs, most) => {
  expect(splitByRows(inputs, most)).toBeUndefined();
});
