import { invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import { type PausingWork, withoutPauses } from "../../pauses.js";
import type { Outputs, PureKernelDefinition, StatefulKernelDefinition } from "../kernel.js";
import type { KernelNode } from "../kernel-node.js";
import { pureKernel } from "../support/define.js";
import { indexTypes, isSmallFloat } from "../support/dtypes.js";
import { inputAt, newLongs, newNumbers, numbersOf, scalarOf } from "../support/elements.js";
import { cppShapeText } from "../support/shapes.js";
import { toFloat32 } from "../support/small-floats.js";
import { tensorAt } from "../support/tensor-inputs.js";
import { atPauses } from "../support/turns.js";
import { uniformDouble } from "./distributions.js";
import { PHILOX_BLOCK_SIZE, type Philox, PhiloxSamples } from "./philox.js";
import { randomFloatTypes, randomIntTypes } from "./random-ops.js";
import { generatorOf } from "./seeded-generator.js";
import { streamOfSeed } from "./stateless-ops.js";

/** Samples drawn, and classes weighted, between two pauses: a few milliseconds' work. */
const SAMPLES_PER_PAUSE = 16 * 1024;
const CLASSES_PER_PAUSE = 64 * 1024;

/** The first index in an ascending list whose value is above `wanted`. */
function upperBound(rising: Float64Array, wanted: number): number {
  let low = 0;
  let high = rising.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (wanted < (rising[middle] ?? 0)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

/** The cumulative sums of exp(logit - largest) along a row; logits that are not finite are ignored. */
function* cumulativeWeights(row: ArrayLike<number>): PausingWork<Float64Array> {
  let largest = -Number.MAX_VALUE;
  for (let index = 0; index < row.length; index += 1) {
    const logit = row[index] ?? 0;
    if (Number.isFinite(logit)) {
      largest = Math.max(largest, logit);
    }
    if (index % CLASSES_PER_PAUSE === CLASSES_PER_PAUSE - 1) {
      yield;
    }
  }
  // Uses a loop, since there may be millions of elements: `Float64Array.from` takes several times as long.
  const weights = new Float64Array(row.length);
  let total = 0;
  for (let index = 0; index < row.length; index += 1) {
    const logit = row[index] ?? 0;
    total += Number.isFinite(logit) ? Math.exp(logit - largest) : 0;
    weights[index] = total;
    if (index % CLASSES_PER_PAUSE === CLASSES_PER_PAUSE - 1) {
      yield;
    }
  }
  return weights;
}

/** The number of samples per row. @throws TensorFlowError INVALID_ARGUMENT for inputs that do not fit. */
function samplesPerRow(logits: Tensor, count: Tensor): number {
  if (logits.shape.length !== 2) {
    throw invalidArgument(`logits should be a matrix, got shape ${cppShapeText(logits.shape)}`);
  }
  if (count.shape.length !== 0) {
    throw invalidArgument(`num_samples should be a scalar, got shape ${cppShapeText(count.shape)}`);
  }
  const samples = scalarOf(count, "num_samples");
  if (samples < 0) {
    throw invalidArgument(`num_samples should be non-negative, got ${samples}`);
  }
  if (logits.shape[1] === 0) {
    throw invalidArgument("num_classes should be positive, got 0");
  }
  return samples;
}

/** Draws classes by their unnormalized log-probabilities. @param streamFor the stream for this many outputs. */
function* classDraws(
  node: KernelNode,
  logitsInput: Tensor,
  countInput: Tensor,
  streamFor: (outputs: number) => Philox,
): PausingWork<readonly [Tensor]> {
  const logits = isSmallFloat(logitsInput.dtype) ? toFloat32(logitsInput) : logitsInput;
  const count = samplesPerRow(logits, countInput);
  const [rows = 0, classes = 0] = logits.shape;
  const dtype = node.type("output_dtype");
  const shape = [rows, count];
  const output = dtype === "int64" ? newLongs(dtype, shape) : newNumbers(dtype, shape);
  const drawn = () => [new Tensor(dtype, shape, output)] as const;
  if (output.length === 0) {
    return drawn();
  }
  // A sample uses two 32-bit numbers, and a row whole blocks.
  const numbersPerRow = Math.ceil(count / PHILOX_BLOCK_SIZE) * PHILOX_BLOCK_SIZE * 2;
  const samples = new PhiloxSamples(streamFor(rows * numbersPerRow));
  const numbers = numbersOf(logits);
  let untilPause = SAMPLES_PER_PAUSE;
  for (let row = 0; row < rows; row += 1) {
    const weights = yield* cumulativeWeights(numbers.subarray(row * classes, (row + 1) * classes));
    const total = weights[classes - 1] ?? 0;
    untilPause -= (classes * SAMPLES_PER_PAUSE) / CLASSES_PER_PAUSE;
    for (let index = row * count; index < (row + 1) * count; index += 1) {
      const high = samples.next();
      const picked = upperBound(weights, uniformDouble(high, samples.next()) * total);
      if (output instanceof BigInt64Array) {
        output[index] = BigInt(picked);
      } else {
        output[index] = picked;
      }
      untilPause -= 1;
      if (untilPause <= 0) {
        yield;
        untilPause = SAMPLES_PER_PAUSE;
      }
    }
  }
  return drawn();
}

const types = { T: randomFloatTypes, output_dtype: randomIntTypes };

const multinomialKernel: StatefulKernelDefinition = {
  kind: "stateful",
  op: "Multinomial",
  types,
  facts: { neverWaits: true },
  create(node) {
    const generator = generatorOf(node);
    return (context) => {
      const { inputs, step } = context;
      const streamFor = (outputs: number) => generator(context).reserveOutputs(outputs);
      const draws = classDraws(node, tensorAt(inputs, 0), tensorAt(inputs, 1), streamFor);
      return atPauses<Outputs>(draws, step.signal);
    };
  },
};

/** A class of a row, the overhead per row, and a sample, which is found by bisection. */
const NANOS_PER_CLASS = 40;
const NANOS_PER_ROW = 300;
const NANOS_PER_SAMPLE = 100;
const NANOS_PER_HALVING = 10;

const statelessMultinomialKernel: PureKernelDefinition = pureKernel(
  "StatelessMultinomial",
  (node) => (inputs) => {
    const streamFor = () => streamOfSeed(inputAt(inputs, 2));
    return withoutPauses(classDraws(node, inputAt(inputs, 0), inputAt(inputs, 1), streamFor));
  },
  {
    types: { ...types, Tseed: indexTypes },
    cost: (_, inputs) => {
      const { size, shape } = inputAt(inputs, 0);
      const samples = (shape[0] ?? 0) * Number(inputAt(inputs, 1).data[0] ?? 0);
      const each = NANOS_PER_SAMPLE + NANOS_PER_HALVING * Math.log2(Math.max(1, shape[1] ?? 1));
      return size * NANOS_PER_CLASS + (shape[0] ?? 0) * NANOS_PER_ROW + samples * each;
    },
  },
);

/**
 * Draws from categorical distributions, equal to TensorFlow's for tensors that TensorFlow computes in one piece. It
 * splits large batches by its number of threads, and its draws then depend on that number.
 */
export const multinomialKernels = [multinomialKernel, statelessMultinomialKernel] as const;
