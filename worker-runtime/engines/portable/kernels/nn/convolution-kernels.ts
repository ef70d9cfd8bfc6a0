import type { Tensor } from "../../../../protocol/tensor.js";
import type { PureKernelDefinition } from "../kernel.js";
import { pureKernel, withSmallFloats } from "../support/define.js";
import { allFloatTypes, tensorTypes } from "../support/dtypes.js";
import { inputAt, integersOf } from "../support/elements.js";
import { convolutionFilterGradient, convolutionInputGradient, convolve } from "./convolution.js";
import { type Convolution, filterGradientForm, forwardForm, inputGradientForm } from "./convolution-forms.js";
import { applyFusedSteps, fusedStepsOf } from "./fused-steps.js";
import { fromChannelsLast, toChannelsLast, windowAttributes } from "./windows.js";

/** Nanoseconds per multiplication on a slow core, including the copies that go with it. */
const MULTIPLICATION_NANOSECONDS = 0.5;

/** The cost of applying `filterSize` weights to every position of the larger of the two tensors of images. */
function cost(filterSize: number, images: Tensor | undefined): number {
  const channels = Math.max(1, images?.shape.at(-1) ?? 1);
  return ((images?.size ?? 0) / channels) * filterSize * MULTIPLICATION_NANOSECONDS;
}

const types = { T: allFloatTypes };

const crossChannel: Convolution = {
  convolve,
  filterGradient: convolutionFilterGradient,
  inputGradient: convolutionInputGradient,
};

export const convolutionKernels: readonly PureKernelDefinition[] = [
  pureKernel("Conv2D", (node) => forwardForm(node, crossChannel), {
    types,
    cost: (_, [images, filter]) => cost(filter?.size ?? 0, images),
  }),
  pureKernel(
    // TensorFlow's optimizer fuses Conv2D, BiasAdd (or FusedBatchNorm) and an activation into it.
    "_FusedConv2D",
    (node) => {
      const attributes = windowAttributes(node);
      const { channelsFirst } = attributes;
      const steps = fusedStepsOf(node);
      const end = 2 + node.int("num_args");
      return withSmallFloats((inputs) => {
        const images = toChannelsLast(inputAt(inputs, 0), channelsFirst);
        const args = inputs
          .slice(2, end)
          .map((arg) => (arg.shape.length === 4 ? toChannelsLast(arg, channelsFirst) : arg));
        const product = convolve(attributes, images, inputAt(inputs, 1));
        return [fromChannelsLast(applyFusedSteps(product, args, steps), channelsFirst)];
      });
    },
    {
      types: { ...types, TArgs: tensorTypes },
      fits: (node) => node.string("filter_format") === "HWIO",
      cost: (_, [images, filter]) => cost(filter?.size ?? 0, images),
    },
  ),
  pureKernel("Conv2DBackpropFilter", (node) => filterGradientForm(node, crossChannel), {
    types,
    cost: (_, [images, sizes]) => {
      const filterSize = sizes === undefined ? 0 : integersOf(sizes).reduce((size, dim) => size * dim, 1);
      return cost(filterSize, images);
    },
  }),
  pureKernel("Conv2DBackpropInput", (node) => inputGradientForm(node, crossChannel), {
    types,
    cost: (_, [, filter, gradient]) => cost(filter?.size ?? 0, gradient),
  }),
];
