/** Arbitraries for fast-check: elements, shapes and tensors, typical and unusual ones. */
import fc from "fast-check";
import { type DType, dtypeKind, dtypes, integerRange } from "../../../../worker-runtime/protocol/dtype.js";
import { Tensor } from "../../../../worker-runtime/protocol/tensor.js";
import type { TensorElement } from "../../../../worker-runtime/protocol/tensor-values.js";
import { elementLike } from "./elements.js";

/**
 * Which elements a tensor may have.
 * - any: includes NaN, infinities, negative zero and the ends of the range
 * - moderate: a few digits around zero, so sums do not test rounding
 * - positive: above zero and moderate
 * - unit: from -1 to 1
 * - nonzero: moderate, without zeros
 */
export type Domain = "any" | "moderate" | "positive" | "unit" | "nonzero";

export const floats = ["float32", "float64"] as const satisfies readonly DType[];
export const signedInts = ["int8", "int16", "int32", "int64"] as const satisfies readonly DType[];
export const ints = [...signedInts, "uint8"] as const satisfies readonly DType[];
export const numbers = [...floats, ...ints] as const satisfies readonly DType[];
export const everything = [...numbers, "bool", "string"] as const satisfies readonly DType[];
/** Every dtype of tensors whose elements are numbers or strings; without quantized ones. */
export const dataTypes = dtypes.slice(0, dtypes.indexOf("resource"));
export const indexTypes = ["int32", "int64"] as const satisfies readonly DType[];

const HUGE: Partial<Record<DType, number>> = {
  float16: 65504,
  bfloat16: 3e38,
  float32: 3e38,
  float64: 1.7e308,
};
const TINY: Partial<Record<DType, number>> = {
  float16: 2 ** -14,
  bfloat16: 2e-38,
  float32: 2e-38,
  float64: 3e-308,
};

/** An element of a dtype. */
export function element(dtype: DType, domain: Domain): fc.Arbitrary<TensorElement> {
  switch (dtypeKind(dtype)) {
    case "float":
    case "bits":
      return floatElement(dtype, domain);
    case "complex":
      return complexElement(dtype, domain);
    case "bool":
      return fc.boolean();
    case "string":
      return fc.string({ unit: "binary", maxLength: 6 });
    case "long":
      return integerElement(dtype, domain).map(BigInt);
    default:
      return integerElement(dtype, domain).map(Number);
  }
}

function complexElement(dtype: DType, domain: Domain): fc.Arbitrary<TensorElement> {
  const part = floatElement(dtype === "complex64" ? "float32" : "float64", domain);
  return fc.record({ re: part, im: part });
}

function floatElement(dtype: DType, domain: Domain): fc.Arbitrary<number> {
  // Quarters are exact in every floating type, which keeps failures readable.
  const quarters = fc.integer({ min: -40, max: 40 }).map((n) => n / 4);
  const fine = fc.double({ min: -16, max: 16, noNaN: true }).map((n) => (Math.abs(n) < 1e-6 ? 0.5 : n));
  switch (domain) {
    case "any": {
      const huge = HUGE[dtype] ?? 1;
      const tiny = TINY[dtype] ?? 1;
      const special = fc.constantFrom(Number.NaN, Infinity, -Infinity, -0, 0, huge, -huge, tiny, 1, -1);
      return fc.oneof(quarters, fine, special);
    }
    case "moderate":
      return fc.oneof(quarters, fine);
    case "positive":
      return fc.oneof(quarters, fine).map((n) => Math.abs(n) + 0.25);
    case "nonzero":
      return fc.oneof(quarters, fine).map((n) => (n === 0 ? 1.5 : n));
    case "unit":
      return fc.integer({ min: -64, max: 64 }).map((n) => n / 64);
  }
}

function integerElement(dtype: DType, domain: Domain): fc.Arbitrary<bigint> {
  const { min, max } = integerRange(dtype) ?? { min: 0n, max: 0n };
  const low = min === 0n ? 0n : -9n;
  const small = fc.bigInt({ min: low, max: 9n });
  switch (domain) {
    case "any":
      return fc.oneof(small, fc.bigInt({ min, max }), fc.constantFrom(min, max));
    case "moderate":
      return small;
    case "positive":
      return fc.bigInt({ min: 1n, max: 9n });
    case "nonzero":
      return small.map((n) => (n === 0n ? 3n : n));
    case "unit":
      return fc.bigInt({ min: min === 0n ? 0n : -1n, max: 1n });
  }
}

const sizeOf = (shape: readonly number[]): number => shape.reduce((product, size) => product * size, 1);

/** A tensor of a given shape. */
export function tensor(
  dtype: DType,
  shape: readonly number[],
  domain: Domain = "moderate",
): fc.Arbitrary<Tensor> {
  const size = sizeOf(shape);
  return fc
    .array(element(dtype, domain), { minLength: size, maxLength: size })
    .map((elements) => Tensor.of(elements, dtype, shape));
}

/** A tensor of complex64 or complex128 of a given shape, its parts moderate. */
export function complexTensor(dtype: DType, shape: readonly number[]): fc.Arbitrary<Tensor> {
  return tensor(dtype, shape, "moderate");
}

export interface ShapeLimits {
  readonly minRank?: number;
  readonly maxRank?: number;
  /** Defaults to 0: the shapes include empty tensors. */
  readonly minSize?: number;
  readonly maxSize?: number;
}

/** Sizes of the dimensions, now and then with one that is empty. */
export function shapes({
  minRank = 0,
  maxRank = 4,
  minSize = 0,
  maxSize = 4,
}: ShapeLimits = {}): fc.Arbitrary<number[]> {
  const size =
    minSize === 0
      ? fc.oneof(
          { weight: 12, arbitrary: fc.integer({ min: 1, max: maxSize }) },
          { weight: 1, arbitrary: fc.constant(0) },
        )
      : fc.integer({ min: minSize, max: maxSize });
  return fc.array(size, { minLength: minRank, maxLength: maxRank });
}

/** A tensor of any shape within the limits. */
export function anyTensor(
  dtype: DType,
  domain: Domain = "moderate",
  limits: ShapeLimits = {},
): fc.Arbitrary<Tensor> {
  return shapes(limits).chain((shape) => tensor(dtype, shape, domain));
}

/** Shapes that broadcast together: parts of one shape, with some sizes of 1 and leading dimensions omitted. */
export function broadcastShapes(count: number, limits: ShapeLimits = {}): fc.Arbitrary<number[][]> {
  return shapes({ maxRank: 3, ...limits }).chain((full) =>
    fc.array(
      fc
        .tuple(
          fc.integer({ min: 0, max: full.length }),
          fc.array(fc.boolean(), { minLength: full.length, maxLength: full.length }),
        )
        .map(([dropped, ones]) => full.map((size, i) => (ones[i] ? 1 : size)).slice(dropped)),
      { minLength: count, maxLength: count },
    ),
  );
}

/** One of the axes of a tensor, counted from either end; occasionally an invalid one. */
export function axisOf(rank: number): fc.Arbitrary<number> {
  return fc.oneof(
    { weight: 15, arbitrary: rank === 0 ? fc.constant(0) : fc.integer({ min: -rank, max: rank - 1 }) },
    { weight: 1, arbitrary: fc.constant(rank + 1) },
  );
}

/** Some distinct axes of a tensor, each counted from either end. */
export function someAxes(rank: number): fc.Arbitrary<number[]> {
  const axes = Array.from({ length: rank }, (_, i) => i);
  return fc
    .subarray(axes)
    .chain((some) =>
      fc
        .array(fc.boolean(), { minLength: some.length, maxLength: some.length })
        .map((negative) => some.map((axis, i) => (negative[i] ? axis - rank : axis))),
    );
}

/** Indices below a limit; optionally with an occasional one out of range. */
export function indices(
  dtype: DType,
  shape: readonly number[],
  limit: number,
  wrong: "never" | "rarely" = "rarely",
): fc.Arbitrary<Tensor> {
  const good = fc.integer({ min: 0, max: Math.max(0, limit - 1) });
  const one =
    wrong === "never"
      ? good
      : fc.oneof({ weight: 30, arbitrary: good }, { weight: 1, arbitrary: fc.constantFrom(-1, limit) });
  const size = sizeOf(shape);
  return fc.array(one, { minLength: size, maxLength: size }).map((list) => integers(dtype, list, shape));
}

/** A tensor of integers, including int64. */
export function integers(dtype: DType, values: readonly number[], shape?: readonly number[]): Tensor {
  return Tensor.of(
    values.map((value) => elementLike(value, dtype)),
    dtype,
    shape ?? [values.length],
  );
}

/** A scalar. */
export function scalar(dtype: DType, value: TensorElement): Tensor {
  return Tensor.of(elementLike(value, dtype), dtype);
}
