import { invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import type { PureKernelDefinition } from "../kernel.js";
import type { KernelNode } from "../kernel-node.js";
import { perElement, pureKernel, withSmallFloats } from "../support/define.js";
import { allFloatTypes } from "../support/dtypes.js";
import { inputAt, type NumberArray, newNumbers, numbersOf } from "../support/elements.js";
import { cppShapeText, sameShape } from "../support/shapes.js";
import {
  channelsLastOrder,
  fromChannelsLast,
  imagePixel,
  shapeInput,
  toChannelsLast,
  type WindowAttributes,
  type WindowDimension,
  type WindowGeometry,
  windowAttributes,
  windowGeometry,
} from "./windows.js";

const NANOSECONDS_PER_ELEMENT = 15;

export interface Pooling {
  readonly attributes: WindowAttributes;
  readonly window: readonly [number, number];
}

export function poolingOf(node: KernelNode): Pooling {
  const attributes = windowAttributes(node);
  const [, rows = 1, columns = 1] = channelsLastOrder(node.ints("ksize"), attributes.channelsFirst, "ksize");
  if (rows <= 0 || columns <= 0) {
    throw invalidArgument(`ksize must be positive: [${rows}, ${columns}]`);
  }
  return { attributes, window: [rows, columns] };
}

/** Windows over batches or channels are not supported. */
export function poolsImages(node: KernelNode): boolean {
  const channel = node.has("data_format") && node.string("data_format") === "NCHW" ? 1 : 3;
  return [node.ints("ksize"), node.ints("strides")].every((sizes) => sizes[0] === 1 && sizes[channel] === 1);
}

/** The part of a window that lies within the image: [first pixel, end). */
export function pixelsUnder(dimension: WindowDimension, index: number): readonly [number, number] {
  const start = imagePixel(dimension, index, 0);
  return [Math.max(0, start), Math.min(dimension.input, start + dimension.window)];
}

/**
 * Calls `visit` for every position of the window in every image.
 * @param visit receives the indices where the position's channels begin in the result and in the pixels under it.
 */
function forEachWindow(
  batch: number,
  channels: number,
  { rows, columns }: WindowGeometry,
  visit: (inResult: number, pixels: readonly number[]) => void,
): void {
  let inResult = 0;
  for (let image = 0; image < batch; image += 1) {
    for (let indexRow = 0; indexRow < rows.output; indexRow += 1) {
      const [top, bottom] = pixelsUnder(rows, indexRow);
      for (let placeColumn = 0; placeColumn < columns.output; placeColumn += 1) {
        const [left, right] = pixelsUnder(columns, placeColumn);
        const pixels: number[] = [];
        for (let row = top; row < bottom; row += 1) {
          for (let column = left; column < right; column += 1) {
            pixels.push(((image * rows.input + row) * columns.input + column) * channels);
          }
        }
        visit(inResult, pixels);
        inResult += channels;
      }
    }
  }
}

/** The index in the images of the first pixel with the largest value in a channel. */
export function largest(images: NumberArray, pixels: readonly number[], channel: number): number {
  let best = (pixels[0] ?? 0) + channel;
  for (const pixel of pixels) {
    if ((images[pixel + channel] as number) > (images[best] as number)) {
      best = pixel + channel;
    }
  }
  return best;
}

function pool(images: Tensor, pooling: Pooling, average: boolean): Tensor {
  const [batch = 0, , , channels = 0] = images.shape;
  const geometry = windowGeometry(pooling.attributes, images.shape, pooling.window);
  const shape = [batch, geometry.rows.output, geometry.columns.output, channels];
  const values = numbersOf(images);
  const out = newNumbers(images.dtype, shape);
  const channelSums = new Float64Array(channels);
  forEachWindow(batch, channels, geometry, (inResult, pixels) => {
    if (average) {
      channelSums.fill(0);
      for (const pixel of pixels) addChannels(channelSums, values, pixel);
      putChannels(out, inResult, channelSums, pixels.length);
    } else {
      // A NaN stays only if it is that of the first pixel, as in TensorFlow.
      out.set(values.subarray(pixels[0] ?? 0, (pixels[0] ?? 0) + channels), inResult);
      for (const pixel of pixels) raiseChannels(out, inResult, values, pixel, channels);
    }
  });
  return new Tensor(images.dtype, shape, out);
}

function addChannels(sums: Float64Array, values: NumberArray, pixel: number): void {
  for (let channel = 0; channel < sums.length; channel += 1) {
    sums[channel] = (sums[channel] as number) + (values[pixel + channel] as number);
  }
}

function putChannels(out: NumberArray, at: number, sums: Float64Array, divisor: number): void {
  for (let channel = 0; channel < sums.length; channel += 1) {
    out[at + channel] = (sums[channel] as number) / divisor;
  }
}

function raiseChannels(
  out: NumberArray,
  at: number,
  values: NumberArray,
  pixel: number,
  channels: number,
): void {
  for (let channel = 0; channel < channels; channel += 1) {
    const value = values[pixel + channel] as number;
    if (value > (out[at + channel] as number)) out[at + channel] = value;
  }
}

/** Adds each window's gradient to its largest pixel. */
function maxPoolGradient(images: Tensor, gradient: Tensor, pooling: Pooling): Tensor {
  const values = numbersOf(images);
  return spread(images.shape, gradient, pooling, (out, gradients, at, pixels, channel) => {
    const target = largest(values, pixels, channel);
    out[target] = (out[target] as number) + (gradients[at] as number);
  });
}

/** Divides each window's gradient equally among its pixels. */
function averagePoolGradient(shape: readonly number[], gradient: Tensor, pooling: Pooling): Tensor {
  return spread(shape, gradient, pooling, (out, gradients, at, pixels, channel) => {
    const part = (gradients[at] as number) / pixels.length;
    for (const pixel of pixels) {
      out[pixel + channel] = (out[pixel + channel] as number) + part;
    }
  });
}

type Spread = (
  out: NumberArray,
  gradients: NumberArray,
  at: number,
  pixels: readonly number[],
  channel: number,
) => void;

/** A tensor of images to which `change` applies the gradient of each window. */
function spread(shape: readonly number[], gradient: Tensor, pooling: Pooling, change: Spread): Tensor {
  const [batch = 0, , , channels = 0] = shape;
  const geometry = windowGeometry(pooling.attributes, shape, pooling.window);
  const expected = [batch, geometry.rows.output, geometry.columns.output, channels];
  if (!sameShape(expected, gradient.shape)) {
    throw invalidArgument(
      `Expected grad shape to be ${cppShapeText(expected)}, but got ${cppShapeText(gradient.shape)}`,
    );
  }
  const gradients = numbersOf(gradient);
  const out = newNumbers(gradient.dtype, shape);
  forEachWindow(batch, channels, geometry, (inResult, pixels) => {
    for (let channel = 0; channel < channels; channel += 1) {
      change(out, gradients, inResult + channel, pixels, channel);
    }
  });
  return new Tensor(gradient.dtype, shape, out);
}

function poolKernel(op: string, average: boolean): PureKernelDefinition {
  return pureKernel(
    op,
    (node) => {
      const pooling = poolingOf(node);
      const { channelsFirst } = pooling.attributes;
      return withSmallFloats((inputs) => {
        const images = toChannelsLast(inputAt(inputs, 0), channelsFirst, "tensor_in");
        return [fromChannelsLast(pool(images, pooling, average), channelsFirst)];
      });
    },
    {
      types: { T: allFloatTypes },
      fits: poolsImages,
      cost: perElement(NANOSECONDS_PER_ELEMENT),
    },
  );
}

const maxPoolGradKernel = pureKernel(
  "MaxPoolGrad",
  (node) => {
    const pooling = poolingOf(node);
    const { channelsFirst } = pooling.attributes;
    return withSmallFloats((inputs) => {
      const images = toChannelsLast(inputAt(inputs, 0), channelsFirst, "orig_input");
      const gradient = toChannelsLast(inputAt(inputs, 2), channelsFirst, "grad");
      if (!sameShape(inputAt(inputs, 1).shape, inputAt(inputs, 2).shape)) {
        throw invalidArgument(
          `Expected orig_output shape to be ${cppShapeText(inputAt(inputs, 2).shape)}, but got ${cppShapeText(inputAt(inputs, 1).shape)}`,
        );
      }
      return [fromChannelsLast(maxPoolGradient(images, gradient, pooling), channelsFirst)];
    });
  },
  { types: { T: allFloatTypes }, fits: poolsImages, cost: perElement(NANOSECONDS_PER_ELEMENT) },
);

const averagePoolGradKernel = pureKernel(
  "AvgPoolGrad",
  (node) => {
    const pooling = poolingOf(node);
    const { channelsFirst } = pooling.attributes;
    return withSmallFloats((inputs) => {
      const sizes = shapeInput(inputAt(inputs, 0), "orig_input_shape");
      const shape = channelsLastOrder(sizes, channelsFirst, "orig_input_shape");
      const gradient = toChannelsLast(inputAt(inputs, 1), channelsFirst, "out_backprop");
      return [fromChannelsLast(averagePoolGradient(shape, gradient, pooling), channelsFirst)];
    });
  },
  { types: { T: allFloatTypes }, fits: poolsImages, cost: perElement(NANOSECONDS_PER_ELEMENT) },
);

export const poolingKernels: readonly PureKernelDefinition[] = [
  poolKernel("MaxPool", false),
  poolKernel("AvgPool", true),
  maxPoolGradKernel,
  averagePoolGradKernel,
];
