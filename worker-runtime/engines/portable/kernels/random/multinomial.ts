import { invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import type { Outputs, PureKernelDefinition, StatefulKernelDefinition } from "../kernel.js";
import type { KernelNode } from "../kernel-node.js";
import { pureKernel } from "../support/define.js";
import { isSmallFloat } from "../support/dtypes.js";
import { inputAt, newLongs, newNumbers, numbersOf, scalarOf } from "../support/elements.js";
import { cppShapeText } from "../support/shapes.js";
import { toFloat32 } from "../support/small-floats.js";
import { tensorAt } from "../support/tensor-inputs.js";
import { inTurns } from "../support/turns.js";
import { uniformDouble } from "./distributions.js";
import { PHILOX_BLOCK_SIZE, type Philox, PhiloxSamples } from "./philox.js";
import { randomFloatTypes, randomIntTypes } from "./random-ops.js";
import { generatorOf } from "./seeded-generator.js";
import { streamOfSeed } from "./stateless-ops.js";

/** Samples of one turn, less where there are many classes: some five milliseconds. */
const SAMPLES_PER_TURN = 32 * 1024;

/** The first place in a rising list whose value is above `wanted`. */
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

/** exp(logit - largest) summed up along a row; logits that are not finite count for nothing. */
function cumulativeWeights(row: ArrayLike<number>): Float64Array {
  let largest = -Number.MAX_VALUE;
  for (let index = 0; index < row.length; index += 1) {
    const logit = row[index] ?? 0;
    if (Number.isFinite(logit)) {
      largest = Math.max(largest, logit);
    }
  }
  // A loop, since there may be millions: `Float64Array.from` takes several times as long.
  const weights = new Float64Array(row.length);
  let total = 0;
  for (let index = 0; index < row.length; index += 1) {
    const logit = row[index] ?? 0;
    total += Number.isFinite(logit) ? Math.exp(logit - largest) : 0;
    weights[index] = total;
  }
  return weights;
}

/** Draws that are made from the first to the last. */
interface Draws {
  readonly count: number;
  readonly perTurn: number;
  /** Makes the draws from `first` up to, not including, `end`. */
  run(first: number, end: number): void;
  /** The classes that were drawn, once all are. */
  result(): readonly [Tensor];
}

/** Draws of classes by their unnormalized log-probabilities. @param streamFor the stream for so many outputs. */
function classDraws(
  node: KernelNode,
  logitsInput: Tensor,
  countInput: Tensor,
  streamFor: (outputs: number) => Philox,
): Draws {
  const logits = isSmallFloat(logitsInput.dtype) ? toFloat32(logitsInput) : logitsInput;
  if (logits.shape.length !== 2) {
    throw invalidArgument(`logits should be a matrix, got shape ${cppShapeText(logits.shape)}`);
  }
  if (countInput.shape.length !== 0) {
    throw invalidArgument(`num_samples should be a scalar, got shape ${cppShapeText(countInput.shape)}`);
  }
  const count = scalarOf(countInput, "num_samples");
  if (count < 0) {
    throw invalidArgument(`num_samples should be non-negative, got ${count}`);
  }
  const [rows = 0, classes = 0] = logits.shape;
  if (classes === 0) {
    throw invalidArgument(`num_classes should be positive, got ${classes}`);
  }
  const dtype = node.type("output_dtype");
  const shape = [rows, count];
  const output = dtype === "int64" ? newLongs(dtype, shape) : newNumbers(dtype, shape);
  // A sample takes two 32-bit numbers, and a row whole blocks.
  const numbersPerRow = Math.ceil(count / PHILOX_BLOCK_SIZE) * PHILOX_BLOCK_SIZE * 2;
  const samples = output.length > 0 ? new PhiloxSamples(streamFor(rows * numbersPerRow)) : undefined;
  const numbers = numbersOf(logits);
  let weights: Float64Array = new Float64Array(0);
  return {
    count: output.length,
    perTurn: Math.ceil(SAMPLES_PER_TURN / (1 + classes / count)),
    run(first, end) {
      for (let index = first; index < end && samples !== undefined; index += 1) {
        if (index % count === 0) {
          const row = index / count;
          weights = cumulativeWeights(numbers.subarray(row * classes, (row + 1) * classes));
        }
        const total = weights[classes - 1] ?? 0;
        const high = samples.next();
        const picked = upperBound(weights, uniformDouble(high, samples.next()) * total);
        if (output instanceof BigInt64Array) {
          output[index] = BigInt(picked);
        } else {
          output[index] = picked;
        }
      }
    },
    result: () => [new Tensor(dtype, shape, output)],
  };
}

const types = { T: randomFloatTypes, output_dtype: randomIntTypes };

const multinomialKernel: StatefulKernelDefinition = {
  kind: "stateful",
  op: "Multinomial",
  types,
  create(node) {
    const generator = generatorOf(node);
    return (context) => {
      const { inputs, step } = context;
      const { count, perTurn, run, result } = classDraws(
        node,
        tensorAt(inputs, 0),
        tensorAt(inputs, 1),
        (outputs) => generator(context).reserveOutputs(outputs),
      );
      return inTurns<Outputs>(count, perTurn, run, step.signal, result);
    };
  },
};

/** A class of a row, a row by itself, and a sample, which is looked for by halves. */
const NANOS_PER_CLASS = 40;
const NANOS_PER_ROW = 300;
const NANOS_PER_SAMPLE = 100;
const NANOS_PER_HALVING = 10;

const statelessMultinomialKernel: PureKernelDefinition = pureKernel(
  "StatelessMultinomial",
  (node) => (inputs) => {
    const streamFor = () => streamOfSeed(inputAt(inputs, 2));
    const { count, run, result } = classDraws(node, inputAt(inputs, 0), inputAt(inputs, 1), streamFor);
    run(0, count);
    return result();
  },
  {
    types,
    cost: (_, inputs) => {
      const { size, shape } = inputAt(inputs, 0);
      const samples = (shape[0] ?? 0) * Number(inputAt(inputs, 1).data[0] ?? 0);
      const each = NANOS_PER_SAMPLE + NANOS_PER_HALVING * Math.log2(Math.max(1, shape[1] ?? 1));
      return size * NANOS_PER_CLASS + (shape[0] ?? 0) * NANOS_PER_ROW + samples * each;
    },
  },
);

/**
 * Draws from categorical distributions: TensorFlow's numbers for tensors that TensorFlow computes in one piece. It splits
 * large batches by its number of threads, and what it then draws depends on that number.
 */
export const multinomialKernels = [multinomialKernel, statelessMultinomialKernel] as const;
