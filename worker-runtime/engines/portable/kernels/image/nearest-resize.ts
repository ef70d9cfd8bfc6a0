import { invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import type { PureKernelDefinition } from "../kernel.js";
import { allocate } from "../support/allocation.js";
import { perElement, pureKernel, withSmallFloats } from "../support/define.js";
import { allFloatTypes, realTypes } from "../support/dtypes.js";
import { inputAt, integersOf, newNumbers, numbersOf } from "../support/elements.js";
import { cppShapeText } from "../support/shapes.js";
import { copyElements, wordsOf } from "../support/strided-copy.js";
import { imageSizes, newSize, perResizedElement } from "./pixels.js";
import { resizeScale, type Sampling, samplingOf } from "./resize-scale.js";

const { fround } = Math;

/** For each pixel along the resized side, the index of the original pixel that it is taken from. */
export function nearestIndexes(original: number, resized: number, sampling: Sampling): Int32Array {
  const scale = resizeScale(original, resized, sampling.alignCorners);
  return Int32Array.from({ length: resized }, (_, i) => {
    const coordinate = fround((sampling.halfPixelCenters ? i + 0.5 : i) * scale);
    return Math.min(sampling.alignCorners ? Math.round(coordinate) : Math.floor(coordinate), original - 1);
  });
}

function nearestGradient(gradients: Tensor, size: Tensor, sampling: Sampling): Tensor {
  const sizes = imageSizes(gradients, "input");
  const [height = 0, width = 0] = integersOf(size);
  if (size.shape.length !== 1 || size.size !== 2) {
    throw invalidArgument(`shape_t must be 1-dimensional${cppShapeText(size.shape)}`);
  }
  if (height <= 0 || width <= 0) {
    throw invalidArgument("shape_t's elements must be positive");
  }
  const shape = [sizes.batch, height, width, sizes.channels];
  const out = newNumbers(gradients.dtype, shape);
  const values = numbersOf(gradients);
  const rows = nearestIndexes(height, sizes.height, sampling);
  const columns = nearestIndexes(width, sizes.width, sampling);
  let from = 0;
  for (let image = 0; image < sizes.batch; image += 1) {
    for (const y of rows) {
      for (const x of columns) {
        const to = ((image * height + y) * width + x) * sizes.channels;
        for (let channel = 0; channel < sizes.channels; channel += 1) {
          out[to + channel] = (out[to + channel] as number) + (values[from] as number);
          from += 1;
        }
      }
    }
  }
  return new Tensor(gradients.dtype, shape, out);
}

/** Resizes by copying the nearest original pixel. */
function resizeNearest(images: Tensor, size: Tensor, sampling: Sampling): Tensor {
  const { batch, height, width, channels } = imageSizes(images, "input");
  const [newHeight, newWidth] = newSize(size);
  if (height === 0 || width === 0) {
    throw invalidArgument("input image must be of non-zero size");
  }
  const shape = [batch, newHeight, newWidth, channels];
  const data = allocate(images.dtype, shape);
  const [to, from] = [wordsOf(images.dtype, data), wordsOf(images.dtype, images.data)];
  const rows = nearestIndexes(height, newHeight, sampling);
  const columns = nearestIndexes(width, newWidth, sampling);
  let at = 0;
  for (let image = 0; image < batch; image += 1) {
    for (const y of rows) {
      for (const x of columns) {
        copyElements(to, at, from, ((image * height + y) * width + x) * channels, channels);
        at += channels;
      }
    }
  }
  return new Tensor(images.dtype, shape, data);
}

/** Nearest-neighbour resizing of images of any real dtype, and its gradient. */
export const nearestResizeKernels: readonly PureKernelDefinition[] = [
  pureKernel(
    "ResizeNearestNeighbor",
    (node) => {
      const sampling = samplingOf(node);
      return (inputs) => [resizeNearest(inputAt(inputs, 0), inputAt(inputs, 1), sampling)];
    },
    { types: { T: realTypes }, cost: perResizedElement(5) },
  ),
  pureKernel(
    "ResizeNearestNeighborGrad",
    (node) => {
      const sampling = samplingOf(node);
      return withSmallFloats((inputs) => [nearestGradient(inputAt(inputs, 0), inputAt(inputs, 1), sampling)]);
    },
    { types: { T: ["uint8", "int8", "int32", ...allFloatTypes] }, cost: perElement(4) },
  ),
];
