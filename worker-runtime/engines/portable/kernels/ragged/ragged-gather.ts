import { invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import type { PureKernelDefinition } from "../kernel.js";
import type { KernelNode } from "../kernel-node.js";
import { allocate } from "../support/allocation.js";
import { type Compute, pureKernel } from "../support/define.js";
import { indexTypes, tensorTypes } from "../support/dtypes.js";
import { inputAt, integersOf, integerTensor } from "../support/elements.js";
import { cppShapeText, productOf } from "../support/shapes.js";
import { copyElements, wordsOf } from "../support/strided-copy.js";
import { looseSplitsOf, type RowSplits } from "./row-splits.js";

/** The splits of dimensions that are not ragged, from the second one on. */
function uniformSplits(shape: readonly number[]): number[][] {
  return shape.slice(1).map((size, i) => {
    const rows = productOf(shape, 0, i + 1);
    return Array.from({ length: rows + 1 }, (_, row) => row * size);
  });
}

/** Consecutive rows of values: from an index up to, not including, another one. */
type Ranges = readonly (readonly [first: number, end: number])[];

/** The splits of the concatenated rows, and the ranges of their values. */
function gatherRows(rows: Ranges, splits: RowSplits): { readonly splits: number[]; readonly values: Ranges } {
  const gathered = [0];
  for (const [first, end] of rows) {
    for (let row = first; row < end; row += 1) {
      gathered.push((gathered.at(-1) ?? 0) + (splits[row + 1] ?? 0) - (splits[row] ?? 0));
    }
  }
  return { splits: gathered, values: rows.map(([first, end]) => [splits[first] ?? 0, splits[end] ?? 0]) };
}

function gatherValues(values: Tensor, ranges: Ranges): Tensor {
  const rows = ranges.reduce((sum, [first, end]) => sum + end - first, 0);
  const shape = [rows, ...values.shape.slice(1)];
  const data = allocate(values.dtype, shape);
  const [to, from] = [wordsOf(values.dtype, data), wordsOf(values.dtype, values.data)];
  const inner = productOf(values.shape, 1);
  let at = 0;
  for (const [first, end] of ranges) {
    copyElements(to, at, from, first * inner, (end - first) * inner);
    at += (end - first) * inner;
  }
  return new Tensor(values.dtype, shape, data);
}

function create(node: KernelNode): Compute {
  const rank = node.int("PARAMS_RAGGED_RANK");
  const outRank = node.int("OUTPUT_RAGGED_RANK");
  const splitType = node.type("Tsplits");
  return (inputs) => {
    const [values, indices] = [inputAt(inputs, rank), inputAt(inputs, rank + 1)];
    if (values.shape.length === 0) {
      throw invalidArgument("params.rank must be nonzero");
    }
    const nested = Array.from({ length: rank }, (_, i) => {
      const rows = i + 1 === rank ? (values.shape[0] ?? 0) : inputAt(inputs, i + 1).size - 1;
      return looseSplitsOf(inputAt(inputs, i), rows);
    });
    const count = (nested[0]?.length ?? 1) - 1;
    let ranges: Ranges = integersOf(indices).map((index, i) => {
      if (index < 0 || index >= count) {
        const where = indices.shape.length === 1 ? `[${i}]` : cppShapeText([i]);
        throw invalidArgument(`indices${where} = ${index} is not in [0, ${count})`);
      }
      return [index, index + 1] as const;
    });
    const splits = uniformSplits(indices.shape);
    for (const [level, one] of nested.entries()) {
      const gathered = gatherRows(ranges, one);
      // A single row selected by a scalar has no dimension of its own.
      if (level > 0 || indices.shape.length > 0) {
        splits.push(gathered.splits);
      }
      ranges = gathered.values;
    }
    if (splits.length !== outRank) {
      throw invalidArgument(`OUTPUT_RAGGED_RANK must be ${splits.length}, not ${outRank}`);
    }
    return [
      ...splits.map((list) => integerTensor(splitType, [list.length], list)),
      gatherValues(values, ranges),
    ];
  };
}

/** An index of the splits, a requested row, and a value of the result. */
const NANOS_PER_SPLIT = 60;
const NANOS_PER_ROW = 500;
const NANOS_PER_VALUE = 5;
/** This many rows take long whatever they hold, so their values are not counted. */
const MANY_ROWS = 30_000;

function cost(node: KernelNode, inputs: readonly Tensor[]): number {
  const rank = node.int("PARAMS_RAGGED_RANK");
  const [values, indices] = [inputAt(inputs, rank), inputAt(inputs, rank + 1)];
  const splits = inputs.slice(0, rank);
  let count = 0;
  for (let i = 0; i < indices.size && indices.size <= MANY_ROWS; i += 1) {
    const first = Number(indices.data[i] ?? 0);
    const [from, to] = splits.reduce(
      ([start, end], { data }) => [Number(data[start] ?? 0), Number(data[end] ?? 0)] as const,
      [first, first + 1] as const,
    );
    count += Math.max(0, to - from);
  }
  return (
    splits.reduce((sum, { size }) => sum + size, 0) * NANOS_PER_SPLIT +
    indices.size * NANOS_PER_ROW +
    count * productOf(values.shape, 1) * NANOS_PER_VALUE
  );
}

/** Gathers rows of a ragged tensor by index. */
export const raggedGatherKernel: PureKernelDefinition = pureKernel("RaggedGather", create, {
  types: { Tvalues: tensorTypes, Tindices: indexTypes, Tsplits: indexTypes },
  cost,
});
