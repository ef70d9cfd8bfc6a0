import { invalidArgument } from "../../../../protocol/status.js";

/** A shape as TensorFlow's errors print it: "[2,3]", "[]" for a scalar. */
export function cppShapeText(shape: readonly number[]): string {
  return `[${shape.join(",")}]`;
}

/** The product of sizes[from] … sizes[to - 1]; 1 where there are none. */
export function productOf(sizes: readonly number[], from = 0, to = sizes.length): number {
  let product = 1;
  for (let i = from; i < to; i += 1) {
    product *= sizes[i] ?? 1;
  }
  return product;
}

/** How far apart neighbours along each dimension lie in a row-major array, in elements. */
export function stridesOf(shape: readonly number[]): number[] {
  const strides = new Array<number>(shape.length).fill(1);
  for (let i = shape.length - 2; i >= 0; i -= 1) {
    strides[i] = (strides[i + 1] ?? 1) * (shape[i + 1] ?? 1);
  }
  return strides;
}

export function sameShape(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((size, i) => size === b[i]);
}

/**
 * An axis counted from the front.
 * @param message what to say of an axis that the rank does not have.
 * @throws TensorFlowError INVALID_ARGUMENT
 */
export function axisOf(axis: number, rank: number, message?: string): number {
  if (axis < -rank || axis >= rank) {
    throw invalidArgument(message ?? `Expected axis in the range [${-rank}, ${rank}), but got ${axis}`);
  }
  return axis < 0 ? axis + rank : axis;
}

/** The shape that numpy's rules give two operands; undefined where they do not fit. */
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
 * The shape that numpy's rules give two operands.
 * @throws TensorFlowError INVALID_ARGUMENT "Incompatible shapes: [2] vs. [3]"
 */
export function broadcastShape(a: readonly number[], b: readonly number[]): number[] {
  const shape = tryBroadcast(a, b);
  if (shape === undefined) {
    throw invalidArgument(`Incompatible shapes: ${cppShapeText(a)} vs. ${cppShapeText(b)}`);
  }
  return shape;
}

/** Strides of an operand of `shape` seen in the broadcast shape `target`: 0 along dimensions that are repeated. */
export function broadcastStrides(shape: readonly number[], target: readonly number[]): number[] {
  const own = stridesOf(shape);
  const missing = target.length - shape.length;
  return target.map((_, i) => (i < missing || shape[i - missing] === 1 ? 0 : (own[i - missing] ?? 0)));
}
