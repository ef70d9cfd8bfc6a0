import type { DType } from "../../../../protocol/dtype.js";
import { invalidArgument } from "../../../../protocol/status.js";
import type { Tensor } from "../../../../protocol/tensor.js";
import type { KernelTypes, PureKernelDefinition } from "../kernel.js";
import { pureKernel } from "../support/define.js";
import { indexTypes } from "../support/dtypes.js";
import { inputAt, integersOf } from "../support/elements.js";
import { productOf, sameShape } from "../support/shapes.js";
import { RESERVED_BLOCKS_PER_OUTPUT } from "./distributions.js";
import { shapeOf } from "./fill.js";
import { gammaSampler } from "./gamma.js";
import type { Philox } from "./philox.js";
import { poissonSampler } from "./poisson.js";
import { newDraws, parametersOf, tensorOfNumbers, writeDraws } from "./sampled-outputs.js";
import { streamOfInputs, streamOfSeed } from "./stateless-ops.js";

/** Nanoseconds per draw on a slow core; twice as long for counting events with a mean of nearly ten. */
const NANOSECONDS_PER_DRAW = 5_000;

/**
 * The cost of a stateless rejection op, whose shape is input 0.
 * @returns nanoseconds
 */
export function costOfDraws(_: unknown, inputs: readonly Tensor[]): number {
  return productOf(integersOf(inputAt(inputs, 0))) * NANOSECONDS_PER_DRAW;
}

/** @throws TensorFlowError INVALID_ARGUMENT if the last dimensions of a result are not those of its parameters. */
export function checkLastDimensions(shape: readonly number[], parameters: readonly number[]): void {
  const outer = shape.length - parameters.length;
  if (outer < 0 || !sameShape(shape.slice(outer), parameters)) {
    throw invalidArgument("Shape passed in must end with broadcasted shape.");
  }
}

/** An op whose outputs are drawn by rejection; the last dimensions of an output select its parameter's element. */
function statelessRejectionKernel(options: {
  readonly op: string;
  readonly types: KernelTypes;
  /** The index of the parameter among the inputs, after those of the stream. */
  readonly parameter: number;
  streamOf(inputs: readonly Tensor[]): Philox;
  samplerFor(parameter: number): (stream: Philox) => number;
}): PureKernelDefinition {
  const { op, types, parameter, streamOf, samplerFor } = options;
  return pureKernel(
    op,
    (node) => {
      const dtype = node.type("dtype");
      return (inputs) => {
        const shape = shapeOf(inputAt(inputs, 0));
        const start = streamOf(inputs);
        const output = newDraws(shape);
        if (output.length > 0) {
          const tensor = inputAt(inputs, parameter);
          checkLastDimensions(shape, tensor.shape);
          const parameters = parametersOf(tensor);
          const sampler = (index: number) => ({
            reservedBlocks: RESERVED_BLOCKS_PER_OUTPUT,
            draw: samplerFor(parameters[index] ?? Number.NaN),
          });
          writeDraws(output, parameters.length, sampler, start, 0, output.length);
        }
        return [tensorOfNumbers(dtype, shape, output)];
      };
    },
    { types, cost: costOfDraws },
  );
}

const gammaTypes = ["float16", "float32", "float64"] as const satisfies readonly DType[];
const rateTypes = [...gammaTypes, "int32", "int64"] as const satisfies readonly DType[];

const ofSeedTypes = { T: indexTypes, Tseed: indexTypes };

const ofSeed = (inputs: readonly Tensor[]): Philox => streamOfSeed(inputAt(inputs, 1));

/** Stateless gamma and Poisson draws; equal to TensorFlow's except for the last digits of its logarithms. */
export const statelessRejectionKernels: readonly PureKernelDefinition[] = [
  statelessRejectionKernel({
    op: "StatelessRandomGammaV2",
    types: { dtype: gammaTypes, ...ofSeedTypes },
    parameter: 2,
    streamOf: ofSeed,
    samplerFor: gammaSampler,
  }),
  statelessRejectionKernel({
    op: "StatelessRandomGammaV3",
    types: { dtype: gammaTypes, shape_dtype: indexTypes },
    parameter: 4,
    streamOf: (inputs) => streamOfInputs(inputs, 1),
    samplerFor: gammaSampler,
  }),
  statelessRejectionKernel({
    op: "StatelessRandomPoisson",
    types: { Rtype: rateTypes, dtype: rateTypes, ...ofSeedTypes },
    parameter: 2,
    streamOf: ofSeed,
    samplerFor: poissonSampler,
  }),
];
