import type { DType } from "../../../../protocol/dtype.js";
import { invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import { allocate } from "../support/allocation.js";
import { indicesOf, inputAt, integersOf, integerTensor } from "../support/elements.js";
import { cppShapeText } from "../support/shapes.js";
import { copyElements, wordsOf } from "../support/strided-copy.js";

/** A tensor that stores only its non-zero elements. */
export interface SparseTensor {
  /** The indexes of the elements, one row of `rank` numbers each. */
  readonly indices: ArrayLike<number>;
  /** A vector with one value per element. */
  readonly values: Tensor;
  readonly shape: readonly number[];
  readonly rank: number;
  readonly count: number;
}

/** @throws TensorFlowError INVALID_ARGUMENT unless the parts are a matrix and two vectors of compatible shapes. */
export function sparseOf(indices: Tensor, values: Tensor, shape: Tensor): SparseTensor {
  if (indices.shape.length !== 2) {
    throw invalidArgument(
      `Input indices should be a matrix but received shape ${cppShapeText(indices.shape)}`,
    );
  }
  if (values.shape.length !== 1) {
    throw invalidArgument(`Input values should be a vector but received shape ${cppShapeText(values.shape)}`);
  }
  if (shape.shape.length !== 1) {
    throw invalidArgument(`Input shape should be a vector but received shape ${cppShapeText(shape.shape)}`);
  }
  const [count = 0, rank = 0] = indices.shape;
  if (values.size !== count) {
    throw invalidArgument(
      `Number of values must match first dimension of indices. Got ${values.size} values, indices shape: ${cppShapeText(indices.shape)}`,
    );
  }
  if (shape.size !== rank) {
    throw invalidArgument(
      `Number of dimensions must match second dimension of indices. Got ${shape.size} dimensions, indices shape: ${cppShapeText(indices.shape)}`,
    );
  }
  const sizes = integersOf(shape);
  if (sizes.some((size) => size < 0)) {
    throw invalidArgument(`Shape ${cppShapeText(sizes)} must have no negative sizes`);
  }
  return { indices: indicesOf(indices), values, shape: sizes, rank, count };
}

/** The sparse tensor whose parts are the inputs `first`, `first + 1` and `first + 2`. @throws as `sparseOf`. */
export function sparseAt(inputs: readonly Tensor[], first: number): SparseTensor {
  return sparseOf(inputAt(inputs, first), inputAt(inputs, first + 1), inputAt(inputs, first + 2));
}

/** The index of element `i` as a list. */
export function indexOf({ indices, rank }: SparseTensor, i: number): number[] {
  return Array.from({ length: rank }, (_, d) => indices[i * rank + d] ?? 0);
}

/** @throws TensorFlowError INVALID_ARGUMENT for an element outside of the shape. */
export function checkBounds(sparse: SparseTensor): void {
  const { indices, shape, rank, count } = sparse;
  for (let i = 0; i < count; i += 1) {
    for (let d = 0; d < rank; d += 1) {
      const at = indices[i * rank + d] ?? 0;
      if (at < 0 || at >= (shape[d] ?? 0)) {
        throw invalidArgument(
          `indices[${i}] = ${cppShapeText(indexOf(sparse, i))} is out of bounds: need 0 <= index < ${cppShapeText(shape)}`,
        );
      }
    }
  }
}

/** Negative if element `i` of `a` precedes element `j` of `b` in row-major order, 0 if their indexes are equal. */
export function compareIndexes(a: SparseTensor, i: number, b: SparseTensor, j: number): number {
  for (let d = 0; d < a.rank; d += 1) {
    const difference = (a.indices[i * a.rank + d] ?? 0) - (b.indices[j * b.rank + d] ?? 0);
    if (difference !== 0) {
      return difference;
    }
  }
  return 0;
}

/** The numbers of the elements in row-major order of their indexes; elements at one index keep their order. */
export function rowMajorOrder(sparse: SparseTensor): number[] {
  return Array.from({ length: sparse.count }, (_, i) => i).sort((i, j) =>
    compareIndexes(sparse, i, sparse, j),
  );
}

/** The elements `chosen` of a vector. */
export function pick(values: Tensor, chosen: readonly number[]): Tensor {
  const data = allocate(values.dtype, [chosen.length]);
  const [to, from] = [wordsOf(values.dtype, data), wordsOf(values.dtype, values.data)];
  for (const [i, at] of chosen.entries()) {
    copyElements(to, i, from, at, 1);
  }
  return new Tensor(values.dtype, [chosen.length], data);
}

/** Concatenates vectors of one dtype. */
export function joined(dtype: DType, parts: readonly Tensor[]): Tensor {
  const size = parts.reduce((sum, part) => sum + part.size, 0);
  const data = allocate(dtype, [size]);
  const to = wordsOf(dtype, data);
  let at = 0;
  for (const part of parts) {
    copyElements(to, at, wordsOf(dtype, part.data), 0, part.size);
    at += part.size;
  }
  return new Tensor(dtype, [size], data);
}

/** The three parts of a sparse tensor in the form of an op's outputs. */
export function sparseOutputs(
  indexes: readonly (readonly number[])[],
  values: Tensor,
  shape: readonly number[],
): [Tensor, Tensor, Tensor] {
  return [indexesTensor(indexes, shape.length), values, integerTensor("int64", [shape.length], shape)];
}

/** A matrix of int64 with one row for each index. */
export function indexesTensor(indexes: readonly (readonly number[])[], rank: number): Tensor {
  return integerTensor("int64", [indexes.length, rank], indexes.flat());
}
