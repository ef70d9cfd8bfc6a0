import { invalidArgument } from "../../../../protocol/status.js";
import type { Tensor } from "../../../../protocol/tensor.js";
import type { PureKernelDefinition, StatefulKernelDefinition } from "../kernel.js";
import type { KernelNode } from "../kernel-node.js";
import { checkedSize } from "../support/allocation.js";
import { pureKernel } from "../support/define.js";
import { isSmallFloat } from "../support/dtypes.js";
import { inputAt, integerTensor, numbersOf, scalarOf } from "../support/elements.js";
import { cppShapeText } from "../support/shapes.js";
import { toFloat32 } from "../support/small-floats.js";
import { tensorAt } from "../support/tensor-inputs.js";
import { uniformDouble } from "./distributions.js";
import { PHILOX_BLOCK_SIZE, type Philox, PhiloxSamples } from "./philox.js";
import { randomFloatTypes, randomIntTypes } from "./random-ops.js";
import { generatorOf } from "./seeded-generator.js";
import { streamOfSeed } from "./stateless-ops.js";

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
  let total = 0;
  return Float64Array.from(row, (logit) => {
    total += Number.isFinite(logit) ? Math.exp(logit - largest) : 0;
    return total;
  });
}

/** Draws classes by their unnormalized log-probabilities. @param streamFor the stream for so many outputs. */
function sampleClasses(
  node: KernelNode,
  logitsInput: Tensor,
  countInput: Tensor,
  streamFor: (outputs: number) => Philox,
): Tensor {
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
  const size = checkedSize(dtype, shape);
  const picked = new Float64Array(size);
  if (size > 0) {
    // A sample takes two 32-bit numbers, and a row whole blocks.
    const numbersPerRow = Math.ceil(count / PHILOX_BLOCK_SIZE) * PHILOX_BLOCK_SIZE * 2;
    const samples = new PhiloxSamples(streamFor(rows * numbersPerRow));
    const numbers = numbersOf(logits);
    for (let row = 0; row < rows; row += 1) {
      const weights = cumulativeWeights(numbers.subarray(row * classes, (row + 1) * classes));
      const total = weights[classes - 1] ?? 0;
      for (let index = 0; index < count; index += 1) {
        const high = samples.next();
        picked[row * count + index] = upperBound(weights, uniformDouble(high, samples.next()) * total);
      }
    }
  }
  return integerTensor(dtype, shape, picked);
}

const types = { T: randomFloatTypes, output_dtype: randomIntTypes };

const multinomialKernel: StatefulKernelDefinition = {
  kind: "stateful",
  op: "Multinomial",
  types,
  create(node) {
    const generator = generatorOf(node);
    return (context) => [
      sampleClasses(node, tensorAt(context.inputs, 0), tensorAt(context.inputs, 1), (outputs) =>
        generator(context).reserveOutputs(outputs),
      ),
    ];
  },
};

const statelessMultinomialKernel: PureKernelDefinition = pureKernel(
  "StatelessMultinomial",
  (node) => (inputs) => [
    sampleClasses(node, inputAt(inputs, 0), inputAt(inputs, 1), () => streamOfSeed(inputAt(inputs, 2))),
  ],
  { types },
);

/**
 * Draws from categorical distributions: TensorFlow's numbers for tensors that TensorFlow computes in one piece. It splits
 * large batches by its number of threads, and what it then draws depends on that number.
 */
export const multinomialKernels = [multinomialKernel, statelessMultinomialKernel] as const;
