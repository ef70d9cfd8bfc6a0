import { randomBytes } from "node:crypto";
import { invalidArgument } from "../../../../protocol/status.js";
import type { Tensor } from "../../../../protocol/tensor.js";
import { ObjectTensor, RefValue, type Value } from "../../values.js";
import type { OpContext, StatefulKernelDefinition } from "../kernel.js";
import type { KernelNode } from "../kernel-node.js";
import { Philox, PhiloxSamples } from "../random/philox.js";
import { stack } from "../state/tensor-batches.js";
import { cppShapeText, sameShape } from "../support/shapes.js";
import {
  collect,
  countInput,
  type Dataset,
  datasetKernel,
  datasetOf,
  type Element,
  type Pull,
} from "./dataset.js";

/** A kernel whose first input is a dataset. */
function transformation(
  op: string,
  open: (input: Dataset, context: OpContext, node: KernelNode) => () => Pull,
): StatefulKernelDefinition {
  return datasetKernel(op, (node) => (context) => open(datasetOf(context.inputs[0]), context, node));
}

/** Values of one component along a new first dimension. @throws TensorFlowError INVALID_ARGUMENT for unequal shapes. */
function batchOf(values: readonly Value[], component: number): Value {
  const [first] = values;
  if (first instanceof RefValue || first === undefined) {
    throw invalidArgument("A dataset's component must be a tensor.");
  }
  for (const [i, value] of values.entries()) {
    if (value instanceof RefValue || !sameShape(value.shape, first.shape)) {
      const shape = value instanceof RefValue ? [] : value.shape;
      throw invalidArgument(
        `Cannot batch tensors with different shapes in component ${component}. First element had shape ` +
          `${cppShapeText(first.shape)} and element ${i} had shape ${cppShapeText(shape)}.`,
      );
    }
  }
  if (first instanceof ObjectTensor) {
    const elements = (values as readonly ObjectTensor[]).flatMap((value) => value.elements);
    return new ObjectTensor(first.dtype, [values.length, ...first.shape], elements);
  }
  return stack(first.dtype, first.shape, values as readonly Tensor[]);
}

function batch(input: Dataset, context: OpContext): () => Pull {
  const size = countInput(context, 1, "batch_size");
  if (size <= 0) {
    throw invalidArgument("Batch size must be greater than zero.");
  }
  // The older op keeps the remainder.
  const dropRemainder = context.inputs.length > 2 && countInput(context, 2, "drop_remainder") !== 0;
  return () => {
    const pull = input.iterate();
    return async (step) => {
      const elements = await collect(pull, step, size);
      if (elements.length === 0 || (dropRemainder && elements.length < size)) {
        return undefined;
      }
      return (elements[0] ?? []).map((_, i) =>
        batchOf(
          elements.map((element) => element[i] as Value),
          i,
        ),
      );
    };
  };
}

function repeat(input: Dataset, context: OpContext): () => Pull {
  const count = countInput(context, 1, "count");
  return () => {
    let left = count < 0 ? Number.POSITIVE_INFINITY : count;
    let pull: Pull | undefined;
    return async (step) => {
      while (left > 0) {
        const isFirst = pull === undefined;
        pull ??= input.iterate();
        const element = await pull(step);
        if (element !== undefined) {
          return element;
        }
        pull = undefined;
        // An empty dataset stays empty, however often it is repeated.
        left = isFirst ? 0 : left - 1;
      }
      return undefined;
    };
  };
}

function take(input: Dataset, context: OpContext): () => Pull {
  const count = countInput(context, 1, "count");
  return () => {
    const pull = input.iterate();
    let left = count < 0 ? Number.POSITIVE_INFINITY : count;
    return async (step) => {
      left -= 1;
      return left < 0 ? undefined : pull(step);
    };
  };
}

function skip(input: Dataset, context: OpContext): () => Pull {
  const count = countInput(context, 1, "count");
  return () => {
    const pull = input.iterate();
    let left = count < 0 ? Number.POSITIVE_INFINITY : count;
    return async (step) => {
      for (; left > 0; left -= 1) {
        if ((await pull(step)) === undefined) {
          return undefined;
        }
      }
      return pull(step);
    };
  };
}

function shard(input: Dataset, context: OpContext): () => Pull {
  const count = countInput(context, 1, "num_shards");
  const index = countInput(context, 2, "index");
  if (count < 1 || index < 0 || index >= count) {
    throw invalidArgument(
      `Index must be between 0 and ${count - 1} (currently index = ${index}, num_shards = ${count})`,
    );
  }
  return () => {
    const pull = input.iterate();
    let at = 0;
    return async (step) => {
      for (;;) {
        const element = await pull(step);
        at += 1;
        if (element === undefined || (at - 1) % count === index) {
          return element;
        }
      }
    };
  };
}

/** In an order that depends on the seeds; drawn as TensorFlow's ShuffleDatasetOp draws it, so that equal seeds agree. */
function shuffle(input: Dataset, context: OpContext, node: KernelNode): () => Pull {
  const size = countInput(context, 1, "buffer_size");
  if (size < 1) {
    throw invalidArgument("buffer_size must be greater than zero or UNKNOWN_CARDINALITY");
  }
  const given = [countInput(context, 2, "seed"), countInput(context, 3, "seed2")].map(BigInt);
  const isSeeded = given.some((seed) => seed !== 0n);
  const seeds = isSeeded
    ? given
    : [randomBytes(6).readUIntLE(0, 6), randomBytes(6).readUIntLE(0, 6)].map(BigInt);
  const [seed = 0n, seed2 = 0n] = seeds;
  const seedsOfPasses = new PhiloxSamples(Philox.ofSeeds(seed, seed2));
  const isReshuffled = node.bool("reshuffle_each_iteration");
  return () => {
    const own = isReshuffled
      ? ([BigInt(seedsOfPasses.next()), BigInt(seedsOfPasses.next())] as const)
      : ([seed, seed2] as const);
    return shuffled(input.iterate(), size, new PhiloxSamples(Philox.ofSeeds(...own)));
  };
}

function shuffled(pull: Pull, size: number, random: PhiloxSamples): Pull {
  // A ring: the elements from `start` to `end`, each number modulo the size.
  const buffer = new Map<number, Element>();
  let start = 0;
  let end = 0;
  let isDrained = false;
  return async (step) => {
    while (!isDrained && end - start < size) {
      const element = await pull(step);
      if (element === undefined) {
        isDrained = true;
      } else {
        buffer.set(end % size, element);
        end += 1;
      }
    }
    if (start === end) {
      return undefined;
    }
    const chosen = (start + (random.next() % (end - start))) % size;
    const first = start % size;
    const element = buffer.get(chosen);
    const moved = buffer.get(first);
    if (moved !== undefined) {
      buffer.set(chosen, moved);
    }
    buffer.delete(first);
    start += 1;
    return element;
  };
}

function zip(context: OpContext): () => Pull {
  const inputs = context.inputs.map(datasetOf);
  return () => {
    const pulls = inputs.map((input) => input.iterate());
    return async (step) => {
      const parts: Element[] = [];
      for (const pull of pulls) {
        const part = await pull(step);
        if (part === undefined) {
          return undefined;
        }
        parts.push(part);
      }
      return parts.flat();
    };
  };
}

function concatenate(first: Dataset, context: OpContext): () => Pull {
  const second = datasetOf(context.inputs[1]);
  return () => {
    let pull = first.iterate();
    let isSecond = false;
    return async (step) => {
      const element = await pull(step);
      if (element !== undefined || isSecond) {
        return element;
      }
      isSecond = true;
      pull = second.iterate();
      return pull(step);
    };
  };
}

/** The elements as they are: what these ops ask for makes TensorFlow faster, and nothing else. */
function same(input: Dataset): () => Pull {
  return () => input.iterate();
}

/** Datasets made of other datasets, without functions of the graph. */
export const transformationKernels: readonly StatefulKernelDefinition[] = [
  transformation("BatchDataset", batch),
  transformation("BatchDatasetV2", batch),
  transformation("RepeatDataset", repeat),
  transformation("TakeDataset", take),
  transformation("SkipDataset", skip),
  transformation("ShardDataset", shard),
  transformation("ShuffleDataset", shuffle),
  transformation("ShuffleDatasetV3", shuffle),
  transformation("ConcatenateDataset", concatenate),
  datasetKernel("ZipDataset", () => zip),
  ...["PrefetchDataset", "OptionsDataset", "ModelDataset", "OptimizeDataset", "CacheDataset"].map((op) =>
    transformation(op, same),
  ),
];
