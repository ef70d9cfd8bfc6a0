/** The rule by which the differential tests call two tensors equal. */
import { describe, expect, test } from "vitest";
import type { DType } from "../../../../worker-runtime/protocol/dtype.js";
import { Tensor } from "../../../../worker-runtime/protocol/tensor.js";
import type { TensorElement } from "../../../../worker-runtime/protocol/tensor-values.js";
import { difference, tensorDifference } from "./compare.js";
import { exact, type Tolerance } from "./op-case.js";

const rough: Tolerance = { ulps: 64, scale: 1024 };

function isEqual(
  wanted: TensorElement,
  given: TensorElement,
  tolerance: Tolerance = exact,
  dtype: DType = "float32",
): boolean {
  return tensorDifference(Tensor.of(wanted, dtype), Tensor.of(given, dtype), tolerance) === undefined;
}

const floatTypes = ["float16", "bfloat16", "float32", "float64"] as const satisfies readonly DType[];

describe.each(floatTypes)("%s", (dtype) => {
  const equal = (wanted: number, given: number, tolerance: Tolerance = exact) =>
    isEqual(wanted, given, tolerance, dtype);

  test.each([exact, rough])("an infinity is close to itself alone, with $ulps ulps", (tolerance) => {
    const others = [5, -5, 0, Number.NaN];
    for (const [infinity, opposite] of [
      [Infinity, -Infinity],
      [-Infinity, Infinity],
    ] as const) {
      expect(equal(infinity, infinity, tolerance)).toBe(true);
      for (const other of [...others, opposite]) {
        expect(equal(infinity, other, tolerance), `${infinity} wanted, ${other} given`).toBe(false);
        expect(equal(other, infinity, tolerance), `${other} wanted, ${infinity} given`).toBe(false);
      }
    }
  });

  test.each([exact, rough])("NaN is close to NaN alone, with $ulps ulps", (tolerance) => {
    expect(equal(Number.NaN, Number.NaN, tolerance)).toBe(true);
    expect(equal(Number.NaN, 0, tolerance)).toBe(false);
    expect(equal(1, Number.NaN, tolerance)).toBe(false);
  });

  test("the sign of zero counts where an op is exact", () => {
    expect(equal(-0, -0)).toBe(true);
    expect(equal(0, -0)).toBe(false);
    expect(equal(-0, 0)).toBe(false);
    expect(equal(0, -0, { ulps: 1 })).toBe(true);
    expect(equal(0, -0, { ulps: 1, eitherZero: false })).toBe(false);
    expect(equal(-0, 0, { ulps: 0, eitherZero: true })).toBe(true);
  });
});

test.each([
  ["float16", 2 ** -10],
  ["bfloat16", 2 ** -7],
  ["float32", 2 ** -23],
  ["float64", 2 ** -52],
] as const)("a unit in the last place of %s is that of its own fraction", (dtype, epsilon) => {
  expect(isEqual(1, 1 + epsilon, { ulps: 1 }, dtype)).toBe(true);
  expect(isEqual(1, 1 + 2 * epsilon, { ulps: 1 }, dtype)).toBe(false);
  expect(isEqual(1, 1 + epsilon, exact, dtype)).toBe(false);
  expect(isEqual(1, -1, { ulps: 8 }, dtype)).toBe(false);
  // At a scale of 4 a unit is as large as at 4.
  expect(isEqual(0, 4 * epsilon, { ulps: 1, scale: 4 }, dtype)).toBe(true);
  expect(isEqual(0, 8 * epsilon, { ulps: 1, scale: 4 }, dtype)).toBe(false);
});

describe("numbers below full precision", () => {
  const tiny = 2 ** -149;

  test("may be flushed to zero, and are no other number", () => {
    expect(isEqual(2 ** -130, 0)).toBe(true);
    expect(isEqual(0, 2 ** -130)).toBe(true);
    expect(isEqual(2 ** -1040, -0, exact, "float64")).toBe(true);
    expect(isEqual(2 ** -130, 2 ** -127)).toBe(false);
    expect(isEqual(2 ** -130, -(2 ** -130))).toBe(false);
    expect(isEqual(2 ** -130, -(2 ** -130), { ulps: 4 })).toBe(false);
  });

  test("are as far apart as the smallest of full precision", () => {
    expect(isEqual(2 ** -130, 2 ** -130 + tiny, { ulps: 1 })).toBe(true);
    expect(isEqual(2 ** -130, 2 ** -130 + 2 * tiny, { ulps: 1 })).toBe(false);
  });

  test("are never flushed in float16, which is computed as float32", () => {
    expect(isEqual(2 ** -20, 2 ** -20, exact, "float16")).toBe(true);
    expect(isEqual(2 ** -20, 0, exact, "float16")).toBe(false);
    expect(isEqual(0, 2 ** -20, exact, "float16")).toBe(false);
  });
});

describe.each(["complex64", "complex128"] as const)("%s", (dtype) => {
  const equal = (wanted: TensorElement, given: TensorElement, tolerance: Tolerance = exact) =>
    isEqual(wanted, given, tolerance, dtype);

  test("each part is compared by itself", () => {
    expect(equal({ re: 1, im: 2 }, { re: 1, im: 2 })).toBe(true);
    expect(equal({ re: 1, im: 2 }, { re: 2, im: 1 })).toBe(false);
    expect(equal({ re: 1, im: Infinity }, { re: 1, im: 5 }, rough)).toBe(false);
    expect(equal({ re: Infinity, im: 1 }, { re: -Infinity, im: 1 }, rough)).toBe(false);
    expect(equal({ re: Number.NaN, im: 1 }, { re: 1, im: Number.NaN }, rough)).toBe(false);
    expect(equal({ re: 0, im: -0 }, { re: 0, im: 0 })).toBe(false);
    // A part has its own last place, however large the other one is.
    expect(equal({ re: 1e6, im: 1e-6 }, { re: 1e6, im: 2e-6 }, { ulps: 8 })).toBe(false);
  });
});

test("a unit may be taken at the size of a complex number, or of the tensor's largest element", () => {
  const one = { re: 1, im: 2 ** -30 };
  const other = { re: 1, im: 2 ** -24 };
  expect(isEqual(one, other, { ulps: 1 }, "complex64")).toBe(false);
  expect(isEqual(one, other, { ulps: 1, scale: "element" }, "complex64")).toBe(true);
  const differs = (given: readonly number[], tolerance: Tolerance, wanted: readonly number[] = [8, 0]) =>
    tensorDifference(Tensor.of(wanted, "float32"), Tensor.of(given, "float32"), tolerance) !== undefined;
  expect(differs([8, 2 ** -20], { ulps: 1, scale: "largest" })).toBe(false);
  expect(differs([8, 2 ** -19], { ulps: 1, scale: "largest" })).toBe(true);
  expect(differs([8, 2 ** -20], { ulps: 1, scale: "element" })).toBe(true);
  // Infinities are no scale, and no number is close to one.
  expect(differs([Infinity, 1], { ulps: 8, scale: "largest" }, [Infinity, 0])).toBe(true);
  expect(differs([8, 0], { ulps: 8, scale: "largest" }, [Infinity, 0])).toBe(true);
});

test("other dtypes are compared exactly, whatever the tolerance", () => {
  expect(isEqual(1n, 2n, rough, "int64")).toBe(false);
  expect(isEqual(true, false, rough, "bool")).toBe(false);
  expect(isEqual("a", "b", rough, "string")).toBe(false);
  expect(isEqual("a", "a", exact, "string")).toBe(true);
});

test("dtypes, shapes, numbers of outputs and error codes must be equal", () => {
  const one = Tensor.of([1], "float32");
  const values = (...list: Tensor[]) => ({ kind: "values", values: list }) as const;
  const error = (code: "OUT_OF_RANGE" | "INTERNAL") => ({ kind: "error", code, message: "" }) as const;
  expect(difference(values(one), values(one), exact)).toBeUndefined();
  expect(difference(values(one), values(Tensor.of([1], "float64")), rough)).toContain("dtype");
  expect(difference(values(one), values(Tensor.of(1, "float32")), rough)).toContain("shape");
  expect(difference(values(one, one), values(one), rough)).toBe("output 1: it is missing");
  expect(difference(values(one), values(one, one), rough)).toContain("2 outputs");
  expect(difference(error("INTERNAL"), error("INTERNAL"), exact)).toBeUndefined();
  expect(difference(error("INTERNAL"), error("OUT_OF_RANGE"), rough)).toContain("OUT_OF_RANGE");
  expect(difference(error("INTERNAL"), values(one), rough)).toContain("got float32");
});
