import { Tensor } from "../../../../protocol/tensor.js";
import { isByteList } from "../../../../protocol/tensor-data.js";
import { isOfVariable } from "../../resources/reference-variable.js";
import { allocate } from "./allocation.js";
import { stridesOf } from "./shapes.js";
import { copyStrided, type Walk, wordsOf } from "./strided-copy.js";

/**
 * A new tensor whose element (i, j, …) is the element of `source` that lies at the walk's offset + i * strides[0] + …
 * @throws TensorFlowError RESOURCE_EXHAUSTED if the shape is too large.
 */
export function gatherStrided(source: Tensor, shape: readonly number[], walk: Walk): Tensor {
  const data = allocate(source.dtype, shape);
  copyStrided(
    shape,
    wordsOf(source.dtype, data),
    { offset: 0, strides: stridesOf(shape) },
    wordsOf(source.dtype, source.data),
    walk,
  );
  return new Tensor(source.dtype, shape, data);
}

/** TensorFlow's kernels work on memory aligned to multiples of this. */
const ALIGNMENT_BYTES = 64;

/**
 * Rows of a tensor that share the memory of a reference variable, as in TensorFlow if they are aligned.
 * @returns undefined if TensorFlow copies them, and for all other tensors, which never change.
 */
export function sharedRows(source: Tensor, first: number, end: number): Tensor | undefined {
  const { dtype, shape, data } = source;
  const rows = shape[0] ?? 0;
  if (rows === 0 || isByteList(data)) {
    return undefined;
  }
  const rowBytes = data.byteLength / rows;
  const isAligned = (first * rowBytes) % ALIGNMENT_BYTES === 0 && (end * rowBytes) % ALIGNMENT_BYTES === 0;
  if (rowBytes === 0 || !isAligned || !isOfVariable(source)) {
    return undefined;
  }
  const length = data.length / rows;
  return new Tensor(dtype, [end - first, ...shape.slice(1)], data.subarray(first * length, end * length));
}

/**
 * The tensor with its dimensions in another order; not copied if the order of elements stays the same.
 * @param permutation for each dimension of the result, the corresponding one of `source`.
 */
export function transposed(source: Tensor, permutation: readonly number[]): Tensor {
  const shape = permutation.map((axis) => source.shape[axis] ?? 1);
  const longer = permutation.filter((axis) => (source.shape[axis] ?? 1) !== 1);
  if (longer.every((axis, i) => i === 0 || axis > (longer[i - 1] ?? -1))) {
    return source.reshape(shape);
  }
  const strides = stridesOf(source.shape);
  return gatherStrided(source, shape, {
    offset: 0,
    strides: permutation.map((axis) => strides[axis] ?? 0),
  });
}
