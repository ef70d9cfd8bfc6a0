import { type DType, itemSize } from "../../../../protocol/dtype.js";
import { isByteList, type TensorData } from "../../../../protocol/tensor-data.js";

/**
 * Elements to be moved, whatever their dtype: their bits as words of one to four bytes (several per element if it is
 * larger), or strings. Code that moves data need not know dtypes, and its loops see few kinds of arrays.
 */
export interface Words {
  readonly data: Uint8Array | Uint16Array | Uint32Array | Uint8Array[];
  /** Words per element. */
  readonly perElement: number;
}

/** The elements of a tensor's data as words; a view, not a copy. Only write to those of a tensor under construction. */
export function wordsOf(dtype: DType, data: TensorData): Words {
  if (isByteList(data)) {
    return { data: data as Uint8Array[], perElement: 1 };
  }
  const { buffer, byteOffset, byteLength } = data;
  const size = itemSize(dtype);
  switch (size) {
    case 1:
      return { data: new Uint8Array(buffer, byteOffset, byteLength), perElement: 1 };
    case 2:
      return { data: new Uint16Array(buffer, byteOffset, byteLength / 2), perElement: 1 };
    default:
      return { data: new Uint32Array(buffer, byteOffset, byteLength / 4), perElement: size / 4 };
  }
}

/** A walk through an array: element (i, j, …) lies at offset + i * strides[0] + j * strides[1] + … */
export interface Walk {
  readonly offset: number;
  /** In elements; 0 repeats, negative strides go backwards. */
  readonly strides: readonly number[];
}

interface Axis {
  size: number;
  fromStride: number;
  toStride: number;
}

/** Runs of at least this many words are copied by V8's own memory copy. */
const BULK_WORDS = 24;

/** The axes, with adjacent axes merged where they can be walked as one. */
function mergedAxes(shape: readonly number[], to: Walk, from: Walk, words: number): Axis[] {
  const axes: Axis[] = [];
  const add = (axis: Axis) => {
    const outer = axes.at(-1);
    if (
      outer !== undefined &&
      outer.fromStride === axis.fromStride * axis.size &&
      outer.toStride === axis.toStride * axis.size
    ) {
      outer.size *= axis.size;
      outer.fromStride = axis.fromStride;
      outer.toStride = axis.toStride;
    } else if (axis.size !== 1) {
      axes.push(axis);
    }
  };
  for (const [i, size] of shape.entries()) {
    add({ size, fromStride: (from.strides[i] ?? 0) * words, toStride: (to.strides[i] ?? 0) * words });
  }
  add({ size: words, fromStride: 1, toStride: 1 });
  return axes;
}

// A special case for the most common kind of array, so that the loop is compiled for it alone.
function copyRun32(
  to: Uint32Array,
  t: number,
  toStride: number,
  from: Uint32Array,
  f: number,
  fromStride: number,
  n: number,
): void {
  for (let i = 0; i < n; i += 1) {
    to[t + i * toStride] = from[f + i * fromStride] as number;
  }
}

function copyRun(
  to: Words["data"],
  t: number,
  toStride: number,
  from: Words["data"],
  f: number,
  fromStride: number,
  n: number,
): void {
  if (to instanceof Uint32Array && from instanceof Uint32Array) {
    if (n >= BULK_WORDS && toStride === 1 && fromStride === 1) {
      to.set(from.subarray(f, f + n), t);
    } else {
      copyRun32(to, t, toStride, from, f, fromStride, n);
    }
    return;
  }
  // Both sides hold elements of one dtype, so they are the same kind of array.
  const target = to as Uint8Array;
  const source = from as Uint8Array;
  if (n >= BULK_WORDS && toStride === 1 && fromStride === 1 && !Array.isArray(to)) {
    target.set(source.subarray(f, f + n), t);
    return;
  }
  for (let i = 0; i < n; i += 1) {
    target[t + i * toStride] = source[f + i * fromStride] as number;
  }
}

/**
 * Copies a block of elements of `shape` from one array to another, each along its own walk: the core of slices,
 * transposes, joins, repeats and paddings. Both arrays hold elements of the same dtype.
 */
export function copyStrided(
  shape: readonly number[],
  to: Words,
  toWalk: Walk,
  from: Words,
  fromWalk: Walk,
): void {
  if (shape.includes(0)) {
    return;
  }
  const words = to.perElement;
  const axes = mergedAxes(shape, toWalk, fromWalk, words);
  const inner = axes.pop() ?? { size: 1, fromStride: 1, toStride: 1 };
  const index = new Int32Array(axes.length);
  let f = fromWalk.offset * words;
  let t = toWalk.offset * words;
  for (;;) {
    copyRun(to.data, t, inner.toStride, from.data, f, inner.fromStride, inner.size);
    let depth = axes.length - 1;
    for (; depth >= 0; depth -= 1) {
      const axis = axes[depth] as Axis;
      const next = (index[depth] ?? 0) + 1;
      f += axis.fromStride;
      t += axis.toStride;
      if (next < axis.size) {
        index[depth] = next;
        break;
      }
      index[depth] = 0;
      f -= axis.fromStride * axis.size;
      t -= axis.toStride * axis.size;
    }
    if (depth < 0) {
      return;
    }
  }
}

/** Copies `count` adjacent elements from element `f` of one array to element `t` of another. */
export function copyElements(to: Words, t: number, from: Words, f: number, count: number): void {
  const words = to.perElement;
  copyRun(to.data, t * words, 1, from.data, f * words, 1, count * words);
}
