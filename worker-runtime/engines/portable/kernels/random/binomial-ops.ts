import type { DType } from "../../../../protocol/dtype.js";
import { invalidArgument } from "../../../../protocol/status.js";
import type { Tensor } from "../../../../protocol/tensor.js";
import { after } from "../../exclusive-access.js";
import type { KernelDefinition, PureKernelDefinition, StatefulKernelDefinition } from "../kernel.js";
import { variableInput } from "../state/resource-access.js";
import { pureKernel } from "../support/define.js";
import { indexTypes } from "../support/dtypes.js";
import { inputAt, integersOf, scalarOf } from "../support/elements.js";
import { broadcastStrides, cppShapeText, productOf, tryBroadcast } from "../support/shapes.js";
import { tensorAt } from "../support/tensor-inputs.js";
import { inTurns } from "../support/turns.js";
import { gatherStrided } from "../support/view.js";
import { binomialSampler } from "./binomial.js";
import { RNG_ALGORITHMS } from "./philox.js";
import {
  DRAWS_PER_TURN,
  newDraws,
  parametersOf,
  type Sampler,
  tensorOfNumbers,
  writeDraws,
} from "./sampled-outputs.js";
import { streamOfSeed } from "./stateless-ops.js";
import { checkLastDimensions, costOfDraws } from "./stateless-rejection-ops.js";
import { reserving } from "./variable-generators.js";

/** The draws that an op requests. */
interface BinomialDraws {
  readonly output: Float64Array;
  /** The size of the output's last dimensions, each element of which has its own count and probability. */
  readonly parameters: number;
  samplerFor(parameter: number): Sampler;
  /** The output as a tensor of the requested shape. */
  result(dtype: DType): readonly [Tensor];
}

/** @throws TensorFlowError INVALID_ARGUMENT for incompatible shapes, RESOURCE_EXHAUSTED */
function drawsOf(shapeInput: Tensor, counts: Tensor, probs: Tensor): BinomialDraws {
  const parameterShape = tryBroadcast(counts.shape, probs.shape);
  if (parameterShape === undefined) {
    throw invalidArgument(
      `counts and probs must have compatible batch dimensions: ${cppShapeText(counts.shape)} vs. ${cppShapeText(probs.shape)}`,
    );
  }
  if (shapeInput.shape.length !== 1) {
    throw invalidArgument(`Input shape should be a vector, got shape: ${cppShapeText(shapeInput.shape)}`);
  }
  const shape = integersOf(shapeInput);
  checkLastDimensions(shape, parameterShape);
  const output = newDraws(shape);
  const [allCounts, allProbs] = [counts, probs].map((tensor) =>
    parametersOf(
      gatherStrided(tensor, parameterShape, {
        offset: 0,
        strides: broadcastStrides(tensor.shape, parameterShape),
      }),
    ),
  );
  return {
    output,
    parameters: productOf(parameterShape),
    samplerFor: (index) =>
      binomialSampler(counts.dtype, allCounts?.[index] ?? Number.NaN, allProbs?.[index] ?? Number.NaN),
    result: (dtype) => [tensorOfNumbers(dtype, shape, output)],
  };
}

const types = {
  S: indexTypes,
  T: ["float16", "float32", "float64"],
  dtype: ["float16", "float32", "float64", "int32", "int64"],
} as const satisfies Readonly<Record<string, readonly DType[]>>;

const statelessBinomialKernel: PureKernelDefinition = pureKernel(
  "StatelessRandomBinomial",
  (node) => {
    const dtype = node.type("dtype");
    return (inputs) => {
      const start = streamOfSeed(inputAt(inputs, 1));
      const { output, parameters, samplerFor, result } = drawsOf(
        inputAt(inputs, 0),
        inputAt(inputs, 2),
        inputAt(inputs, 3),
      );
      writeDraws(output, parameters, samplerFor, start, 0, output.length);
      return result(dtype);
    };
  },
  { types: { ...types, Tseed: indexTypes }, cost: costOfDraws },
);

const statefulBinomialKernel: StatefulKernelDefinition = {
  kind: "stateful",
  op: "StatefulRandomBinomial",
  types,
  create: (node) => {
    const dtype = node.type("dtype");
    return (context) => {
      const { inputs, step } = context;
      const { output, parameters, samplerFor, result } = drawsOf(
        tensorAt(inputs, 2),
        tensorAt(inputs, 3),
        tensorAt(inputs, 4),
      );
      const algorithm = scalarOf(tensorAt(inputs, 1), "algorithm");
      if (algorithm !== RNG_ALGORITHMS.philox) {
        throw invalidArgument(`Unsupported algorithm id: ${algorithm}`);
      }
      const samples = parameters === 0 ? 0 : output.length / parameters;
      // TensorFlow reserves 200 outputs per draw, and counts four draws of a parameter as one.
      const outputs = Math.floor((parameters * 200 * (samples + 3)) / 4);
      return after(reserving(variableInput(node, context, 0), step, BigInt(outputs)), ({ stream }) =>
        inTurns(
          output.length,
          DRAWS_PER_TURN,
          (first, end) => writeDraws(output, parameters, samplerFor, stream, first, end),
          step.signal,
          () => result(dtype),
        ),
      );
    };
  },
};

/** Draws from binomial distributions: equal to TensorFlow's, since they are integers. */
export const binomialKernels: readonly KernelDefinition[] = [statelessBinomialKernel, statefulBinomialKernel];
