import type { DType } from "../../../../protocol/dtype.js";
import { invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import type { KernelDefinition } from "../kernel.js";
import { pureKernel } from "../support/define.js";
import { indexTypes, realTypes } from "../support/dtypes.js";
import { inputAt, integersOf, newNumbers, numbersOf } from "../support/elements.js";
import { numberArithmetic } from "../support/scalar-arithmetic.js";
import {
  axisOf,
  broadcastStrides,
  cppShapeText,
  sameShape,
  stridesOf,
  tryBroadcast,
} from "../support/shapes.js";
import {
  checkBounds,
  compareIndexes,
  indexOf,
  type SparseTensor,
  sparseAt,
  sparseOutputs,
} from "./sparse-tensor.js";

const types = ["float32", "float64", "int32", "int16", "int8", "uint8"] as const satisfies readonly DType[];
const floats = ["float32", "float64"] as const satisfies readonly DType[];
const perNonZero = (_: unknown, inputs: readonly Tensor[]) =>
  500 * inputs.reduce((sum, { size }) => sum + size, 0);

/** A sparse matrix times a dense one. */
function matMul(inputs: readonly Tensor[], adjointA: boolean, adjointB: boolean): Tensor {
  const a = sparseAt(inputs, 0);
  const b = inputAt(inputs, 3);
  if (b.shape.length !== 2) {
    throw invalidArgument("Tensor 'b' is not a matrix");
  }
  if (a.rank !== 2) {
    throw invalidArgument("Tensor 'a_shape' must have 2 elements");
  }
  const [outer, inner] = adjointA ? [1, 0] : [0, 1];
  const [bInner, bOuter] = adjointB ? [1, 0] : [0, 1];
  const [rows, width, columns] = [a.shape[outer] ?? 0, a.shape[inner] ?? 0, b.shape[bOuter] ?? 0];
  if (width !== b.shape[bInner]) {
    throw invalidArgument(
      `Cannot multiply A and B because inner dimension does not match: ${width} vs. ${b.shape[bInner]}.  Did you forget a transpose?  Dimensions of A: [${rows}, ${width}).  Dimensions of B: ${cppShapeText(b.shape)}`,
    );
  }
  const out = newNumbers(b.dtype, [rows, columns]);
  const [values, dense] = [numbersOf(a.values), numbersOf(b)];
  const [alongInner, alongOuter] = adjointB ? [1, width] : [columns, 1];
  for (let i = 0; i < a.count; i += 1) {
    const row = a.indices[2 * i + outer] ?? 0;
    const k = a.indices[2 * i + inner] ?? 0;
    if (k < 0 || k >= width) {
      throw invalidArgument(`k (${k}) from index[${i},${inner}] out of bounds (>=${width})`);
    }
    if (row < 0 || row >= rows) {
      throw invalidArgument(`m (${row}) from index[${i},${outer}] out of bounds (>=${rows})`);
    }
    const factor = values[i] ?? 0;
    for (let column = 0; column < columns; column += 1) {
      const product = factor * (dense[k * alongInner + column * alongOuter] ?? 0);
      out[row * columns + column] = (out[row * columns + column] ?? 0) + product;
    }
  }
  return new Tensor(b.dtype, [rows, columns], out);
}

/**
 * Walks through two sparse tensors in row-major order at once.
 * @param visit receives the element's number in each tensor, -1 if the tensor has none at an index.
 */
function merge(a: SparseTensor, b: SparseTensor, visit: (i: number, j: number) => void): void {
  let [i, j] = [0, 0];
  while (i < a.count || j < b.count) {
    const order = i === a.count ? 1 : j === b.count ? -1 : compareIndexes(a, i, b, j);
    visit(order <= 0 ? i : -1, order >= 0 ? j : -1);
    i += order <= 0 ? 1 : 0;
    j += order >= 0 ? 1 : 0;
  }
}

/** @throws TensorFlowError INVALID_ARGUMENT for operands of different shapes. */
function checkSameShape(a: SparseTensor, b: SparseTensor): void {
  if (!sameShape(a.shape, b.shape)) {
    throw invalidArgument(
      `Operands' shapes do not match: got ${cppShapeText(a.shape)} and ${cppShapeText(b.shape)}`,
    );
  }
}

/**
 * Combines the elements of two sparse tensors; missing elements are 0.
 * @param keep whether an index that both have is kept.
 */
function elementwise(
  a: SparseTensor,
  b: SparseTensor,
  combine: (x: number, y: number) => number,
  keep: (value: number) => boolean,
): readonly Tensor[] {
  checkSameShape(a, b);
  const [x, y] = [numbersOf(a.values), numbersOf(b.values)];
  const indexes: number[][] = [];
  const values: number[] = [];
  // Applies the dtype's own rounding, and wrapping of integers.
  const rounded = newNumbers(a.values.dtype, [1]);
  merge(a, b, (i, j) => {
    rounded[0] = combine(i < 0 ? 0 : (x[i] ?? 0), j < 0 ? 0 : (y[j] ?? 0));
    const value = rounded[0] ?? 0;
    if (i < 0 || j < 0 || keep(value)) {
      indexes.push(i < 0 ? indexOf(b, j) : indexOf(a, i));
      values.push(value);
    }
  });
  const data = newNumbers(a.values.dtype, [values.length]);
  data.set(values);
  return sparseOutputs(indexes, new Tensor(a.values.dtype, [values.length], data), a.shape);
}

function add(inputs: readonly Tensor[]): readonly Tensor[] {
  const threshold = inputAt(inputs, 6);
  if (threshold.shape.length !== 0) {
    throw invalidArgument(
      `The magnitude threshold must be a scalar: got shape ${cppShapeText(threshold.shape)}`,
    );
  }
  const least = numbersOf(threshold)[0] ?? 0;
  return elementwise(
    sparseAt(inputs, 0),
    sparseAt(inputs, 3),
    numberArithmetic.add,
    (value) => least <= Math.abs(value),
  );
}

/** Reductions along dimensions to a dense tensor. */
const reductions: Readonly<Record<string, (all: number, one: number) => number>> = {
  SparseReduceSum: numberArithmetic.add,
  SparseReduceMax: numberArithmetic.max,
};

/** Reduces elements along dimensions; 0 where there are none. */
function reduce(
  inputs: readonly Tensor[],
  keepDims: boolean,
  combine: (all: number, one: number) => number,
): Tensor {
  const sparse = sparseAt(inputs, 0);
  checkBounds(sparse);
  const { rank, shape, count, indices } = sparse;
  const given = integersOf(inputAt(inputs, 3)).map((axis) =>
    axisOf(axis, rank, `Invalid reduction dimension ${axis}, for input with ${rank} dimensions.`),
  );
  const reduced = new Set(given);
  const kept = shape.map((size, d) => (reduced.has(d) ? 1 : size));
  const strides = stridesOf(kept).map((stride, d) => (reduced.has(d) ? 0 : stride));
  const { dtype } = sparse.values;
  const out = newNumbers(dtype, kept);
  const isMet = newNumbers("bool", kept);
  const values = numbersOf(sparse.values);
  for (let i = 0; i < count; i += 1) {
    let at = 0;
    for (let d = 0; d < rank; d += 1) {
      at += (indices[i * rank + d] ?? 0) * (strides[d] ?? 0);
    }
    const value = values[i] ?? 0;
    out[at] = isMet[at] ? combine(out[at] ?? 0, value) : value;
    isMet[at] = 1;
  }
  return new Tensor(dtype, keepDims ? kept : kept.filter((_, d) => !reduced.has(d)), out);
}

/** Combines a sparse tensor with a dense one, which is broadcast to its shape, at the same indexes. */
function withDense(inputs: readonly Tensor[], combine: (x: number, y: number) => number): Tensor {
  const sparse = sparseAt(inputs, 0);
  const dense = inputAt(inputs, 3);
  const target = tryBroadcast(dense.shape, sparse.shape);
  if (target === undefined || !sameShape(target, sparse.shape)) {
    throw invalidArgument(
      `SparseDenseBinaryOpShared broadcasts dense to sparse only; got incompatible shapes: [${cppShapeText(sparse.shape)}] vs. [${cppShapeText(dense.shape)}]`,
    );
  }
  checkBounds(sparse);
  const strides = broadcastStrides(dense.shape, sparse.shape);
  const [x, y] = [numbersOf(sparse.values), numbersOf(dense)];
  const out = newNumbers(dense.dtype, [sparse.count]);
  for (let i = 0; i < sparse.count; i += 1) {
    let at = 0;
    for (let d = 0; d < sparse.rank; d += 1) {
      at += (sparse.indices[i * sparse.rank + d] ?? 0) * (strides[d] ?? 0);
    }
    out[i] = combine(x[i] ?? 0, y[at] ?? 0);
  }
  return new Tensor(dense.dtype, [sparse.count], out);
}

/** exp(x - max) / sum of exp(x - max) over the existing elements of each row of the last dimension. */
function softmax(inputs: readonly Tensor[]): Tensor {
  const sparse = sparseAt(inputs, 0);
  if (sparse.rank < 2) {
    throw invalidArgument(`Input should have rank >= 2, but got: ${sparse.rank}`);
  }
  checkBounds(sparse);
  const strides = [...stridesOf(sparse.shape.slice(0, -1)), 0];
  const values = numbersOf(sparse.values);
  const rows = Array.from({ length: sparse.count }, (_, i) =>
    indexOf(sparse, i).reduce((sum, at, d) => sum + at * (strides[d] ?? 0), 0),
  );
  const largest = new Map<number, number>();
  for (const [i, row] of rows.entries()) {
    largest.set(row, Math.max(largest.get(row) ?? Number.NEGATIVE_INFINITY, values[i] ?? 0));
  }
  const sums = new Map<number, number>();
  const out = newNumbers(sparse.values.dtype, [sparse.count]);
  for (const [i, row] of rows.entries()) {
    out[i] = Math.exp((values[i] ?? 0) - (largest.get(row) ?? 0));
    sums.set(row, (sums.get(row) ?? 0) + (out[i] ?? 0));
  }
  for (const [i, row] of rows.entries()) {
    out[i] = (out[i] ?? 0) / (sums.get(row) ?? 1);
  }
  return new Tensor(sparse.values.dtype, [sparse.count], out);
}

/** Arithmetic of sparse tensors with one another and with dense ones. */
export const sparseArithmeticKernels: readonly KernelDefinition[] = [
  pureKernel(
    "SparseTensorDenseMatMul",
    (node) => {
      const [adjointA, adjointB] = [node.bool("adjoint_a"), node.bool("adjoint_b")];
      return (inputs) => [matMul(inputs, adjointA, adjointB)];
    },
    {
      types: { T: ["float32", "float64", "int32"], Tindices: indexTypes },
      cost: (_, inputs) => 5 * inputAt(inputs, 1).size * Math.max(...inputAt(inputs, 3).shape, 1),
    },
  ),
  pureKernel("SparseAdd", () => add, { types: { T: types, Treal: realTypes }, cost: perNonZero }),
  ...Object.entries(reductions).map(([op, combine]) =>
    pureKernel(
      op,
      (node) => {
        const keepDims = node.bool("keep_dims");
        return (inputs) => [reduce(inputs, keepDims, combine)];
      },
      { types: { T: types }, cost: perNonZero },
    ),
  ),
  ...(["SparseSparseMaximum", "SparseSparseMinimum"] as const).map((op) => {
    const choose = op === "SparseSparseMaximum" ? Math.max : Math.min;
    return pureKernel(
      op,
      () => (inputs) => {
        const [a, b] = [sparseAt(inputs, 0), sparseAt(inputs, 3)];
        // SparseAdd does not check them.
        checkBounds(a);
        checkBounds(b);
        return elementwise(
          a,
          b,
          (x, y) => choose(x, y),
          () => true,
        ).slice(0, 2);
      },
      { types: { T: types }, cost: perNonZero },
    );
  }),
  pureKernel("SparseDenseCwiseMul", () => (inputs) => [withDense(inputs, numberArithmetic.mul)], {
    types: { T: types },
    cost: perNonZero,
  }),
  pureKernel("SparseDenseCwiseAdd", () => (inputs) => [withDense(inputs, numberArithmetic.add)], {
    types: { T: types },
    cost: perNonZero,
  }),
  pureKernel("SparseDenseCwiseDiv", () => (inputs) => [withDense(inputs, numberArithmetic.div)], {
    types: { T: floats },
    cost: perNonZero,
  }),
  pureKernel("SparseSoftmax", () => (inputs) => [softmax(inputs)], {
    types: { T: floats },
    cost: perNonZero,
  }),
];
