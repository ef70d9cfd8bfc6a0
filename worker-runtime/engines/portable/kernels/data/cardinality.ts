/** The number of elements of datasets, as far as it is known without producing them: TensorFlow's rules. */
import { RefValue } from "../../values.js";
import type { OpContext } from "../kernel.js";
import type { KernelNode } from "../kernel-node.js";
import { integersOf } from "../support/elements.js";
import { tensorAt } from "../support/tensor-inputs.js";

const INFINITE = -1;
const UNKNOWN = -2;

/** The input of a rule. */
interface Made {
  readonly node: KernelNode;
  /** The cardinality of each dataset input. */
  readonly inputs: readonly number[];
  /** The number at input `index`; a negative index counts from the end. */
  number(index: number): number;
  /** The size of the first dimension of input 0. */
  readonly rows: number;
}

/** The number of elements of a dataset: -1 if infinite, -2 if unknown. */
export type CardinalityRule = (made: Made) => number;

const same: CardinalityRule = ({ inputs: [count = UNKNOWN] }) => count;

/** Mapped elements; the attribute tells whether there is one per input element. */
const mapped: CardinalityRule = (made) => (made.node.bool("preserve_cardinality") ? same(made) : UNKNOWN);

/** Datasets made by functions: the number of elements is unknown, but infinite if an input is. */
const endlessOrUnknown: CardinalityRule = ({ inputs }) => (inputs.includes(INFINITE) ? INFINITE : UNKNOWN);

function batches(count: number, size: number, dropsRemainder: boolean): number {
  return count < 0 ? count : dropsRemainder ? Math.floor(count / size) : Math.ceil(count / size);
}

/** Batches of the size at input 1. @param drops the input with drop_remainder; undefined if the remainder is kept. */
function batched(drops?: number): CardinalityRule {
  return (made) => batches(same(made), made.number(1), drops !== undefined && made.number(drops) !== 0);
}

const repeated: CardinalityRule = (made) => {
  const [count, times] = [same(made), made.number(1)];
  if (times < 0) {
    return count === 0 ? 0 : INFINITE;
  }
  return times === 0 ? 0 : count < 0 ? count : count * times;
};

const shuffledAndRepeated: CardinalityRule = (made) => {
  const [count, times] = [same(made), made.number(4)];
  return times < 0 ? INFINITE : count < 0 ? count : count * times;
};

const taken: CardinalityRule = (made) => {
  const [count, most] = [same(made), made.number(1)];
  return count === UNKNOWN || most < 0 ? count : count === INFINITE ? most : Math.min(count, most);
};

const skipped: CardinalityRule = (made) => {
  const [count, left] = [same(made), made.number(1)];
  return count < 0 ? count : left < 0 ? 0 : Math.max(0, count - left);
};

const sharded: CardinalityRule = (made) => {
  const [count, shards, index] = [same(made), made.number(1), made.number(2)];
  return count < 0 ? count : Math.floor(count / shards) + (index < count % shards ? 1 : 0);
};

const concatenated: CardinalityRule = ({ inputs }) =>
  inputs.includes(INFINITE)
    ? INFINITE
    : inputs.includes(UNKNOWN)
      ? UNKNOWN
      : inputs.reduce((sum, count) => sum + count, 0);

const zipped: CardinalityRule = ({ inputs }) => {
  const finite = inputs.filter((count) => count !== INFINITE);
  return inputs.includes(UNKNOWN) ? UNKNOWN : finite.length === 0 ? INFINITE : Math.min(...finite);
};

const windows: CardinalityRule = (made) => {
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

/** A range up to the largest int64, used to enumerate another dataset, counts as infinite. */
const range: CardinalityRule = ({ number }) =>
  number(1) >= 2 ** 63 ? INFINITE : Math.max(0, Math.ceil((number(1) - number(0)) / number(2)));

/** TensorFlow's rules; each op that creates a dataset names its rule. */
export const cardinality = {
  /** As many as the input. */
  same,
  mapped,
  /** The inputs after the captured ones: batch_size, num_parallel_calls, drop_remainder. */
  mappedBatches: ((made) => batches(mapped(made), made.number(-3), made.number(-1) !== 0)) as CardinalityRule,
  batched,
  windows,
  endlessOrUnknown,
  /** The same for the datasets that the first input, itself a dataset, selects from. */
  chosen: ((made) => endlessOrUnknown({ ...made, inputs: made.inputs.slice(1) })) as CardinalityRule,
  repeated,
  shuffledAndRepeated,
  taken,
  skipped,
  sharded,
  concatenated,
  zipped,
  range,
  /** One element. */
  single: (() => 1) as CardinalityRule,
  endless: (() => INFINITE) as CardinalityRule,
  /** One per row of input 0. */
  rows: (({ rows }) => rows) as CardinalityRule,
  /** The number at input `index`. */
  given:
    (index: number): CardinalityRule =>
    ({ number }) =>
      number(index),
  /** The number of inputs divided by the number of components. */
  listed: (({ node }) =>
    node.types("Tinput_types").length / node.types("output_types").length) as CardinalityRule,
} as const;

/**
 * The number of elements of the dataset that a node creates, by its op's rule.
 * @param inputs the cardinality of each dataset input.
 */
export function cardinalityOf(
  rule: CardinalityRule | undefined,
  node: KernelNode,
  context: OpContext,
  inputs: readonly number[],
): number {
  const [first] = context.inputs;
  return (
    rule?.({
      node,
      inputs,
      rows: first === undefined || first instanceof RefValue ? 0 : (first.shape[0] ?? 0),
      number: (index) => {
        const input = index < 0 ? context.inputs.length + index : index;
        return integersOf(tensorAt(context.inputs, input))[0] ?? 0;
      },
    }) ?? UNKNOWN
  );
}
