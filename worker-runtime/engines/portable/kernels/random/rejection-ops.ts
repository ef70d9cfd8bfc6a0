import { type DType, integerRange } from "../../../../protocol/dtype.js";
import { invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import type { StatefulKernelDefinition } from "../kernel.js";
import { allFloatTypes, isSmallFloat } from "../support/dtypes.js";
import { newLongs, newNumbers, numbersOf } from "../support/elements.js";
import { fromFloat32, toFloat32 } from "../support/small-floats.js";
import { tensorAt } from "../support/tensor-inputs.js";
import { inTurns } from "../support/turns.js";
import { RESERVED_BLOCKS_PER_OUTPUT } from "./distributions.js";
import { shapeOf } from "./fill.js";
import { gammaSampler } from "./gamma.js";
import type { Philox } from "./philox.js";
import { poissonSampler } from "./poisson.js";
import { generatorOf } from "./seeded-generator.js";

/** Draws of one turn: some five milliseconds. */
const OUTPUTS_PER_TURN = 4096;

/** Makes one draw from the place where the stream is. */
type Sampler = (stream: Philox) => number;

/** A parameter tensor's elements as JS numbers. */
function parametersOf(tensor: Tensor): readonly number[] {
  if (isSmallFloat(tensor.dtype)) {
    return Array.from(numbersOf(toFloat32(tensor)));
  }
  return tensor.dtype === "int64" ? Array.from(tensor.data, Number) : Array.from(numbersOf(tensor));
}

/** Numbers as a tensor of any real dtype; whole numbers beyond an integer dtype's range become its largest. */
function tensorOfNumbers(dtype: DType, shape: readonly number[], numbers: Float64Array): Tensor {
  if (isSmallFloat(dtype)) {
    return fromFloat32(dtype, new Tensor("float32", shape, Float32Array.from(numbers)));
  }
  if (dtype === "int64") {
    const output = newLongs(dtype, shape);
    for (const [index, number] of numbers.entries()) {
      output[index] = BigInt(Number.isNaN(number) ? 0 : number);
    }
    return new Tensor(dtype, shape, output);
  }
  const largest = Number(integerRange(dtype)?.max ?? Infinity);
  const output = newNumbers(dtype, shape);
  for (const [index, number] of numbers.entries()) {
    output[index] = Math.min(number, largest);
  }
  return new Tensor(dtype, shape, output);
}

/**
 * An op that makes a tensor of draws for each element of a parameter tensor. Each output has its own 256 blocks of the
 * stream, however many of them it uses.
 */
function rejectionKernel(options: {
  readonly op: string;
  readonly parameter: string;
  readonly outputAttr: string;
  readonly types: Readonly<Record<string, readonly DType[]>>;
  samplerFor(parameter: number): Sampler;
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
        const output = newNumbers("float64", shape) as Float64Array;
        if (samplesShape.includes(0)) {
          return [tensorOfNumbers(dtype, shape, output)];
        }
        if (parameters.length === 0) {
          throw invalidArgument(`Input ${options.parameter} should have non-zero element count, got: 0`);
        }
        const samples = output.length / parameters.length;
        const start = generator(context).reserveOutputs(output.length);
        const stream = start.clone();
        const samplers = parameters.map((parameter) => options.samplerFor(parameter));
        return inTurns(
          output.length,
          OUTPUTS_PER_TURN,
          (first, end) => {
            for (let number = first; number < end; number += 1) {
              const index = Math.floor(number / samples);
              const sampler = samplers[index];
              stream.moveTo(start, number * RESERVED_BLOCKS_PER_OUTPUT);
              output[(number % samples) * parameters.length + index] = sampler?.(stream) ?? Number.NaN;
            }
          },
          context.step.signal,
          () => [tensorOfNumbers(dtype, shape, output)],
        );
      };
    },
  };
}

const rateTypes = [...allFloatTypes, "int32", "int64"] as const satisfies readonly DType[];

/** Draws from gamma and Poisson distributions; TensorFlow's own but for the last digits of its logarithms. */
export const rejectionKernels: readonly StatefulKernelDefinition[] = [
  rejectionKernel({
    op: "RandomGamma",
    parameter: "alpha",
    outputAttr: "T",
    types: { T: ["float16", "float32", "float64"] },
    samplerFor: gammaSampler,
  }),
  ...["RandomPoisson", "RandomPoissonV2"].map((op) =>
    rejectionKernel({
      op,
      parameter: "rate",
      outputAttr: "dtype",
      types: { R: rateTypes, dtype: rateTypes },
      samplerFor: poissonSampler,
    }),
  ),
];
