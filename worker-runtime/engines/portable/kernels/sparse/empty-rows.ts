import { invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import { entriesPerElement } from "../../../../protocol/tensor-data.js";
import type { KernelDefinition } from "../kernel.js";
import { accumulator } from "../support/accumulate.js";
import { allocate } from "../support/allocation.js";
import { perInput, pureKernel, withSmallFloats } from "../support/define.js";
import { dataTypes, numberTypes } from "../support/dtypes.js";
import { indicesOf, inputAt, newLongs, newNumbers } from "../support/elements.js";
import { cppShapeText } from "../support/shapes.js";
import { copyElements, wordsOf } from "../support/strided-copy.js";
import { sparseAt } from "./sparse-tensor.js";

/** Inserts a default value at the beginning of every empty row; the elements are ordered by their rows. */
function fillEmptyRows(inputs: readonly Tensor[]): readonly Tensor[] {
  const sparse = sparseAt(inputs, 0);
  const fallback = inputAt(inputs, 3);
  if (fallback.shape.length !== 0) {
    throw invalidArgument(`default_value must be a scalar, saw: ${cppShapeText(fallback.shape)}`);
  }
  const { rank, count, indices } = sparse;
  if (rank === 0) {
    throw invalidArgument("Dense shape cannot be empty.");
  }
  const rows = sparse.shape[0] ?? 0;
  if (rows === 0 && count > 0) {
    throw invalidArgument(`Received SparseTensor with dense_shape[0] = 0 but indices.shape[0] = ${count}`);
  }
  const isEmpty = newNumbers("bool", [rows]).fill(1);
  for (let i = 0; i < count; i += 1) {
    const row = indices[i * rank] ?? 0;
    if (row < 0 || row >= rows) {
      throw invalidArgument(`indices(${i}, 0) is invalid: ${row} >= ${rows}`);
    }
    isEmpty[row] = 0;
  }
  // The index in the output at which the elements of each row begin.
  const next = new Float64Array(rows + 1);
  for (let row = 0; row < rows; row += 1) {
    next[row + 1] = isEmpty[row] ?? 0;
  }
  for (let i = 0; i < count; i += 1) {
    const row = indices[i * rank] ?? 0;
    next[row + 1] = (next[row + 1] ?? 0) + 1;
  }
  for (let row = 0; row < rows; row += 1) {
    next[row + 1] = (next[row + 1] ?? 0) + (next[row] ?? 0);
  }
  const total = next[rows] ?? 0;
  const indexes = newLongs("int64", [total, rank]);
  const data = allocate(sparse.values.dtype, [total]);
  const reverse = newLongs("int64", [count]);
  const { dtype } = sparse.values;
  const [to, from, filler] = [
    wordsOf(dtype, data),
    wordsOf(dtype, sparse.values.data),
    wordsOf(dtype, fallback.data),
  ];
  for (let row = 0; row < rows; row += 1) {
    if (isEmpty[row] === 1) {
      const at = next[row] ?? 0;
      indexes[at * rank] = BigInt(row);
      copyElements(to, at, filler, 0, 1);
    }
  }
  for (let i = 0; i < count; i += 1) {
    const row = indices[i * rank] ?? 0;
    const at = next[row] ?? 0;
    next[row] = at + 1;
    reverse[i] = BigInt(at);
    for (let d = 0; d < rank; d += 1) {
      indexes[at * rank + d] = BigInt(indices[i * rank + d] ?? 0);
    }
    copyElements(to, at, from, i, 1);
  }
  return [
    new Tensor("int64", [total, rank], indexes),
    new Tensor(dtype, [total], data),
    new Tensor("bool", [rows], isEmpty),
    new Tensor("int64", [count], reverse),
  ];
}

/** The gradients of the values and of the default value, which receives all gradients that belong to no value. */
function fillEmptyRowsGradient(inputs: readonly Tensor[]): readonly Tensor[] {
  const [reverse, gradients] = [inputAt(inputs, 0), inputAt(inputs, 1)];
  if (reverse.shape.length !== 1) {
    throw invalidArgument(`reverse_index_map must be a vector, saw: ${cppShapeText(reverse.shape)}`);
  }
  if (gradients.shape.length !== 1) {
    throw invalidArgument(`grad_values must be a vector, saw: ${cppShapeText(gradients.shape)}`);
  }
  const { dtype, size } = gradients;
  const indexes = indicesOf(reverse);
  const values = allocate(dtype, [indexes.length]);
  const [to, from] = [wordsOf(dtype, values), wordsOf(dtype, gradients.data)];
  const isTaken = new Uint8Array(size);
  for (let i = 0; i < indexes.length; i += 1) {
    const index = indexes[i] ?? 0;
    if (!(index >= 0 && index < size)) {
      throw invalidArgument(`Elements in reverse index must be in [0, ${size}) but got ${index}`);
    }
    copyElements(to, i, from, index, 1);
    isTaken[index] = 1;
  }
  const rest = allocate(dtype, []);
  const apply = accumulator("add", dtype, rest, gradients.data);
  const width = entriesPerElement(dtype);
  for (let i = 0; i < size; i += 1) {
    if (isTaken[i] === 0) {
      apply(0, i * width, width);
    }
  }
  return [new Tensor(dtype, [indexes.length], values), new Tensor(dtype, [], rest)];
}

/** Ops that fill the empty rows of sparse tensors. */
export const emptyRowKernels: readonly KernelDefinition[] = [
  pureKernel("SparseFillEmptyRows", () => fillEmptyRows, {
    types: { T: dataTypes },
    cost: (_, inputs) => 300 * (inputAt(inputs, 0).size + Number(inputAt(inputs, 2).data[0] ?? 0)),
  }),
  pureKernel("SparseFillEmptyRowsGrad", () => withSmallFloats(fillEmptyRowsGradient), {
    types: { T: numberTypes },
    cost: perInput(70),
  }),
];
