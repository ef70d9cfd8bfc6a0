import { randomBytes } from "node:crypto";
import { invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import type { OpContext, StatefulKernelDefinition } from "../kernel.js";
import type { KernelNode } from "../kernel-node.js";
import { Philox, PhiloxSamples } from "../random/philox.js";
import { cardinality } from "./cardinality.js";
import {
  countInput,
  type Dataset,
  datasetKernel,
  type Element,
  type Pull,
  repeated,
  transformation,
} from "./dataset.js";

/** Supplies the seeds of passes: if a dataset is reshuffled, each pass has its own. */
type SeedsOfPasses = () => readonly [bigint, bigint];

function seedsOfPasses(context: OpContext, node: KernelNode): SeedsOfPasses {
  const given = [countInput(context, 2, "seed"), countInput(context, 3, "seed2")].map(BigInt);
  const isSeeded = given.some((seed) => seed !== 0n);
  const seeds = isSeeded
    ? given
    : [randomBytes(6).readUIntLE(0, 6), randomBytes(6).readUIntLE(0, 6)].map(BigInt);
  const [seed = 0n, seed2 = 0n] = seeds;
  if (!node.bool("reshuffle_each_iteration")) {
    return () => [seed, seed2];
  }
  const samples = new PhiloxSamples(Philox.ofSeeds(seed, seed2));
  return () => [BigInt(samples.next()), BigInt(samples.next())];
}

/**
 * Shuffles in an order given by the seeds. Draws as TensorFlow's ShuffleDatasetOp does: equal seeds give equal orders.
 */
function shuffle(input: Dataset, context: OpContext, node: KernelNode): () => Pull {
  const size = countInput(context, 1, "buffer_size");
  if (size < 1) {
    throw invalidArgument("buffer_size must be greater than zero or UNKNOWN_CARDINALITY");
  }
  const seeds = seedsOfPasses(context, node);
  return () => shuffled(input.iterate(), size, new PhiloxSamples(Philox.ofSeeds(...seeds())));
}

/** Shuffles repeatedly, with new seeds each time; elements of two rounds do not mix. */
function shuffleAndRepeat(input: Dataset, context: OpContext, node: KernelNode): () => Pull {
  return repeated(shuffle(input, context, node), countInput(context, 4, "count"));
}

function shuffled(pull: Pull, size: number, random: PhiloxSamples): Pull {
  // A ring buffer: the elements from `start` to `end`, indexes modulo the size.
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

/** An infinite sequence of 32-bit numbers given by the seeds. */
function randomNumbers(context: OpContext): () => Pull {
  const given = [countInput(context, 0, "seed"), countInput(context, 1, "seed2")].map(BigInt);
  const isSeeded = given.some((seed) => seed !== 0n);
  const [seed = 0n, seed2 = 0n] = isSeeded
    ? given
    : [0, 1].map(() => BigInt(randomBytes(6).readUIntLE(0, 6)));
  return () => {
    const samples = new PhiloxSamples(Philox.ofSeeds(seed, seed2));
    return async () => [new Tensor("int64", [], BigInt64Array.of(BigInt(samples.next())))];
  };
}

/** Shuffled datasets and datasets of random numbers. */
export const shuffleKernels: readonly StatefulKernelDefinition[] = [
  transformation("ShuffleDataset", { cardinality: cardinality.same }, shuffle),
  transformation("ShuffleDatasetV3", { cardinality: cardinality.same }, shuffle),
  transformation(
    "ShuffleAndRepeatDataset",
    { cardinality: cardinality.shuffledAndRepeated },
    shuffleAndRepeat,
  ),
  datasetKernel("RandomDataset", { cardinality: cardinality.endless }, () => randomNumbers),
];
