import { invalidArgument, outOfRange } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import type { PureKernelDefinition } from "../kernel.js";
import { pureKernel } from "../support/define.js";
import { realTypes } from "../support/dtypes.js";
import { inputAt, integersOf, type NumberArray, numbersOf } from "../support/elements.js";
import { cppShapeText } from "../support/shapes.js";
import { type ComputedPixels, type ImageSizes, imageSizes, newPixels, newSize, pixelsOf } from "./pixels.js";

const { fround } = Math;

/** The distance between neighbouring pixels of a crop, from the box's extent, the image's last pixel and the steps. */
export type CropStep = (extent: number, last: number, steps: number) => number;

const cropStep: CropStep = (extent, last, steps) => fround(fround(extent * last) / steps);

/**
 * The coordinates in the image of the pixels along one side of a crop, in TensorFlow's single precision; undefined for
 * those outside of it.
 */
export function coordinatesOf(
  begin: number,
  end: number,
  crop: number,
  size: number,
  stepOf: CropStep = cropStep,
): (number | undefined)[] {
  const last = size - 1;
  const step = crop > 1 ? stepOf(fround(end - begin), last, crop - 1) : 0;
  const first = crop > 1 ? fround(begin * last) : fround(0.5 * fround(begin + end) * last);
  return Array.from({ length: crop }, (_, i) => {
    const coordinate = fround(first + fround(i * step));
    return coordinate >= 0 && coordinate <= last ? coordinate : undefined;
  });
}

/** How a pixel is computed from those around its position. */
type Sampler = (out: ComputedPixels, to: number, image: number, y: number, x: number) => void;

/** The weighted mean of the four pixels around the position. */
function bilinear(pixels: NumberArray, { height, width, channels }: ImageSizes): Sampler {
  return (out, to, image, y, x) => {
    const [top, left] = [Math.floor(y), Math.floor(x)];
    const [down, right] = [fround(y - top), fround(x - left)];
    const row = (coordinate: number) => (image * height + coordinate) * width;
    const [upper, lower] = [row(top), row(Math.ceil(y))];
    const end = Math.ceil(x);
    for (let channel = 0; channel < channels; channel += 1) {
      const at = (pixel: number) => pixels[pixel * channels + channel] as number;
      const above = at(upper + left) + (at(upper + end) - at(upper + left)) * right;
      const below = at(lower + left) + (at(lower + end) - at(lower + left)) * right;
      out[to + channel] = above + (below - above) * down;
    }
  };
}

function nearest(pixels: NumberArray, { height, width, channels }: ImageSizes): Sampler {
  return (out, to, image, y, x) => {
    const from = ((image * height + Math.round(y)) * width + Math.round(x)) * channels;
    out.set(pixels.subarray(from, from + channels), to);
  };
}

/** @throws TensorFlowError INVALID_ARGUMENT, OUT_OF_RANGE for an invalid image index. */
function imageOfBoxes(boxes: Tensor, boxIndex: Tensor, batch: number): readonly number[] {
  if (boxes.shape.length !== 2 || boxes.shape[1] !== 4) {
    throw invalidArgument(`boxes must be 2-D with 4 columns: ${cppShapeText(boxes.shape)}`);
  }
  if (boxIndex.shape.length !== 1 || boxIndex.size !== boxes.shape[0]) {
    throw invalidArgument(`box_index has incompatible shape: ${cppShapeText(boxIndex.shape)}`);
  }
  const images = integersOf(boxIndex);
  if (images.some((image) => image < 0 || image >= batch)) {
    throw outOfRange("box_index has values outside [0, batch_size)");
  }
  return images;
}

/** The value of pixels outside the image, and how those inside are sampled. */
interface CropRules {
  readonly outside: number;
  readonly samplerOf: (pixels: NumberArray, sizes: ImageSizes) => Sampler;
}

function crop(inputs: readonly Tensor[], { outside, samplerOf }: CropRules): Tensor {
  const [images, boxes] = [inputAt(inputs, 0), inputAt(inputs, 1)];
  const sizes = imageSizes(images, "input image");
  const [height, width] = newSize(inputAt(inputs, 3));
  const imageOf = imageOfBoxes(boxes, inputAt(inputs, 2), sizes.batch);
  const sample = samplerOf(pixelsOf(images), sizes);
  const corners = numbersOf(boxes);
  const shape = [imageOf.length, height, width, sizes.channels];
  const out = newPixels(shape);
  let to = 0;
  for (const [box, image] of imageOf.entries()) {
    const [y1 = 0, x1 = 0, y2 = 0, x2 = 0] = corners.subarray(4 * box, 4 * box + 4);
    const columns = coordinatesOf(x1, x2, width, sizes.width);
    for (const y of coordinatesOf(y1, y2, height, sizes.height)) {
      for (const x of columns) {
        if (y === undefined || x === undefined) {
          out.fill(outside, to, to + sizes.channels);
        } else {
          sample(out, to, image, y, x);
        }
        to += sizes.channels;
      }
    }
  }
  return new Tensor("float32", shape, out);
}

/** Nanoseconds per element of a crop. */
const NANOSECONDS = 15;

/** Crops of images of any real dtype, resized to one size, as float32. */
export const cropKernel: PureKernelDefinition = pureKernel(
  "CropAndResize",
  (node) => {
    const method = node.string("method");
    const rules = {
      outside: node.float("extrapolation_value"),
      samplerOf: method === "nearest" ? nearest : bilinear,
    };
    return (inputs) => [crop(inputs, rules)];
  },
  {
    types: { T: realTypes },
    cost: (_, inputs) => {
      const [height = 0, width = 0] = integersOf(inputAt(inputs, 3));
      const channels = inputAt(inputs, 0).shape.at(-1) ?? 0;
      return NANOSECONDS * (inputAt(inputs, 1).shape[0] ?? 0) * height * width * channels;
    },
  },
);
