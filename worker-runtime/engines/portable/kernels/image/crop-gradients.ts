import type { DType } from "../../../../protocol/dtype.js";
import { invalidArgument, outOfRange } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import type { PureKernelDefinition } from "../kernel.js";
import { type Cost, pureKernel } from "../support/define.js";
import { realTypes } from "../support/dtypes.js";
import { inputAt, integersOf, numbersOf } from "../support/elements.js";
import { cppShapeText, productOf } from "../support/shapes.js";
import { type CropStep, coordinatesOf } from "./crop-kernels.js";
import { type ImageSizes, imageSizes, newPixels, pixelsOf, pixelTensor } from "./pixels.js";

/** The position from which a pixel along one side of a crop was sampled: between two pixels of the image. */
interface Sample {
  readonly before: number;
  readonly after: number;
  /** The weight of the second pixel. */
  readonly part: number;
  readonly nearest: number;
  /** The derivatives of its position with respect to the beginning and the end of the box. */
  readonly byBegin: number;
  readonly byEnd: number;
}

/** A sample for each pixel of a side; undefined if it lies outside of the image. */
function samplesOf(
  begin: number,
  end: number,
  crop: number,
  size: number,
  stepOf: CropStep | undefined,
): (Sample | undefined)[] {
  const last = size - 1;
  return coordinatesOf(begin, end, crop, size, stepOf).map((coordinate, i) => {
    if (coordinate === undefined) {
      return undefined;
    }
    const share = crop > 1 ? i / (crop - 1) : 0.5;
    const before = Math.floor(coordinate);
    return {
      before,
      after: Math.ceil(coordinate),
      part: coordinate - before,
      nearest: Math.round(coordinate),
      byBegin: last * (1 - share),
      byEnd: last * share,
    };
  });
}

/** A pixel of a crop that lies within its image. */
interface CropPixel {
  readonly box: number;
  readonly image: number;
  readonly y: Sample;
  readonly x: Sample;
  /** The index of its channels in the gradients. */
  readonly at: number;
}

interface Crops {
  readonly gradients: Tensor;
  readonly boxes: Tensor;
  readonly boxIndices: readonly number[];
  readonly sizes: ImageSizes;
}

/**
 * Checks the inputs that both gradients share.
 * @throws TensorFlowError INVALID_ARGUMENT, OUT_OF_RANGE for an invalid image index.
 */
function checkCrops(gradients: Tensor, boxes: Tensor, boxIndex: Tensor, sizes: ImageSizes): Crops {
  const crops = imageSizes(gradients, "grads image");
  if (boxes.shape.length !== 2 || boxes.shape[1] !== 4) {
    throw invalidArgument(`boxes must be 2-D with 4 columns: ${cppShapeText(boxes.shape)}`);
  }
  if (boxIndex.shape.length !== 1 || boxIndex.size !== boxes.shape[0]) {
    throw invalidArgument(`box_index has incompatible shape: ${cppShapeText(boxIndex.shape)}`);
  }
  if (sizes.height <= 0 || sizes.width <= 0) {
    throw invalidArgument("image dimensions must be positive");
  }
  if (crops.batch !== boxIndex.size) {
    throw invalidArgument("boxes and grads have incompatible shape");
  }
  if (crops.channels !== sizes.channels) {
    throw invalidArgument("image_size and grads are incompatible");
  }
  const boxIndices = integersOf(boxIndex);
  if (boxIndices.some((index) => index < 0 || index >= sizes.batch)) {
    throw outOfRange("box_index has values outside [0, batch_size)");
  }
  return { gradients, boxes, boxIndices, sizes };
}

function forEachPixel(
  { gradients, boxes, boxIndices, sizes }: Crops,
  stepOf: CropStep | undefined,
  visit: (pixel: CropPixel) => void,
): void {
  const [, height = 0, width = 0, channels = 0] = gradients.shape;
  const corners = numbersOf(boxes);
  for (const [box, image] of boxIndices.entries()) {
    const [y1 = 0, x1 = 0, y2 = 0, x2 = 0] = corners.subarray(box * 4, box * 4 + 4);
    const rows = samplesOf(y1, y2, height, sizes.height, stepOf);
    const columns = samplesOf(x1, x2, width, sizes.width, stepOf);
    for (const [i, y] of rows.entries()) {
      for (const [j, x] of columns.entries()) {
        if (y !== undefined && x !== undefined) {
          visit({ box, image, y, x, at: ((box * height + i) * width + j) * channels });
        }
      }
    }
  }
}

function gradientOfImage(crops: Crops, nearest: boolean, dtype: DType): Tensor {
  const { batch, height, width, channels } = crops.sizes;
  const shape = [batch, height, width, channels];
  const out = newPixels(shape, dtype);
  const gradients = numbersOf(crops.gradients);
  forEachPixel(crops, undefined, ({ image, y, x, at }) => {
    const add = (row: number, column: number, weight: number) => {
      const to = ((image * height + row) * width + column) * channels;
      for (let channel = 0; channel < channels; channel += 1) {
        out[to + channel] = (out[to + channel] as number) + weight * (gradients[at + channel] as number);
      }
    };
    if (nearest) {
      add(y.nearest, x.nearest, 1);
      return;
    }
    add(y.before, x.before, (1 - y.part) * (1 - x.part));
    add(y.before, x.after, (1 - y.part) * x.part);
    add(y.after, x.before, y.part * (1 - x.part));
    add(y.after, x.after, y.part * x.part);
  });
  return pixelTensor(dtype, shape, out);
}

/** TensorFlow rounds in a different order here, which matters at the edge of the image (crop_and_resize_op.cc). */
const stepByRatio: CropStep = (extent, last, steps) => Math.fround(extent * Math.fround(last / steps));

function gradientOfBoxes(crops: Crops, images: Tensor): Tensor {
  const { height, width, channels } = crops.sizes;
  const out = newPixels(crops.boxes.shape);
  const gradients = numbersOf(crops.gradients);
  const pixels = pixelsOf(images);
  forEachPixel(crops, stepByRatio, ({ box, image, y, x, at }) => {
    const [top, bottom] = [image * height + y.before, image * height + y.after];
    for (let channel = 0; channel < channels; channel += 1) {
      const pixel = (row: number, column: number) =>
        pixels[(row * width + column) * channels + channel] as number;
      const gradient = gradients[at + channel] as number;
      const [topLeft, topRight] = [pixel(top, x.before), pixel(top, x.after)];
      const [bottomLeft, bottomRight] = [pixel(bottom, x.before), pixel(bottom, x.after)];
      const down = ((bottomLeft - topLeft) * (1 - x.part) + (bottomRight - topRight) * x.part) * gradient;
      const right = ((topRight - topLeft) * (1 - y.part) + (bottomRight - bottomLeft) * y.part) * gradient;
      for (const [edge, change] of [
        down * y.byBegin,
        right * x.byBegin,
        down * y.byEnd,
        right * x.byEnd,
      ].entries()) {
        out[box * 4 + edge] = (out[box * 4 + edge] as number) + change;
      }
    }
  });
  return new Tensor("float32", crops.boxes.shape, out);
}

/** The sizes in the input image_size. @throws TensorFlowError INVALID_ARGUMENT */
function sizesOfInput(input: Tensor): ImageSizes {
  if (input.shape.length !== 1 || input.size !== 4) {
    throw invalidArgument(`image_size must be 1-D with 4 elements: ${cppShapeText(input.shape)}`);
  }
  const [batch = 0, height = 0, width = 0, channels = 0] = integersOf(input);
  return { batch, height, width, channels };
}

/** Each pixel of a crop looks up its neighbours and each of its elements changes four; the result is first zeroed. */
const NANOS_PER_PIXEL = 50;
const NANOS_PER_ELEMENT = 20;
const NANOS_PER_RESULT = 2;
/** Each element contributes to each of the four edges. */
const NANOS_PER_EDGES = 150;

function croppedPixels({ size, shape }: Tensor): number {
  return size / Math.max(1, shape.at(-1) ?? 1);
}

const imageGradientCost: Cost = (_, inputs) => {
  const [gradients, sizes] = [inputAt(inputs, 0), inputAt(inputs, 3)];
  const result = productOf(integersOf(sizes)) * NANOS_PER_RESULT;
  return croppedPixels(gradients) * NANOS_PER_PIXEL + gradients.size * NANOS_PER_ELEMENT + result;
};

const boxGradientCost: Cost = (_, inputs) => {
  const [gradients, images] = [inputAt(inputs, 0), inputAt(inputs, 1)];
  const widened = images.size * NANOS_PER_RESULT;
  return croppedPixels(gradients) * NANOS_PER_PIXEL + gradients.size * NANOS_PER_EDGES + widened;
};

/** The gradients of CropAndResize. */
export const cropGradientKernels: readonly PureKernelDefinition[] = [
  pureKernel(
    "CropAndResizeGradImage",
    (node) => {
      const nearest = node.string("method") === "nearest";
      const dtype = node.type("T");
      return (inputs) => {
        const sizes = sizesOfInput(inputAt(inputs, 3));
        const crops = checkCrops(inputAt(inputs, 0), inputAt(inputs, 1), inputAt(inputs, 2), sizes);
        return [gradientOfImage(crops, nearest, dtype)];
      };
    },
    { types: { T: ["float32", "float16", "float64"] }, cost: imageGradientCost },
  ),
  pureKernel(
    "CropAndResizeGradBoxes",
    () => (inputs) => {
      const images = inputAt(inputs, 1);
      const sizes = imageSizes(images, "input image");
      const crops = checkCrops(inputAt(inputs, 0), inputAt(inputs, 2), inputAt(inputs, 3), sizes);
      return [gradientOfBoxes(crops, images)];
    },
    { types: { T: realTypes }, cost: boxGradientCost },
  ),
];
