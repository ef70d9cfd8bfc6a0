import { type DType, dtypeKind } from "../../../../../worker-runtime/protocol/dtype.js";
import type { ElementValue } from "../../../../../worker-runtime/protocol/element-text.js";
import type { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";

export interface Tolerance {
  /** Units in the last place of the tensor's dtype; 0: equal bits. */
  readonly ulps: number;
  readonly absolute: number;
  /**
   * Whether units are taken at the size of the largest element: of sums and products of matrices and images, which round
   * in another order, small elements are as exact as large ones.
   */
  readonly atLargest?: boolean;
}

const SHOWN_ELEMENTS = 12;

/** A tensor in a line: "float32[2,3]{1, 2, 3, …}". */
export function describeTensor(tensor: Tensor): string {
  const shown = Array.from({ length: Math.min(tensor.size, SHOWN_ELEMENTS) }, (_, i) => text(tensor.at(i)));
  const rest = tensor.size > SHOWN_ELEMENTS ? ", …" : "";
  return `${tensor.dtype}[${tensor.shape.join(",")}]{${shown.join(", ")}${rest}}`;
}

function text(value: ElementValue): string {
  if (typeof value === "object" && "re" in value) {
    return `${text(value.re)}+${text(value.im)}i`;
  }
  return Object.is(value, -0) ? "-0" : String(value);
}

/** The distance from 1 to the next number. */
const EPSILONS: Partial<Record<DType, number>> = {
  float16: 2 ** -10,
  bfloat16: 2 ** -7,
  float32: 2 ** -23,
  float64: 2 ** -52,
  complex64: 2 ** -23,
  complex128: 2 ** -52,
};

const word = new DataView(new ArrayBuffer(8));

/** The place of a float among all floats of its format, so that neighbours differ by 1. */
function ordinal(value: number, bits: 32 | 64): bigint {
  let raw: bigint;
  if (bits === 32) {
    word.setFloat32(0, value);
    raw = BigInt(word.getInt32(0));
  } else {
    word.setFloat64(0, value);
    raw = word.getBigInt64(0);
  }
  return raw < 0n ? -(raw & ((1n << BigInt(bits - 1)) - 1n)) : raw;
}

function floatsDiffer(a: number, b: number, unit: number, bits: 32 | 64, tolerance: Tolerance): boolean {
  if (Number.isNaN(a) || Number.isNaN(b)) {
    return Number.isNaN(a) !== Number.isNaN(b);
  }
  if (tolerance.ulps === 0) {
    return !Object.is(a, b);
  }
  if (a === b || (Number.isFinite(a - b) && Math.abs(a - b) <= tolerance.absolute)) {
    return false;
  }
  if (!Number.isFinite(a) || !Number.isFinite(b)) {
    return true;
  }
  const apart = ordinal(a, bits) - ordinal(b, bits);
  return (apart < 0n ? -apart : apart) > BigInt(tolerance.ulps * unit);
}

function elementsDiffer(a: Tensor, b: Tensor, index: number, tolerance: Tolerance): boolean {
  const kind = dtypeKind(a.dtype);
  const x = a.at(index);
  const y = b.at(index);
  if (kind === "bits" && typeof x === "number" && typeof y === "number") {
    // Small floats as float32: one unit of theirs is 2^13 or 2^16 of float32's.
    return floatsDiffer(x, y, a.dtype === "bfloat16" ? 2 ** 16 : 2 ** 13, 32, tolerance);
  }
  const bits = a.dtype === "float64" || a.dtype === "complex128" ? 64 : 32;
  if (typeof x === "object" && "re" in x && typeof y === "object" && "re" in y) {
    return floatsDiffer(x.re, y.re, 1, bits, tolerance) || floatsDiffer(x.im, y.im, 1, bits, tolerance);
  }
  if (kind === "float" && typeof x === "number" && typeof y === "number") {
    return floatsDiffer(x, y, 1, bits, tolerance);
  }
  return String(x) !== String(y);
}

/** As many units in the last place of a floating tensor's largest element. */
function unitsOfLargest(tensor: Tensor, ulps: number): number {
  const sizes = Array.from({ length: tensor.size }, (_, i) => {
    const value = tensor.at(i);
    const size =
      typeof value === "object" && "re" in value ? Math.hypot(value.re, value.im) : Math.abs(Number(value));
    return Number.isFinite(size) ? size : 0;
  });
  const largest = sizes.reduce((most, size) => Math.max(most, size), 0);
  return ulps * (EPSILONS[tensor.dtype] ?? 0) * largest;
}

/** The difference between two tensors; undefined where they are equal within the tolerance. */
export function tensorDifference(ours: Tensor, theirs: Tensor, tolerance: Tolerance): string | undefined {
  if (ours.dtype !== theirs.dtype || ours.shape.join() !== theirs.shape.join()) {
    return `ours ${describeTensor(ours)}, TensorFlow's ${describeTensor(theirs)}`;
  }
  const { ulps, absolute, atLargest = false } = tolerance;
  const allowed = atLargest
    ? { ulps, absolute: Math.max(absolute, unitsOfLargest(theirs, ulps)) }
    : tolerance;
  for (let i = 0; i < theirs.size; i += 1) {
    if (elementsDiffer(ours, theirs, i, allowed)) {
      return `element ${i} is ${text(ours.at(i))}, in TensorFlow ${text(theirs.at(i))}`;
    }
  }
  return undefined;
}
