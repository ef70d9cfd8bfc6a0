import { invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import type { PureKernelDefinition } from "../kernel.js";
import type { KernelNode } from "../kernel-node.js";
import { pureKernel } from "../support/define.js";
import { allFloatTypes } from "../support/dtypes.js";
import { type NumberArray, newNumbers, numbersOf } from "../support/elements.js";
import { cppShapeText, productOf, sameShape } from "../support/shapes.js";
import { type Convolution, filterGradientForm, forwardForm, inputGradientForm } from "./convolution-forms.js";
import { imagePixel, type WindowAttributes, type WindowGeometry, windowGeometry } from "./windows.js";

/** Nanoseconds per multiplication in these loops on a slow core. */
const MULTIPLICATION_NANOSECONDS = 3;

/**
 * A convolution of each channel alone. Images are [batch, rows, columns, channels], filters
 * [rows, columns, channels, multiplier].
 */
interface DepthwiseConvolution {
  readonly geometry: WindowGeometry;
  readonly batch: number;
  readonly channels: number;
  /** Output channels per input channel. */
  readonly multiplier: number;
  readonly outShape: readonly number[];
}

/** @throws TensorFlowError INVALID_ARGUMENT for shapes that do not fit together. */
function depthwiseOf(
  attributes: WindowAttributes,
  image: readonly number[],
  filter: readonly number[],
): DepthwiseConvolution {
  const [batch = 0, , , channels = 0] = image;
  const [rows = 0, columns = 0, filterChannels = 0, multiplier = 0] = filter;
  if (filter.length !== 4) {
    throw invalidArgument(`filter must be 4-dimensional: ${cppShapeText(filter)}`);
  }
  if (channels !== filterChannels) {
    throw invalidArgument(`input and filter must have the same depth: ${channels} vs ${filterChannels}`);
  }
  const geometry = windowGeometry(attributes, image, [rows, columns]);
  const outShape = [batch, geometry.rows.output, geometry.columns.output, channels * multiplier];
  return { geometry, batch, channels, multiplier, outShape };
}

/**
 * Calls `visit` for each pixel under each window that lies within the image.
 * @param visit receives the indices where the channels begin in the images, in the filter and in the result.
 */
function forEachTap(
  { geometry: { rows, columns }, batch, channels, multiplier }: DepthwiseConvolution,
  visit: (inImages: number, inFilter: number, inResult: number) => void,
): void {
  const outChannels = channels * multiplier;
  let inResult = 0;
  for (let image = 0; image < batch; image += 1) {
    for (let indexRow = 0; indexRow < rows.output; indexRow += 1) {
      for (let placeColumn = 0; placeColumn < columns.output; placeColumn += 1) {
        for (let i = 0; i < rows.window; i += 1) {
          const row = imagePixel(rows, indexRow, i);
          for (let j = 0; j < columns.window; j += 1) {
            const column = imagePixel(columns, placeColumn, j);
            if (row >= 0 && row < rows.input && column >= 0 && column < columns.input) {
              const pixel = (image * rows.input + row) * columns.input + column;
              visit(pixel * channels, (i * columns.window + j) * outChannels, inResult);
            }
          }
        }
        inResult += outChannels;
      }
    }
  }
}

function convolve(attributes: WindowAttributes, images: Tensor, filter: Tensor): Tensor {
  const convolution = depthwiseOf(attributes, images.shape, filter.shape);
  const { channels, multiplier, outShape } = convolution;
  const [pixels, weights] = [numbersOf(images), numbersOf(filter)];
  const out = newNumbers(images.dtype, outShape);
  forEachTap(convolution, (inImages, inFilter, inResult) => {
    if (multiplier === 1) {
      addProducts(out, inResult, pixels, inImages, weights, inFilter, channels);
      return;
    }
    for (let channel = 0; channel < channels; channel += 1) {
      const pixel = pixels[inImages + channel] as number;
      for (let k = channel * multiplier; k < (channel + 1) * multiplier; k += 1) {
        out[inResult + k] = (out[inResult + k] as number) + pixel * (weights[inFilter + k] as number);
      }
    }
  });
  return new Tensor(images.dtype, outShape, out);
}

/** out[at + i] += x[inX + i] · y[inY + i], for most networks, in which each channel has one filter. */
function addProducts(
  out: NumberArray,
  at: number,
  x: NumberArray,
  inX: number,
  y: NumberArray,
  inY: number,
  count: number,
): void {
  for (let i = 0; i < count; i += 1) {
    out[at + i] = (out[at + i] as number) + (x[inX + i] as number) * (y[inY + i] as number);
  }
}

function filterGradient(
  attributes: WindowAttributes,
  images: Tensor,
  filterShape: readonly number[],
  gradient: Tensor,
): Tensor {
  const convolution = depthwiseOf(attributes, images.shape, filterShape);
  checkGradient(convolution, gradient);
  const { channels, multiplier } = convolution;
  const [pixels, gradients] = [numbersOf(images), numbersOf(gradient)];
  // Summed over all images and positions, hence in double precision.
  const sums = new Float64Array(productOf(filterShape));
  forEachTap(convolution, (inImages, inFilter, inResult) => {
    for (let channel = 0; channel < channels; channel += 1) {
      const pixel = pixels[inImages + channel] as number;
      for (let k = channel * multiplier; k < (channel + 1) * multiplier; k += 1) {
        sums[inFilter + k] = (sums[inFilter + k] as number) + pixel * (gradients[inResult + k] as number);
      }
    }
  });
  const out = newNumbers(images.dtype, filterShape);
  out.set(sums);
  return new Tensor(images.dtype, filterShape, out);
}

function inputGradient(
  attributes: WindowAttributes,
  imageShape: readonly number[],
  filter: Tensor,
  gradient: Tensor,
): Tensor {
  const convolution = depthwiseOf(attributes, imageShape, filter.shape);
  checkGradient(convolution, gradient);
  const { channels, multiplier } = convolution;
  const [weights, gradients] = [numbersOf(filter), numbersOf(gradient)];
  const out = newNumbers(filter.dtype, imageShape);
  forEachTap(convolution, (inImages, inFilter, inResult) => {
    for (let channel = 0; channel < channels; channel += 1) {
      let sum = out[inImages + channel] as number;
      for (let k = channel * multiplier; k < (channel + 1) * multiplier; k += 1) {
        sum += (weights[inFilter + k] as number) * (gradients[inResult + k] as number);
      }
      out[inImages + channel] = sum;
    }
  });
  return new Tensor(filter.dtype, imageShape, out);
}

function checkGradient({ outShape }: DepthwiseConvolution, gradient: Tensor): void {
  if (!sameShape(outShape, gradient.shape)) {
    throw invalidArgument(
      `Size of out_backprop doesn't match computed: actual = ${cppShapeText(gradient.shape)}, computed = ${cppShapeText(outShape)}`,
    );
  }
}

/** The size of the result times that of the window, as an upper bound from the inputs. */
function cost(_: KernelNode, inputs: readonly Tensor[]): number {
  const largest = Math.max(0, ...inputs.map(({ size }) => size));
  const window = productOf(
    inputs.find(({ shape, size }) => shape.length === 4 && size < largest)?.shape ?? [],
    0,
    2,
  );
  return largest * Math.min(window, 1000) * MULTIPLICATION_NANOSECONDS;
}

const options = { types: { T: allFloatTypes }, cost };

const depthwise: Convolution = { convolve, filterGradient, inputGradient };

export const depthwiseConvolutionKernels: readonly PureKernelDefinition[] = [
  pureKernel("DepthwiseConv2dNative", (node) => forwardForm(node, depthwise), options),
  pureKernel("DepthwiseConv2dNativeBackpropFilter", (node) => filterGradientForm(node, depthwise), options),
  pureKernel("DepthwiseConv2dNativeBackpropInput", (node) => inputGradientForm(node, depthwise), options),
];
