/** How many elements datasets have, as far as their ops can tell without making them: TensorFlow's rules. */
import { RefValue } from "../../values.js";
import type { OpContext } from "../kernel.js";
import type { KernelNode } from "../kernel-node.js";
import { integersOf } from "../support/elements.js";
import { tensorAt } from "../support/tensor-inputs.js";

const INFINITE = -1;
const UNKNOWN = -2;

/** What a rule goes by. */
interface Made {
  readonly node: KernelNode;
  /** The cardinality of each input that is a dataset. */
  readonly inputs: readonly number[];
  /** The number that is input `index`, of the last ones where it is below 0. */
  number(index: number): number;
  /** The size of the first dimension of input 0. */
  readonly rows: number;
}

type Rule = (made: Made) => number;

const same: Rule = ({ inputs: [count = UNKNOWN] }) => count;

/** What functions make of elements: the op says whether it is one for one. */
const mapped: Rule = (made) => (made.node.bool("preserve_cardinality") ? same(made) : UNKNOWN);

/** Datasets that a function makes: nobody knows how many elements they have, but without end stays without end. */
const endlessOrUnknown: Rule = ({ inputs }) => (inputs.includes(INFINITE) ? INFINITE : UNKNOWN);

function batches(count: number, size: number, dropsRemainder: boolean): number {
  return count < 0 ? count : dropsRemainder ? Math.floor(count / size) : Math.ceil(count / size);
}

/** Batches whose size is input 1. @param drops the input that says whether the remainder is dropped; undefined for never. */
function batched(drops?: number): Rule {
  return (made) => batches(same(made), made.number(1), drops !== undefined && made.number(drops) !== 0);
}

const repeated: Rule = (made) => {
  const [count, times] = [same(made), made.number(1)];
  if (times < 0) {
    return count === 0 ? 0 : INFINITE;
  }
  return times === 0 ? 0 : count < 0 ? count : count * times;
};

const shuffledAndRepeated: Rule = (made) => {
  const [count, times] = [same(made), made.number(4)];
  return times < 0 ? INFINITE : count < 0 ? count : count * times;
};

const taken: Rule = (made) => {
  const [count, most] = [same(made), made.number(1)];
  return count === UNKNOWN || most < 0 ? count : count === INFINITE ? most : Math.min(count, most);
};

const skipped: Rule = (made) => {
  const [count, left] = [same(made), made.number(1)];
  return count < 0 ? count : left < 0 ? 0 : Math.max(0, count - left);
};

const sharded: Rule = (made) => {
  const [count, shards, index] = [same(made), made.number(1), made.number(2)];
  return count < 0 ? count : Math.floor(count / shards) + (index < count % shards ? 1 : 0);
};

const concatenated: Rule = ({ inputs }) =>
  inputs.includes(INFINITE)
    ? INFINITE
    : inputs.includes(UNKNOWN)
      ? UNKNOWN
      : inputs.reduce((sum, count) => sum + count, 0);

const zipped: Rule = ({ inputs }) => {
  const finite = inputs.filter((count) => count !== INFINITE);
  return inputs.includes(UNKNOWN) ? UNKNOWN : finite.length === 0 ? INFINITE : Math.min(...finite);
};

const windows: Rule = (made) => {
  const [count, size, shift, stride] = [same(made), made.number(1), made.number(2), made.number(3)];
  const span = (size - 1) * stride + 1;
  if (count < 0) {
    return count;
  }
  if (made.number(4) === 0) {
    return Math.ceil(count / shift);
  }
  return count < span ? 0 : Math.floor((count - span) / shift) + 1;
};

/** A range up to the largest int64, which numbers the elements of another dataset, counts as one without end. */
const range: Rule = ({ number }) =>
  number(1) >= 2 ** 63 ? INFINITE : Math.max(0, Math.ceil((number(1) - number(0)) / number(2)));

/** Ops whose dataset is their input's as it is: they say how it is to be made, which changes no element. */
export const unchangedDatasets = [
  "PrefetchDataset",
  "OptionsDataset",
  "FinalizeDataset",
  "ModelDataset",
  "OptimizeDataset",
  "RewriteDataset",
  "MaxIntraOpParallelismDataset",
  "PrivateThreadPoolDataset",
] as const;

/** An op that is not here makes a dataset of which nobody knows how many elements it has. */
const rules: Readonly<Record<string, Rule>> = {
  TensorDataset: () => 1,
  TensorSliceDataset: ({ rows }) => rows,
  SparseTensorSliceDataset: ({ number }) => number(2),
  RangeDataset: range,
  RandomDataset: () => INFINITE,
  ListDataset: ({ node }) => node.types("Tinput_types").length / node.types("output_types").length,
  ...Object.fromEntries(
    [
      ...unchangedDatasets,
      "CacheDataset",
      "CacheDatasetV2",
      "ShuffleDataset",
      "ShuffleDatasetV3",
      "ParseExampleDatasetV2",
    ].map((op) => [op, same]),
  ),
  MapDataset: mapped,
  ParallelMapDataset: mapped,
  ParallelMapDatasetV2: mapped,
  ScanDataset: mapped,
  // After what the function captured: the size of a batch, the parallel calls, whether the remainder is dropped.
  MapAndBatchDataset: (made) => batches(mapped(made), made.number(-3), made.number(-1) !== 0),
  BatchDataset: batched(),
  BatchDatasetV2: batched(2),
  ParallelBatchDataset: batched(3),
  PaddedBatchDatasetV2: batched(-1),
  DenseToSparseBatchDataset: batched(),
  WindowDataset: windows,
  GroupByWindowDataset: endlessOrUnknown,
  ParallelInterleaveDatasetV4: endlessOrUnknown,
  DirectedInterleaveDataset: (made) => endlessOrUnknown({ ...made, inputs: made.inputs.slice(1) }),
  RepeatDataset: repeated,
  ShuffleAndRepeatDataset: shuffledAndRepeated,
  TakeDataset: taken,
  SkipDataset: skipped,
  ShardDataset: sharded,
  ConcatenateDataset: concatenated,
  ZipDataset: zipped,
  AssertCardinalityDataset: ({ number }) => number(1),
};

/**
 * How many elements the dataset that a node makes has: -1 for one without end, -2 where it cannot be told.
 * @param inputs the cardinality of each input that is a dataset.
 */
export function cardinalityOf(node: KernelNode, context: OpContext, inputs: readonly number[]): number {
  const [first] = context.inputs;
  return (
    rules[node.op]?.({
      node,
      inputs,
      rows: first === undefined || first instanceof RefValue ? 0 : (first.shape[0] ?? 0),
      number: (index) => {
        const place = index < 0 ? context.inputs.length + index : index;
        return integersOf(tensorAt(context.inputs, place))[0] ?? 0;
      },
    }) ?? UNKNOWN
  );
}
