import { invalidArgument } from "../../../../protocol/status.js";

/** A shape as TensorFlow's errors print it: "[2,3]", "[]" for a scalar. */
export function cppShapeText(shape: readonly number[]): string {
  return `[${shape.join(",")}]`;
}

/** The product of sizes[from] … sizes[to - 1]; 1 if there are none. */
export function productOf(sizes: readonly number[], from = 0, to = sizes.length): number {
  let product = 1;
  for (let i = from; i < to; i += 1) {
    product *= sizes[i] ?? 1;
  }
  return product;
}

/** The distance between neighbours along each dimension of a row-major array, in elements. */
export function stridesOf(shape: readonly number[]): number[] {
  const strides = new Array<number>(shape.length).fill(1);
  for (let i = shape.length - 2; i >= 0; i -= 1) {
    strides[i] = (strides[i + 1] ?? 1) * (shape[i + 1] ?? 1);
  }
  return strides;
}

export function sameShape(a: readonly number[], b: readonly number[]): boolean {
  if (a.length !== b.length) {
    return false;
  }
  for (let i = 0; i < a.length; i += 1) {
    if (a[i] !== b[i]) {
      return false;
    }
  }
  return true;
}

/**
 * An axis counted from the front.
 * @param message the error message for an axis out of range.
 * @throws TensorFlowError INVALID_ARGUMENT
 */
export function axisOf(axis: number, rank: number, message?: string): number {
  if (axis < -rank || axis >= rank) {
    throw invalidArgument(message ?? `Expected axis in the range [${-rank}, ${rank}), but got ${axis}`);
  }
  return axis < 0 ? axis + rank : axis;
}

/** The broadcast shape of two operands by numpy's rules; undefined if they do not fit. */
export function tryBroadcast(a: readonly number[], b: readonly number[]): number[] | undefined {
  const rank = Math.max(a.length, b.length);
  const result = new Array<number>(rank);
  for (let i = 0; i < rank; i += 1) {
    const x = a[i - (rank - a.length)] ?? 1;
    const y = b[i - (rank - b.length)] ?? 1;
    if (x !== y && x !== 1 && y !== 1) {
      return undefined;
    }
    result[i] = x === 1 ? y : x;
  }
  return result;
}

/**
 * The broadcast shape of two operands by numpy's rules.
 * @throws TensorFlowError INVALID_ARGUMENT "Incompatible shapes: [2] vs. [3]"
 */
export function broadcastShape(a: readonly number[], b: readonly number[]): number[] {
  const shape = tryBroadcast(a, b);
  if (shape === undefined) {
    throw invalidArgument(`Incompatible shapes: ${cppShapeText(a)} vs. ${cppShapeText(b)}`);
  }
  return shape;
}

/** Strides of an operand of `shape` within the broadcast shape `target`: 0 along repeated dimensions. */
export function broadcastStrides(shape: readonly number[], target: readonly number[]): number[] {
  const own = stridesOf(shape);
  const missing = target.length - shape.length;
  return target.map((_, i) => (i < missing || shape[i - missing] === 1 ? 0 : (own[i - missing] ?? 0)));
}
