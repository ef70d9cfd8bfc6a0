import type { DType } from "../../../../protocol/dtype.js";
import { invalidArgument, unimplemented } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import { after, type Waiter } from "../../exclusive-access.js";
import { alone, type Variable } from "../../resources/variable.js";
import type { OpContext, StatefulKernelDefinition } from "../kernel.js";
import type { KernelNode } from "../kernel-node.js";
import type { OpFacts } from "../op-facts.js";
import { variableInput } from "../state/resource-access.js";
import { checkedSize } from "../support/allocation.js";
import { anyType, noTypes } from "../support/dtypes.js";
import { integersOf, longsOf } from "../support/elements.js";
import { cppShapeText } from "../support/shapes.js";
import { tensorAt } from "../support/tensor-inputs.js";
import {
  type Distribution,
  RESERVED_BLOCKS_PER_OUTPUT,
  standardNormal,
  truncatedNormal,
  uniform,
} from "./distributions.js";
import { fillTensorInTurns, shapeOf } from "./fill.js";
import { Philox, RNG_ALGORITHMS } from "./philox.js";
import {
  fullIntOf,
  randomBitTypes,
  randomFloatOf,
  randomFloatTypes,
  randomIntOf,
  randomIntTypes,
  uniformBetween,
} from "./random-ops.js";

/** A generator's state: two words of its counter, the lower one first, and its key. */
const STATE_WORDS = 3;

/** Outputs reserved from a generator, each used only once. */
interface Reserved {
  /** The stream, positioned at the first output. */
  readonly stream: Philox;
  /** The generator's previous state. */
  readonly before: Tensor;
}

/** @throws TensorFlowError UNIMPLEMENTED or INVALID_ARGUMENT for algorithms other than Philox. */
function checkAlgorithm(tensor: Tensor): void {
  if (tensor.shape.length !== 0) {
    throw invalidArgument(`algorithm must be of shape [], not ${cppShapeText(tensor.shape)}`);
  }
  const [algorithm] = integersOf(tensor);
  if (algorithm === RNG_ALGORITHMS.threefry) {
    throw unimplemented("Non-XLA devices don't support the ThreeFry algorithm.");
  }
  if (algorithm !== RNG_ALGORITHMS.philox && algorithm !== RNG_ALGORITHMS.auto) {
    throw invalidArgument(`Unsupported algorithm id: ${algorithm}`);
  }
}

/** Like `reserve`, but waits until no other kernel reads or updates the variable. */
export function reserving(variable: Variable, waiter: Waiter, outputs: bigint): Reserved | Promise<Reserved> {
  return alone([variable], waiter, () => reserve(variable, outputs));
}

/**
 * Reserves this many outputs of the generator in a variable.
 * @throws TensorFlowError INVALID_ARGUMENT for a variable that does not hold a generator.
 */
export function reserve(variable: Variable, outputs: bigint): Reserved {
  const before = variable.value;
  if (before?.dtype !== "int64") {
    throw invalidArgument(`dtype of RNG state variable must be int64, not ${before?.dtype ?? "undefined"}`);
  }
  if (before.shape.length !== 1 || before.size < STATE_WORDS) {
    throw invalidArgument(
      `For the Philox algorithm, the size of state must be at least ${STATE_WORDS}; got ${before.size}`,
    );
  }
  const words = BigUint64Array.from(longsOf(before), (word) => BigInt.asUintN(64, word));
  const [low = 0n, high = 0n, key = 0n] = words;
  const stream = Philox.ofKeyAndCounter(key, [low, high]);
  const after = stream.clone();
  after.skip(outputs * BigInt(RESERVED_BLOCKS_PER_OUTPUT));
  words.set(after.counter);
  variable.assign(new Tensor("int64", before.shape, new BigInt64Array(words.buffer)));
  return { stream, before };
}

/** A kernel whose inputs are the variable, the algorithm, the shape, and the parameters of the distribution. */
function fillKernel(
  op: string,
  types: readonly DType[],
  distributionOf: (dtype: DType, context: OpContext) => Distribution,
  facts: OpFacts = {},
): StatefulKernelDefinition {
  return {
    kind: "stateful",
    op,
    types: { dtype: types, shape_dtype: anyType },
    facts,
    create: (node) => (context) => {
      const dtype = node.type("dtype");
      checkAlgorithm(tensorAt(context.inputs, 1));
      const shape = shapeOf(tensorAt(context.inputs, 2));
      const distribution = distributionOf(dtype, context);
      const variable = variableInput(node, context, 0);
      const reserved = reserving(variable, context.step, BigInt(checkedSize(dtype, shape)));
      return after(reserved, ({ stream }) =>
        fillTensorInTurns(dtype, shape, distribution, stream, context.step.signal),
      );
    },
  };
}

function skipKernel(
  op: string,
  deltaOf: (delta: Tensor) => bigint,
  outputs: (before: Tensor) => readonly Tensor[],
): StatefulKernelDefinition {
  return {
    kind: "stateful",
    op,
    types: noTypes,
    create: (node: KernelNode) => (context: OpContext) => {
      checkAlgorithm(tensorAt(context.inputs, 1));
      const delta = tensorAt(context.inputs, 2);
      if (delta.shape.length !== 0) {
        throw invalidArgument(`delta must be of shape [], not ${cppShapeText(delta.shape)}`);
      }
      const reserved = reserving(variableInput(node, context, 0), context.step, deltaOf(delta));
      return after(reserved, ({ before }) => outputs(before));
    },
  };
}

const ready: OpFacts = { neverWaits: true };

/** Random ops with a generator in a variable: those of tf.random.Generator. */
export const variableGeneratorKernels: readonly StatefulKernelDefinition[] = [
  fillKernel("StatefulUniform", randomFloatTypes, (dtype) => uniform(randomFloatOf(dtype)), ready),
  fillKernel(
    "StatefulStandardNormalV2",
    randomFloatTypes,
    (dtype) => standardNormal(randomFloatOf(dtype)),
    ready,
  ),
  fillKernel(
    "StatefulTruncatedNormal",
    randomFloatTypes,
    (dtype) => truncatedNormal(randomFloatOf(dtype)),
    ready,
  ),
  fillKernel(
    "StatefulUniformInt",
    randomIntTypes,
    (dtype, { inputs }) => uniformBetween(randomIntOf(dtype), tensorAt(inputs, 3), tensorAt(inputs, 4)),
    ready,
  ),
  fillKernel("StatefulUniformFullInt", randomBitTypes, fullIntOf),
  skipKernel(
    "RngReadAndSkip",
    (delta) => longsOf(delta)[0] ?? 0n,
    (before) => [before],
  ),
  skipKernel(
    "RngSkip",
    (delta) => longsOf(delta)[0] ?? 0n,
    () => [],
  ),
];
