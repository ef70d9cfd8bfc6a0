import { invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import type { PureKernelDefinition } from "../kernel.js";
import type { KernelNode } from "../kernel-node.js";
import { pureKernel, withSmallFloats } from "../support/define.js";
import { allFloatTypes, isLong, longTypes, shortIntTypes } from "../support/dtypes.js";
import { inputAt, type LongArray, longsOf, newLongs, newNumbers, numbersOf } from "../support/elements.js";
import { cppShapeText, productOf } from "../support/shapes.js";

/** A tensor seen as [outer, channels, inner], with one bias for each channel. */
interface ChannelLayout {
  readonly outer: number;
  readonly channels: number;
  readonly inner: number;
}

/**
 * The position of the channels of a tensor: the last dimension, or the second with data_format NCHW.
 * @throws TensorFlowError INVALID_ARGUMENT for scalars and vectors.
 */
export function channelLayout(shape: readonly number[], channelsFirst: boolean): ChannelLayout {
  if (shape.length < 2) {
    throw invalidArgument(`Input tensor must be at least 2D: ${cppShapeText(shape)}`);
  }
  const axis = channelsFirst ? 1 : shape.length - 1;
  return {
    outer: productOf(shape, 0, axis),
    channels: shape[axis] ?? 0,
    inner: productOf(shape, axis + 1),
  };
}

/** @throws TensorFlowError INVALID_ARGUMENT unless there is one bias for each channel. */
export function checkBias(value: Tensor, bias: Tensor, channels: number): void {
  if (bias.shape.length !== 1) {
    throw invalidArgument(`Biases must be 1D: ${cppShapeText(bias.shape)}`);
  }
  if (bias.shape[0] !== channels) {
    throw invalidArgument(
      `Must provide as many biases as the last dimension of the input tensor: ${cppShapeText(bias.shape)} vs. ${cppShapeText(value.shape)}`,
    );
  }
}

function biasAdd(value: Tensor, bias: Tensor, channelsFirst: boolean): Tensor {
  const { dtype, shape } = value;
  const layout = channelLayout(shape, channelsFirst);
  checkBias(value, bias, layout.channels);
  if (isLong(dtype)) {
    const out = newLongs(dtype, shape);
    addToLongs(longsOf(value), longsOf(bias), out, layout);
    return new Tensor(dtype, shape, out);
  }
  const [x, b] = [numbersOf(value), numbersOf(bias)];
  const out = newNumbers(dtype, shape);
  const { outer, channels, inner } = layout;
  let at = 0;
  for (let i = 0; i < outer; i += 1) {
    for (let channel = 0; channel < channels; channel += 1) {
      const addend = b[channel] as number;
      for (let k = 0; k < inner; k += 1) {
        out[at] = (x[at] as number) + addend;
        at += 1;
      }
    }
  }
  return new Tensor(dtype, shape, out);
}

function addToLongs(x: LongArray, bias: LongArray, out: LongArray, { channels, inner }: ChannelLayout): void {
  for (let at = 0; at < out.length; at += 1) {
    out[at] = (x[at] as bigint) + (bias[Math.floor(at / inner) % channels] as bigint);
  }
}

/** The sum over all dimensions except the channels. Floats are summed in double precision. */
function biasAddGrad(gradient: Tensor, channelsFirst: boolean): Tensor {
  const { dtype, shape } = gradient;
  const layout = channelLayout(shape, channelsFirst);
  const { outer, channels, inner } = layout;
  if (isLong(dtype)) {
    const sums = newLongs(dtype, [channels]);
    const x = longsOf(gradient);
    for (let at = 0; at < x.length; at += 1) {
      const channel = Math.floor(at / inner) % channels;
      sums[channel] = (sums[channel] as bigint) + (x[at] as bigint);
    }
    return new Tensor(dtype, [channels], sums);
  }
  const x = numbersOf(gradient);
  const sums = new Float64Array(channels);
  let at = 0;
  for (let i = 0; i < outer; i += 1) {
    for (let channel = 0; channel < channels; channel += 1) {
      for (let k = 0; k < inner; k += 1) {
        sums[channel] = (sums[channel] as number) + (x[at] as number);
        at += 1;
      }
    }
  }
  const out = newNumbers(dtype, [channels]);
  out.set(sums);
  return new Tensor(dtype, [channels], out);
}

/** Whether channels are the second dimension. @throws TensorFlowError INVALID_ARGUMENT for an unknown data format. */
export function isChannelsFirst(node: KernelNode): boolean {
  const format = node.has("data_format") ? node.string("data_format") : "NHWC";
  if (format !== "NHWC" && format !== "NCHW") {
    throw invalidArgument(`Invalid data format: ${format}`);
  }
  return format === "NCHW";
}

const types = { T: [...allFloatTypes, ...shortIntTypes, ...longTypes] };

function biasAddKernel(op: string): PureKernelDefinition {
  return pureKernel(
    op,
    (node) => {
      const channelsFirst = isChannelsFirst(node);
      return withSmallFloats((inputs) => [biasAdd(inputAt(inputs, 0), inputAt(inputs, 1), channelsFirst)]);
    },
    { types },
  );
}

export const biasKernels: readonly PureKernelDefinition[] = [
  biasAddKernel("BiasAdd"),
  biasAddKernel("BiasAddV1"),
  pureKernel(
    "BiasAddGrad",
    (node) => {
      const channelsFirst = isChannelsFirst(node);
      return withSmallFloats((inputs) => [biasAddGrad(inputAt(inputs, 0), channelsFirst)]);
    },
    { types },
  ),
];
