import type { DType } from "../../../../protocol/dtype.js";
import { invalidArgument } from "../../../../protocol/status.js";
import type { KernelTypes, StatefulKernelDefinition } from "../kernel.js";
import { allFloatTypes, indexTypes } from "../support/dtypes.js";
import { tensorAt } from "../support/tensor-inputs.js";
import { inTurns } from "../support/turns.js";
import { RESERVED_BLOCKS_PER_OUTPUT } from "./distributions.js";
import { shapeOf } from "./fill.js";
import { gammaSampler } from "./gamma.js";
import type { Philox } from "./philox.js";
import { poissonSampler } from "./poisson.js";
import { DRAWS_PER_TURN, newDraws, parametersOf, tensorOfNumbers, writeDraws } from "./sampled-outputs.js";
import { generatorOf } from "./seeded-generator.js";

/**
 * An op that makes draws for each element of a parameter tensor. Each output reserves its own 256 blocks of the stream,
 * however many of them it uses.
 */
function rejectionKernel(options: {
  readonly op: string;
  readonly parameter: string;
  readonly outputAttr: string;
  readonly types: KernelTypes;
  samplerFor(parameter: number): (stream: Philox) => number;
}): StatefulKernelDefinition {
  return {
    kind: "stateful",
    op: options.op,
    types: options.types,
    create(node) {
      const generator = generatorOf(node);
      const dtype = node.type(options.outputAttr);
      return (context) => {
        const { inputs } = context;
        const samplesShape = shapeOf(tensorAt(inputs, 0));
        const parameterTensor = tensorAt(inputs, 1);
        const parameters = parametersOf(parameterTensor);
        const shape = [...samplesShape, ...parameterTensor.shape];
        const output = newDraws(shape);
        if (samplesShape.includes(0)) {
          return [tensorOfNumbers(dtype, shape, output)];
        }
        if (parameters.length === 0) {
          throw invalidArgument(`Input ${options.parameter} should have non-zero element count, got: 0`);
        }
        const start = generator(context).reserveOutputs(output.length);
        const samplerFor = (index: number) => ({
          reservedBlocks: RESERVED_BLOCKS_PER_OUTPUT,
          draw: options.samplerFor(parameters[index] ?? Number.NaN),
        });
        return inTurns(
          output.length,
          DRAWS_PER_TURN,
          (first, end) => writeDraws(output, parameters.length, samplerFor, start, first, end),
          context.step.signal,
          () => [tensorOfNumbers(dtype, shape, output)],
        );
      };
    },
  };
}

const rateTypes = [...allFloatTypes, "int32", "int64"] as const satisfies readonly DType[];

function poissonKernel(op: string, ofRates: KernelTypes): StatefulKernelDefinition {
  return rejectionKernel({
    op,
    parameter: "rate",
    outputAttr: "dtype",
    types: { S: indexTypes, dtype: rateTypes, ...ofRates },
    samplerFor: poissonSampler,
  });
}

/** Draws from gamma and Poisson distributions; equal to TensorFlow's except for the last digits of its logarithms. */
export const rejectionKernels: readonly StatefulKernelDefinition[] = [
  rejectionKernel({
    op: "RandomGamma",
    parameter: "alpha",
    outputAttr: "T",
    types: { S: indexTypes, T: ["float16", "float32", "float64"] },
    samplerFor: gammaSampler,
  }),
  poissonKernel("RandomPoisson", {}),
  poissonKernel("RandomPoissonV2", { R: rateTypes }),
];
