import type { Feature, FeatureList } from "../../../../../protos/generated/tensorflow/feature.js";
import type { DType } from "../../../../protocol/dtype.js";
import { invalidArgument } from "../../../../protocol/status.js";
import type { Tensor } from "../../../../protocol/tensor.js";
import type { PartialShape } from "../kernel-node.js";
import { checkedSize } from "../support/allocation.js";
import { cppTypeName } from "../support/dtypes.js";
import { integerTensor } from "../support/elements.js";
import { productOf } from "../support/shapes.js";
import { type FeatureValues, tensorOfValues } from "./example-features.js";

/** One sequence of a batch: lists of features by name, with one feature per time step. */
export interface ParsedSequence {
  readonly lists: ReadonlyMap<string, FeatureList>;
  /** Its name in errors: "Name: a, ". */
  readonly name: string;
  readonly index: number;
}

const dtypeOfKind = { floatList: "float32", int64List: "int64", bytesList: "string" } as const;

/** @throws TensorFlowError INVALID_ARGUMENT for values of another dtype. */
function valuesOf({ kind }: Feature, key: string, dtype: DType, sequence: ParsedSequence): FeatureValues {
  if (kind === undefined) {
    return [];
  }
  if (dtypeOfKind[kind.$case] !== dtype) {
    throw invalidArgument(
      `${sequence.name}Feature list: ${key}, Index: ${sequence.index}.  Data types don't match. Expected type: ${cppTypeName(dtype)}`,
    );
  }
  return kind.value.value;
}

/** The values at each time step of each sequence; undefined for a sequence without the list. */
function timesOf(
  key: string,
  dtype: DType,
  sequences: readonly ParsedSequence[],
): (readonly FeatureValues[] | undefined)[] {
  return sequences.map((sequence) =>
    sequence.lists.get(key)?.feature.map((feature) => valuesOf(feature, key, dtype, sequence)),
  );
}

function longestOf(lists: readonly { readonly length: number }[]): number {
  return lists.reduce((most, { length }) => Math.max(most, length), 0);
}

function joinedValues(dtype: DType, times: readonly FeatureValues[]): Tensor {
  const count = times.reduce((sum, { length }) => sum + length, 0);
  return tensorOfValues(dtype, [count], times.flatMap((values) => [...values]) as FeatureValues);
}

/** A list with any number of values per time step, as a sparse tensor. @param batch false for a single sequence. */
export function parseSparseList(
  key: string,
  dtype: DType,
  sequences: readonly ParsedSequence[],
  batch: boolean,
): { readonly indices: Tensor; readonly values: Tensor; readonly shape: Tensor } {
  const rows = timesOf(key, dtype, sequences).map((times) => times ?? []);
  const indexes = rows.flatMap((times, row) =>
    times.flatMap((values, time) =>
      [...values.keys()].flatMap((index) => (batch ? [row, time, index] : [time, index])),
    ),
  );
  const width = batch ? 3 : 2;
  const inner = [longestOf(rows), longestOf(rows.flat())];
  return {
    indices: integerTensor("int64", [indexes.length / width, width], indexes),
    values: joinedValues(dtype, rows.flat()),
    shape: integerTensor("int64", [width], batch ? [rows.length, ...inner] : inner),
  };
}

/** A list with values of one shape at each time step. */
export interface DenseList {
  readonly key: string;
  readonly dtype: DType;
  readonly shape: PartialShape;
  /** Whether the list counts as empty in a sequence without it. */
  readonly mayMiss: boolean;
}

/**
 * A list as a tensor padded with zeros to the longest sequence, and the number of time steps of each sequence.
 * @throws TensorFlowError INVALID_ARGUMENT if a sequence lacks it or has another number of values.
 */
export function parseDenseList(
  { key, dtype, shape, mayMiss }: DenseList,
  sequences: readonly ParsedSequence[],
  batch: boolean,
): { readonly values: Tensor; readonly lengths: Tensor } {
  if (shape === undefined || shape.includes(-1)) {
    throw invalidArgument(`The shape of feature list ${key} is not fully defined.`);
  }
  const stride = productOf(shape);
  const rows = timesOf(key, dtype, sequences).map((times, row) => {
    if (times === undefined && !mayMiss) {
      throw invalidArgument(
        `${sequences[row]?.name ?? ""}Feature list '${key}' is required but could not be found.  Did you mean to ` +
          "include it in feature_list_dense_missing_assumed_empty or feature_list_dense_defaults?",
      );
    }
    const wrong = times?.find(({ length }) => length !== stride);
    if (wrong !== undefined) {
      throw invalidArgument(
        `Feature list '${key}' has an unexpected number of values.  Total values size: ${wrong.length} is not consistent with output shape: [?,${shape.join(",")}]`,
      );
    }
    return times ?? [];
  });
  const longest = longestOf(rows);
  const outputShape = [...(batch ? [rows.length] : []), longest, ...shape];
  checkedSize(dtype, outputShape);
  const zero = dtype === "string" ? new Uint8Array(0) : dtype === "int64" ? 0n : 0;
  const values = rows.flatMap((times) => [
    ...times.flatMap((one) => [...one]),
    ...new Array((longest - times.length) * stride).fill(zero),
  ]);
  const lengths = rows.map(({ length }) => length);
  return {
    values: tensorOfValues(dtype, outputShape, values as FeatureValues),
    lengths: integerTensor("int64", batch ? [lengths.length] : [], lengths),
  };
}

function splitsOf(dtype: DType, lengths: readonly number[]): Tensor {
  const splits = [0];
  for (const length of lengths) {
    splits.push((splits.at(-1) ?? 0) + length);
  }
  return integerTensor(dtype, [splits.length], splits);
}

/**
 * A list with any number of values per time step, as a ragged tensor of sequences, time steps and values.
 * @param batch false for a single sequence, which has no outer splits: a placeholder is returned for them.
 */
export function parseRaggedList(
  key: string,
  dtype: DType,
  splitType: DType,
  sequences: readonly ParsedSequence[],
  batch: boolean,
): { readonly values: Tensor; readonly outer: Tensor; readonly inner: Tensor } {
  const rows = timesOf(key, dtype, sequences).map((times) => times ?? []);
  const times = rows.flat();
  return {
    values: joinedValues(dtype, times),
    outer: batch
      ? splitsOf(
          splitType,
          rows.map(({ length }) => length),
        )
      : integerTensor(splitType, [], [0]),
    inner: splitsOf(
      splitType,
      times.map(({ length }) => length),
    ),
  };
}
