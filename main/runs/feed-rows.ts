/** Rows of tensors, in their own order or shuffled. */
import { Tensor } from "../../worker-runtime/protocol/tensor.js";
import { isByteList } from "../../worker-runtime/protocol/tensor-data.js";

/**
 * Rows `from` up to, not including, `to` of a tensor, or of its rows in another order. Without an order, numbers are not
 * copied.
 */
export function rowsAt(tensor: Tensor, from: number, to: number, order?: Uint32Array): Tensor {
  const [rows = 1, ...rest] = tensor.shape;
  const { data, dtype } = tensor;
  const width = rows === 0 ? 0 : data.length / rows;
  const shape = [to - from, ...rest];
  if (isByteList(data)) {
    const elements: Uint8Array[] = [];
    for (let row = from; row < to; row++) {
      const start = (order?.[row] ?? row) * width;
      for (let i = 0; i < width; i++) elements.push(data[start + i] ?? new Uint8Array(0));
    }
    return new Tensor(dtype, shape, elements);
  }
  if (order === undefined) return new Tensor(dtype, shape, data.subarray(from * width, to * width));
  // All kinds of arrays are copied in the same way; the cast only gives them one type.
  const source = data as Float64Array;
  const target = source.slice(0, (to - from) * width);
  for (let row = from; row < to; row++) {
    const start = (order[row] ?? row) * width;
    target.set(source.subarray(start, start + width), (row - from) * width);
  }
  return new Tensor(dtype, shape, target);
}

/** The numbers below `count` in an order that depends only on the seed and the epoch (Fisher and Yates). */
export function shuffledRows(count: number, seed: number, epoch: number): Uint32Array {
  const random = mulberry32((seed ^ Math.imul(epoch + 1, 0x9e3779b9)) >>> 0);
  const rows = Uint32Array.from({ length: count }, (_, row) => row);
  for (let last = count - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    const kept = rows[last] ?? 0;
    rows[last] = rows[other] ?? 0;
    rows[other] = kept;
  }
  return rows;
}

/** Numbers from 0 to below 1, always alike for a seed (Tommy Ettinger's generator, in the public domain). */
function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
