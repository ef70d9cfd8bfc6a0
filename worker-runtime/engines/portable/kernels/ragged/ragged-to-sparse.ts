import { invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import type { PureKernelDefinition } from "../kernel.js";
import type { KernelNode } from "../kernel-node.js";
import { type Compute, pureKernel } from "../support/define.js";
import { indexTypes, tensorTypes } from "../support/dtypes.js";
import { inputAt, integerTensor, newNumbers } from "../support/elements.js";
import { productOf, stridesOf } from "../support/shapes.js";
import { nestedSplitsOf, type RowSplits } from "./row-splits.js";

/** For each value, its row and its index in that row. */
function indexesOf(splits: RowSplits): { readonly rows: Int32Array; readonly columns: Int32Array } {
  const count = splits.at(-1) ?? 0;
  const rows = newNumbers("int32", [count]) as Int32Array;
  const columns = newNumbers("int32", [count]) as Int32Array;
  for (let row = 0; row + 1 < splits.length; row += 1) {
    const [first, end] = [splits[row] ?? 0, splits[row + 1] ?? 0];
    for (let i = first; i < end; i += 1) {
      rows[i] = row;
      columns[i] = i - first;
    }
  }
  return { rows, columns };
}

function create(node: KernelNode): Compute {
  const rank = node.int("RAGGED_RANK");
  return (inputs) => {
    const values = inputAt(inputs, rank);
    if (rank === 0) {
      throw invalidArgument("ragged_rank must be positive.");
    }
    if (values.shape.length === 0) {
      throw invalidArgument("rt_dense_values must have rank >= 1.");
    }
    const nested = nestedSplitsOf(inputs.slice(0, rank), values.shape[0] ?? 0);
    const indexes = nested.map(indexesOf);
    const inner = values.shape.slice(1);
    const strides = stridesOf(inner);
    const width = rank + 1 + inner.length;
    const count = values.size;
    const indices = newNumbers("float64", [count, width]);
    const perRow = productOf(inner);
    for (let i = 0; i < count; i += 1) {
      let index = Math.floor(i / perRow);
      for (let level = rank - 1; level >= 0; level -= 1) {
        indices[i * width + level + 1] = indexes[level]?.columns[index] ?? 0;
        index = indexes[level]?.rows[index] ?? 0;
      }
      indices[i * width] = index;
      for (const [axis, stride] of strides.entries()) {
        indices[i * width + rank + 1 + axis] = Math.floor((i % perRow) / stride) % (inner[axis] ?? 1);
      }
    }
    const longest = nested.map((splits) =>
      splits.reduce((most, split, i) => Math.max(most, i === 0 ? 0 : split - (splits[i - 1] ?? 0)), 0),
    );
    const shape = [(nested[0]?.length ?? 1) - 1, ...longest, ...inner];
    return [
      integerTensor("int64", [count, width], indices),
      new Tensor(values.dtype, [count], values.data),
      integerTensor("int64", [shape.length], shape),
    ];
  };
}

/** A value's indices are found level by level and converted to bigints. */
const NANOS_PER_INDEX = 120;
const NANOS_PER_SPLIT = 60;

function cost(node: KernelNode, inputs: readonly Tensor[]): number {
  const rank = node.int("RAGGED_RANK");
  const values = inputAt(inputs, rank);
  const splits = inputs.slice(0, rank).reduce((sum, { size }) => sum + size, 0);
  return values.size * (rank + values.shape.length) * NANOS_PER_INDEX + splits * NANOS_PER_SPLIT;
}

/** A ragged tensor as the indices and values of a sparse one. */
export const raggedToSparseKernel: PureKernelDefinition = pureKernel("RaggedTensorToSparse", create, {
  types: { T: tensorTypes, Tsplits: indexTypes },
  cost,
});
