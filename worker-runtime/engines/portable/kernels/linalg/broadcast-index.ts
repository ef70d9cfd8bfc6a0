import { broadcastStrides, stridesOf } from "../support/shapes.js";

/** For each index in the row-major `target` shape, the index in the operand of `shape` that is broadcast to it. */
export function broadcastIndex(
  shape: readonly number[],
  target: readonly number[],
): (index: number) => number {
  const own = broadcastStrides(shape, target);
  const strides = stridesOf(target);
  return (index) =>
    target.reduce((sum, size, i) => sum + (Math.floor(index / (strides[i] ?? 1)) % size) * (own[i] ?? 0), 0);
}
