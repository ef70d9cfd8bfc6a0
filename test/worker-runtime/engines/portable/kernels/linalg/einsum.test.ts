import { describe, expect, test } from "vitest";
import { peerMissing } from "../../../../../support/peers.js";
import { compareWithTensorflow, type OpCase } from "../against-tensorflow.js";
import { counting } from "../case-values.js";

const equations: readonly (readonly [string, ...(readonly number[])[]])[] = [
  ["ab,bc->ac", [2, 3], [3, 4]],
  ["ab,cb->ca", [2, 3], [4, 3]],
  ["abc,abd->acd", [2, 3, 4], [2, 3, 5]],
  ["acbe,aecd->abcd", [2, 3, 4, 5], [2, 5, 3, 6]],
  ["abc,cde->abde", [2, 3, 4], [4, 2, 8]],
  ["ab,cd->abcd", [2, 3], [2, 2]],
  ["ab,ab->", [2, 3], [2, 3]],
  ["a,a->a", [3], [3]],
  ["abc->ca", [2, 3, 4]],
  ["aa->a", [3, 3]],
  ["aab->b", [3, 3, 2]],
  ["ab->", [2, 3]],
  ["abd,bc->ac", [2, 3, 4], [3, 5]],
  ["aab,bc->ac", [2, 2, 3], [3, 4]],
  ["...ab,...bc->...ac", [5, 2, 3], [5, 3, 4]],
  ["...ab,...bc->...ac", [2, 1, 2, 3], [5, 3, 4]],
  ["a...b,b->a...", [2, 3, 4, 5], [5]],
  ["...a->a...", [2, 3, 4]],
  ["ab,bc->ac", [0, 3], [3, 4]],
  ["ab,bc->ac", [2, 0], [0, 4]],
  ["ab,bc->ac", [2, 3], [4, 4]],
  ["ab,bc->ac", [2, 3, 1], [3, 4]],
  ["ab,bc->ac", [40, 30], [30, 20]],
  ["...a->a", [2, 3]],
  ["...a->a", [3]],
  ["...a,a->a", [2, 3], [3]],
  ["a,a->a...", [3], [3]],
  ["ab,bc", [2, 3], [3, 4]],
  ["a b->b a", [2, 3]],
  ["a b->b a", [2, 5, 3]],
  ["a1,1c->ac", [2, 3], [3, 4]],
  ["ab,bc,cd->ad", [2, 3], [3, 4], [4, 5]],
  ["a...b...->ab", [2, 3]],
  ["ab,bc->aac", [2, 3], [3, 4]],
  ["a->aaa", [3]],
  ["abb->bab", [2, 3, 3]],
  ["...a,...a->a...a", [2, 3], [1, 3]],
];

describe.skipIf(peerMissing("tensorflow"))("Einsum against TensorFlow", () => {
  test("products, outer products, traces, sums, transposes, broadcasts, what does not fit", async () => {
    const cases: OpCase[] = [];
    for (const [equation, ...shapes] of equations) {
      const inputs = shapes.map((shape) => counting("float32", shape));
      cases.push({ op: "Einsum", inputs, attrs: { equation }, ulps: 4, atLargest: true });
    }
    for (const dtype of ["float64", "bfloat16", "int32", "int64", "complex64"] as const) {
      for (const [equation, ...shapes] of [...equations.slice(0, 12), ["abb->bab", [2, 3, 3]] as const]) {
        const inputs = shapes.map((shape) => counting(dtype, shape));
        cases.push({ op: "Einsum", inputs, attrs: { equation }, ulps: 4, atLargest: true });
      }
    }
    expect(await compareWithTensorflow(cases)).toEqual([]);
  });
});
