/** Rows of tensors: some of them, in their own order or shuffled, and tensors made of rows. */
import { shapeText } from "../protocol/shape.js";
import { invalidArgument } from "../protocol/status.js";
import { Tensor } from "../protocol/tensor.js";
import { arrayConstructor, isByteList } from "../protocol/tensor-data.js";

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
  const random = randomNumbers(seed, epoch);
  const rows = Uint32Array.from({ length: count }, (_, row) => row);
  for (let last = count - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    const kept = rows[last] ?? 0;
    rows[last] = rows[other] ?? 0;
    rows[other] = kept;
  }
  return rows;
}

/**
 * Numbers from 0 to below 1, always alike for a seed and an epoch (mulberry32, Tommy Ettinger's generator, in the public
 * domain).
 */
export function randomNumbers(seed: number, epoch: number): () => number {
  let state = (seed ^ Math.imul(epoch + 1, 0x9e3779b9)) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Tensors of one dtype and shape as one, whose first dimension counts them.
 * @param name names them in errors
 * @throws TensorFlowError INVALID_ARGUMENT if they differ, or there are none
 */
export function stacked(rows: readonly Tensor[], name: string): Tensor {
  const [first] = rows;
  if (!first) throw invalidArgument(`There are no rows of "${name}" to make a batch of.`);
  const shape = [rows.length, ...first.shape];
  for (const [index, row] of rows.entries()) {
    if (row.dtype === first.dtype && row.shape.join() === first.shape.join()) continue;
    throw invalidArgument(
      `The rows of a batch must be alike, but "${name}" is ${first.dtype} ${shapeText(first.shape)} in its first row ` +
        `and ${row.dtype} ${shapeText(row.shape)} in row ${index + 1}.`,
    );
  }
  if (isByteList(first.data)) {
    return new Tensor(
      first.dtype,
      shape,
      rows.flatMap(({ data }) => (isByteList(data) ? [...data] : [])),
    );
  }
  // All kinds of arrays are copied in the same way; the cast only gives them one type.
  const source = first.data as Float64Array;
  const data = new (arrayConstructor(first.dtype) ?? Float64Array)(
    source.length * rows.length,
  ) as Float64Array;
  for (const [index, row] of rows.entries()) data.set(row.data as Float64Array, index * source.length);
  return new Tensor(first.dtype, shape, data);
}

/** Every `count`th row of a tensor, from row `index` on: what one of `count` tasks takes of it. */
export function shardOf(tensor: Tensor, count: number, index: number): Tensor {
  const [rows = 0] = tensor.shape;
  const own = Uint32Array.from(
    { length: Math.max(0, Math.ceil((rows - index) / count)) },
    (_, i) => index + i * count,
  );
  return rowsAt(tensor, 0, own.length, own);
}
