import type { Tensor } from "../../../../protocol/tensor.js";
import type { KernelNode } from "../kernel-node.js";
import { type Compute, withSmallFloats } from "../support/define.js";
import { inputAt } from "../support/elements.js";
import {
  channelsLastOrder,
  fromChannelsLast,
  shapeInput,
  toChannelsLast,
  type WindowAttributes,
  windowAttributes,
} from "./windows.js";

/** A kind of convolution with its gradients, all on NHWC images. */
export interface Convolution {
  convolve(attributes: WindowAttributes, images: Tensor, filter: Tensor): Tensor;
  filterGradient(
    attributes: WindowAttributes,
    images: Tensor,
    filterShape: readonly number[],
    gradient: Tensor,
  ): Tensor;
  inputGradient(
    attributes: WindowAttributes,
    imageShape: readonly number[],
    filter: Tensor,
    gradient: Tensor,
  ): Tensor;
}

/** A node that convolves: inputs images and filter, in the order of the attribute data_format. */
export function forwardForm(node: KernelNode, { convolve }: Convolution): Compute {
  const attributes = windowAttributes(node);
  const { channelsFirst } = attributes;
  return withSmallFloats((inputs) => {
    const images = toChannelsLast(inputAt(inputs, 0), channelsFirst);
    return [fromChannelsLast(convolve(attributes, images, inputAt(inputs, 1)), channelsFirst)];
  });
}

/** A …BackpropFilter node: inputs images, the filter's shape, and the gradient of the result. */
export function filterGradientForm(node: KernelNode, { filterGradient }: Convolution): Compute {
  const attributes = windowAttributes(node);
  const { channelsFirst } = attributes;
  return withSmallFloats((inputs) => {
    const images = toChannelsLast(inputAt(inputs, 0), channelsFirst);
    const filterShape = shapeInput(inputAt(inputs, 1), "filter_sizes");
    const gradient = toChannelsLast(inputAt(inputs, 2), channelsFirst, "out_backprop");
    return [filterGradient(attributes, images, filterShape, gradient)];
  });
}

/** A …BackpropInput node: inputs the images' shape, the filter, and the gradient of the result. */
export function inputGradientForm(node: KernelNode, { inputGradient }: Convolution): Compute {
  const attributes = windowAttributes(node);
  const { channelsFirst } = attributes;
  return withSmallFloats((inputs) => {
    const sizes = shapeInput(inputAt(inputs, 0), "input_sizes");
    const imageShape = channelsLastOrder(sizes, channelsFirst, "input_sizes");
    const gradient = toChannelsLast(inputAt(inputs, 2), channelsFirst, "out_backprop");
    const result = inputGradient(attributes, imageShape, inputAt(inputs, 1), gradient);
    return [fromChannelsLast(result, channelsFirst)];
  });
}
