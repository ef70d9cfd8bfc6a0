import { invalidArgument } from "../../../../protocol/status.js";
import type { Tensor } from "../../../../protocol/tensor.js";
import type { PureKernelDefinition } from "../kernel.js";
import type { KernelNode } from "../kernel-node.js";
import { type Compute, pureKernel, withSmallFloats } from "../support/define.js";
import { allFloatTypes, indexTypes } from "../support/dtypes.js";
import { inputAt, integersOf } from "../support/elements.js";
import { cppShapeText, productOf } from "../support/shapes.js";
import {
  convolveVolumes,
  volumeAttributes,
  volumeFilterGradient,
  volumeInputGradient,
  volumesAsGiven,
  volumesChannelsLast,
} from "./volume-convolution.js";

/** Nanoseconds per multiplication on a slow core, including the copies that go with it. */
const MULTIPLICATION_NANOSECONDS = 0.5;

/** The cost of applying a filter of `filterSize` elements to every voxel of the larger of the two tensors. */
function cost(node: KernelNode, filterSize: number, volumes: Tensor | undefined): number {
  const channelsFirst = node.has("data_format") && node.string("data_format") === "NCDHW";
  const channels = Math.max(1, volumes?.shape.at(channelsFirst ? 1 : -1) ?? 1);
  return ((volumes?.size ?? 0) / channels) * filterSize * MULTIPLICATION_NANOSECONDS;
}

/** The shape given as an input. @throws TensorFlowError INVALID_ARGUMENT */
function shapeOf(sizes: Tensor, what: string): readonly number[] {
  const shape = integersOf(sizes);
  if (sizes.shape.length !== 1 || shape.length !== 5 || shape.some((size) => size < 0)) {
    throw invalidArgument(`${what} must be a vector of 5 sizes, not ${cppShapeText(shape)}`);
  }
  return shape;
}

function forward(node: KernelNode): Compute {
  const attributes = volumeAttributes(node);
  const { channelsFirst } = attributes;
  return withSmallFloats((inputs) => {
    const volumes = volumesChannelsLast(inputAt(inputs, 0), channelsFirst, "input");
    return [volumesAsGiven(convolveVolumes(attributes, volumes, inputAt(inputs, 1)), channelsFirst)];
  });
}

function filterGradient(node: KernelNode): Compute {
  const attributes = volumeAttributes(node);
  const { channelsFirst } = attributes;
  return withSmallFloats((inputs) => {
    const volumes = volumesChannelsLast(inputAt(inputs, 0), channelsFirst, "input");
    const shape = shapeOf(inputAt(inputs, 1), "filter_sizes");
    const gradients = volumesChannelsLast(inputAt(inputs, 2), channelsFirst, "out_backprop");
    return [volumeFilterGradient(attributes, volumes, shape, gradients)];
  });
}

function inputGradient(node: KernelNode): Compute {
  const attributes = volumeAttributes(node);
  const { channelsFirst } = attributes;
  return withSmallFloats((inputs) => {
    const given = shapeOf(inputAt(inputs, 0), "input_sizes");
    const [batch = 0, channels = 0, ...inner] = given;
    const shape = channelsFirst ? [batch, ...inner, channels] : given;
    const gradients = volumesChannelsLast(inputAt(inputs, 2), channelsFirst, "out_backprop");
    const result = volumeInputGradient(attributes, shape, inputAt(inputs, 1), gradients);
    return [volumesAsGiven(result, channelsFirst)];
  });
}

const options = { types: { T: allFloatTypes } } as const;

/** Convolutions of volumes, and their gradients. */
export const volumeConvolutionKernels: readonly PureKernelDefinition[] = [
  pureKernel("Conv3D", forward, {
    ...options,
    cost: (node, [volumes, filter]) => cost(node, filter?.size ?? 0, volumes),
  }),
  pureKernel("Conv3DBackpropFilterV2", filterGradient, {
    ...options,
    cost: (node, [volumes, sizes]) =>
      cost(node, sizes === undefined ? 0 : productOf(integersOf(sizes)), volumes),
  }),
  pureKernel("Conv3DBackpropInputV2", inputGradient, {
    ...options,
    types: { T: allFloatTypes, Tshape: indexTypes },
    cost: (node, [, filter, gradients]) => cost(node, filter?.size ?? 0, gradients),
  }),
];
