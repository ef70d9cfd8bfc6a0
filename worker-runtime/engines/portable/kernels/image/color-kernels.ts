import { failedPrecondition, invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import type { PureKernelDefinition } from "../kernel.js";
import { perElement, pureKernel, withSmallFloats } from "../support/define.js";
import { allFloatTypes } from "../support/dtypes.js";
import { inputAt, newNumbers, numbersOf } from "../support/elements.js";
import { cppShapeText, productOf } from "../support/shapes.js";
import { hsvOfRgb, rgbOfHsv, scaleSaturation, type Triple, turnHue } from "./color-space.js";

/** Replaces each pixel of three channels. */
function mapPixels(images: Tensor, map: (pixel: Triple) => Triple): Tensor {
  const pixels = numbersOf(images);
  const out = newNumbers(images.dtype, images.shape);
  for (let i = 0; i < pixels.length; i += 3) {
    out.set(map([pixels[i] as number, pixels[i + 1] as number, pixels[i + 2] as number]), i);
  }
  return new Tensor(images.dtype, images.shape, out);
}

/** @throws TensorFlowError INVALID_ARGUMENT for images of fewer than three dimensions or without three channels. */
function checkImages({ shape }: Tensor): void {
  if (shape.length < 3) {
    throw invalidArgument(`input must be at least 3-D, got shape${cppShapeText(shape)}`);
  }
  if (shape.at(-1) !== 3) {
    throw invalidArgument(`input must have 3 channels but instead has ${shape.at(-1)} channels.`);
  }
}

/** @throws TensorFlowError INVALID_ARGUMENT for a scalar, FAILED_PRECONDITION unless there are three channels. */
function checkColors({ shape }: Tensor): void {
  if (shape.length < 1) {
    throw invalidArgument(`input must be at least 1D${cppShapeText(shape)}`);
  }
  if (shape.at(-1) !== 3) {
    throw failedPrecondition(`input must have 3 channels but input only has ${shape.at(-1)} channels.`);
  }
}

/** The only element of a scalar input. @throws TensorFlowError INVALID_ARGUMENT */
function scalarInput(input: Tensor, what: string): number {
  if (input.shape.length !== 0) {
    throw invalidArgument(`${what} must be scalar: ${cppShapeText(input.shape)}`);
  }
  return numbersOf(input)[0] ?? 0;
}

function conversion(op: string, convert: (a: number, b: number, c: number) => Triple): PureKernelDefinition {
  return pureKernel(
    op,
    () =>
      withSmallFloats((inputs) => {
        const images = inputAt(inputs, 0);
        checkColors(images);
        return [mapPixels(images, (pixel) => convert(...pixel))];
      }),
    { types: { T: allFloatTypes }, cost: perElement(20) },
  );
}

/** The scalar is always float32, regardless of the dtype of the images. */
function adjustment(
  op: string,
  what: string,
  adjust: (images: Tensor, by: number) => Tensor,
): PureKernelDefinition {
  return pureKernel(
    op,
    () => withSmallFloats((inputs) => [adjust(inputAt(inputs, 0), scalarInput(inputAt(inputs, 1), what))]),
    { types: { T: ["float32", "float16"] }, cost: perElement(30) },
  );
}

/** Moves each channel of each image away from its mean. */
function adjustContrast(images: Tensor, factor: number): Tensor {
  const { shape } = images;
  if (shape.length < 3) {
    throw invalidArgument(`input must be at least 3-D, got shape${cppShapeText(shape)}`);
  }
  const [height = 0, width = 0, channels = 0] = shape.slice(-3);
  const size = height * width * channels;
  const pixels = numbersOf(images);
  const out = newNumbers(images.dtype, shape);
  for (let image = 0; image < productOf(shape, 0, shape.length - 3); image += 1) {
    for (let channel = 0; channel < channels; channel += 1) {
      const [first, end] = [image * size + channel, (image + 1) * size];
      let sum = 0;
      for (let i = first; i < end; i += channels) {
        sum += pixels[i] as number;
      }
      const mean = Math.fround(sum / (height * width));
      for (let i = first; i < end; i += channels) {
        out[i] = ((pixels[i] as number) - mean) * factor + mean;
      }
    }
  }
  return new Tensor(images.dtype, shape, out);
}

function adjustColors(images: Tensor, map: (pixel: Triple) => Triple): Tensor {
  checkImages(images);
  return mapPixels(images, map);
}

/** Changes of color. */
export const colorKernels: readonly PureKernelDefinition[] = [
  conversion("RGBToHSV", hsvOfRgb),
  conversion("HSVToRGB", rgbOfHsv),
  adjustment("AdjustContrastv2", "contrast_factor", adjustContrast),
  adjustment("AdjustHue", "delta", (images, delta) => adjustColors(images, (pixel) => turnHue(pixel, delta))),
  adjustment("AdjustSaturation", "scale", (images, scale) =>
    adjustColors(images, (pixel) => scaleSaturation(pixel, scale)),
  ),
];
