import { invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import { isByteList } from "../../../../protocol/tensor-data.js";
import type { KernelDefinition } from "../kernel.js";
import type { KernelNode } from "../kernel-node.js";
import { type Compute, pureKernel } from "../support/define.js";
import { indexTypes, isLong } from "../support/dtypes.js";
import { indicesOf, inputAt } from "../support/elements.js";
import { cppShapeText, sameShape } from "../support/shapes.js";
import { checkBounds, sparseAt } from "./sparse-tensor.js";

const NANOSECONDS_PER_VALUE = 1500;

interface Counting {
  /** Values from this one on are not counted; undefined for no limit. */
  readonly limit: number | undefined;
  /** The minimum number of columns of the result. */
  readonly minColumns: number;
  /** Whether the result is 1 for each existing value, however often it occurs. */
  readonly isBinary: boolean;
}

function countingOf(node: KernelNode): Counting {
  const [least, most] = [node.int("minlength"), node.int("maxlength")];
  return { limit: most < 0 ? undefined : most, minColumns: least, isBinary: node.bool("binary_output") };
}

/** A value of a batch and its weight. */
interface Counted {
  readonly batch: number;
  readonly value: number;
  /** The index of its weight. */
  readonly at: number;
}

/** Counts each value in each batch, or sums its weights; returns the parts of a sparse tensor. */
function countBatches(
  counted: Iterable<Counted>,
  batches: number | undefined,
  weights: Tensor,
  { limit, minColumns, isBinary }: Counting,
): readonly Tensor[] {
  const one = isLong(weights.dtype) ? 1n : 1;
  const given = weights.data;
  if (isByteList(given)) {
    throw invalidArgument("Weights must be numbers.");
  }
  // Only holds batches that have values: a shape may declare more batches than memory can hold.
  const counts = new Map<number, Map<number, number | bigint>>();
  let largest = 0;
  for (const { batch, value, at } of counted) {
    if (value < 0) {
      throw invalidArgument("Input values must all be non-negative");
    }
    const own = counts.get(batch) ?? new Map<number, number | bigint>();
    counts.set(batch, own);
    if (limit === undefined || value < limit) {
      const weight = isBinary || given.length === 0 ? one : (given[at] ?? one);
      own.set(value, isBinary ? one : plus(own.get(value), weight));
      largest = Math.max(largest, value);
    }
  }
  const columns = limit ?? Math.max(largest + 1, minColumns);
  const total = [...counts.values()].reduce((sum, { size }) => sum + size, 0);
  const rank = batches === undefined ? 1 : 2;
  const indexes = new BigInt64Array(total * rank);
  const sums: (number | bigint)[] = [];
  let next = 0;
  for (const [batch, own] of [...counts].sort(([a], [b]) => a - b)) {
    for (const value of [...own.keys()].sort((a, b) => a - b)) {
      if (rank === 2) {
        indexes[next * rank] = BigInt(batch);
      }
      indexes[next * rank + rank - 1] = BigInt(value);
      sums.push(own.get(value) ?? one);
      next += 1;
    }
  }
  const shape = batches === undefined ? [columns] : [batches, columns];
  return [
    new Tensor("int64", [total, rank], indexes),
    Tensor.of(sums, weights.dtype, [total]),
    new Tensor("int64", [rank], BigInt64Array.from(shape, BigInt)),
  ];
}

/** The sum of a weight and the sum so far, both numbers or both bigints. */
function plus(found: number | bigint | undefined, weight: number | bigint): number | bigint {
  return typeof weight === "bigint" ? ((found ?? 0n) as bigint) + weight : ((found ?? 0) as number) + weight;
}

function countDense(counting: Counting): Compute {
  return (inputs) => {
    const [values, weights] = [inputAt(inputs, 0), inputAt(inputs, 1)];
    if (values.shape.length < 1 || values.shape.length > 2) {
      throw invalidArgument(`Input must be a 1 or 2-dimensional tensor. Got: ${cppShapeText(values.shape)}`);
    }
    if (weights.size > 0 && !sameShape(weights.shape, values.shape)) {
      throw invalidArgument(
        `Weights and values must have the same shape. Weight shape: ${cppShapeText(weights.shape)}; values shape: ` +
          cppShapeText(values.shape),
      );
    }
    const list = indicesOf(values);
    const batches = values.shape.length === 2 ? values.shape[0] : undefined;
    const width = batches === undefined ? list.length : (values.shape[1] ?? 0);
    function* counted(): Generator<Counted> {
      for (let at = 0; at < list.length; at += 1) {
        yield { batch: Math.floor(at / width), value: list[at] ?? 0, at };
      }
    }
    return countBatches(counted(), batches, weights, counting);
  };
}

function countSparse(counting: Counting): Compute {
  return (inputs) => {
    const sparse = sparseAt(inputs, 0);
    const { indices, values, shape, rank, count } = sparse;
    const weights = inputAt(inputs, 3);
    if (rank === 0) {
      throw invalidArgument("Input must have at least one dimension.");
    }
    checkBounds(sparse);
    // The elements of all further dimensions are counted together.
    const batches = rank > 1 ? shape[0] : undefined;
    if (batches === 0) {
      throw invalidArgument("Cannot allocate 0 batches, is the dense shape too wide?");
    }
    if (weights.size > 0 && !sameShape(weights.shape, values.shape)) {
      throw invalidArgument(
        `Weights and values must have the same shape. Weight shape: ${cppShapeText(weights.shape)}; values shape: ` +
          cppShapeText(values.shape),
      );
    }
    const list = indicesOf(values);
    function* counted(): Generator<Counted> {
      for (let at = 0; at < count; at += 1) {
        yield { batch: batches === undefined ? 0 : (indices[at * rank] ?? 0), value: list[at] ?? 0, at };
      }
    }
    return countBatches(counted(), batches, weights, counting);
  };
}

const types = { T: indexTypes, output_type: ["int32", "int64", "float32", "float64"] } as const;

/** Counts of integers as sparse tensors. */
export const countKernels: readonly KernelDefinition[] = [
  pureKernel("DenseCountSparseOutput", (node) => countDense(countingOf(node)), {
    types,
    cost: (_, inputs) => inputAt(inputs, 0).size * NANOSECONDS_PER_VALUE,
  }),
  pureKernel("SparseCountSparseOutput", (node) => countSparse(countingOf(node)), {
    types,
    cost: (_, inputs) => inputAt(inputs, 1).size * NANOSECONDS_PER_VALUE,
  }),
];
