/** Labels and sizes of equations, as far as the inputs are known. Products are compared with TensorFlow's elsewhere. */
import { describe, expect, it } from "vitest";
import { labelDimensions, parseEquation } from "../../../../worker-runtime/graph/op-specs/einsum.js";
import type { Shape } from "../../../../worker-runtime/graph/shape.js";

function resultOf(equation: string, ...shapes: readonly (Shape | undefined)[]): Shape | undefined {
  const { output, sizes } = labelDimensions(parseEquation(equation), shapes);
  return output?.map((label) => sizes.get(label) ?? -1);
}

describe("an einsum equation", () => {
  it.each([
    { equation: "ab,bc", message: "Expecting exactly one '->'" },
    { equation: "a->a->a", message: "Expecting exactly one '->'" },
    { equation: "a,b,c->abc", message: "Expecting 1 or 2 input subscripts" },
    { equation: "a..b->ab", message: "found 2 periods" },
    { equation: "...a...->a", message: "found 6 periods" },
    { equation: "a.b.c.->abc", message: "found 3 periods" },
    { equation: "ab->abc", message: "has label 'c' which is not present" },
  ])("is refused: $equation", ({ equation, message }) => {
    expect(() => parseEquation(equation)).toThrow(message);
  });

  it("has any other character as a label, a space too", () => {
    expect(resultOf("a b->b a", [2, 5, 3])).toEqual([3, 5, 2]);
    expect(resultOf("01,12->02", [2, 3], [3, 4])).toEqual([2, 4]);
  });
});

describe("the sizes of a result", () => {
  it("come from whichever input has them", () => {
    expect(resultOf("ab,bc->abc", [-1, 3], undefined)).toEqual([-1, 3, -1]);
    expect(resultOf("ab,ab->ab", [-1, 3], [2, -1])).toEqual([2, 3]);
    expect(resultOf("ab->aab", [2, 3])).toEqual([2, 2, 3]);
  });

  it("are broadcast where the ellipsis is, from the last dimension on", () => {
    expect(resultOf("...ab,...bc->...ac", [7, 1, 2, 3], [5, 3, 4])).toEqual([7, 5, 2, 4]);
    expect(resultOf("...a,...a->...a", [-1, 3], [5, 3])).toEqual([5, 3]);
    // A size that is unknown may be any beside 1.
    expect(resultOf("...a,...a->...a", [-1, 3], [1, 3])).toEqual([-1, 3]);
    expect(resultOf("...a,...a->...a", [1, 3], [-1, 3])).toEqual([-1, 3]);
    expect(resultOf("...a,b->...a", undefined, [2])).toBeUndefined();
    expect(resultOf("...a,b->ab", undefined, [2])).toEqual([-1, 2]);
  });

  it("differ where shapes do not fit", () => {
    expect(() => resultOf("ab,bc->ac", [2, 3], [4, 5])).toThrow("Expected dimension 3 at axis 0");
    // A size of 1 is not broadcast where a label has a name.
    expect(() => resultOf("ab,bc->ac", [2, 3], [1, 5])).toThrow("Expected dimension 3 at axis 0");
    expect(() => resultOf("...a,...a->...a", [2, 3], [4, 3])).toThrow("Expected dimension 2");
    expect(() => resultOf("ab->a", [2, 3, 4])).toThrow("to have rank 2 but got: 3");
    expect(() => resultOf("...ab->...a", [2])).toThrow("to have rank at least 2 but got: 1");
    expect(() => resultOf("...a->a", [2, 3])).toThrow("no ellipsis (...) was found in the output");
    expect(() => resultOf("a,b->ab", [2])).toThrow("Expected 2 inputs but got: 1");
  });
});
