/** Images as JS numbers, regardless of their dtype. */
import type { DType } from "../../../../protocol/dtype.js";
import { invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import { isLong, isSmallFloat } from "../support/dtypes.js";
import {
  indicesOf,
  inputAt,
  integersOf,
  integerTensor,
  type NumberArray,
  newNumbers,
  numbersOf,
} from "../support/elements.js";
import { cppShapeText } from "../support/shapes.js";
import { fromFloat32, toFloat32 } from "../support/small-floats.js";

/** The elements of a tensor of any real dtype as JS numbers. Must not be modified: it may be the tensor's own data. */
export function pixelsOf(tensor: Tensor): NumberArray {
  if (isLong(tensor.dtype)) {
    return indicesOf(tensor);
  }
  return numbersOf(isSmallFloat(tensor.dtype) ? toFloat32(tensor) : tensor);
}

/** Computed numbers before they are converted to a dtype. */
export type ComputedPixels = Float32Array | Float64Array;

/** Zeros with the precision that the dtype needs. @throws TensorFlowError as `allocate`. */
export function newPixels(shape: readonly number[], dtype: DType = "float32"): ComputedPixels {
  const single = dtype === "float32" || isSmallFloat(dtype);
  return newNumbers(single ? "float32" : "float64", shape) as ComputedPixels;
}

/** Converts computed numbers of `newPixels` to a tensor of a real dtype; integers are truncated. */
export function pixelTensor(dtype: DType, shape: readonly number[], pixels: ComputedPixels): Tensor {
  if (isSmallFloat(dtype)) {
    return fromFloat32(dtype, new Tensor("float32", shape, pixels));
  }
  if (isLong(dtype)) {
    return integerTensor(dtype, shape, pixels.map(Math.trunc));
  }
  if (dtype === "float32" || dtype === "float64") {
    return new Tensor(dtype, shape, pixels);
  }
  const out = newNumbers(dtype, shape);
  out.set(pixels);
  return new Tensor(dtype, shape, out);
}

/** The sizes of a batch of images. */
export interface ImageSizes {
  readonly batch: number;
  readonly height: number;
  readonly width: number;
  readonly channels: number;
}

/** @throws TensorFlowError INVALID_ARGUMENT if the tensor is not a batch of images. */
export function imageSizes({ shape }: Tensor, what: string): ImageSizes {
  const [batch, height, width, channels] = shape;
  if (
    shape.length !== 4 ||
    batch === undefined ||
    height === undefined ||
    width === undefined ||
    channels === undefined
  ) {
    throw invalidArgument(`${what} must be 4-dimensional: ${cppShapeText(shape)}`);
  }
  return { batch, height, width, channels };
}

/** The input `size` of an op: height and width in pixels. @throws TensorFlowError INVALID_ARGUMENT */
export function newSize(size: Tensor): readonly [height: number, width: number] {
  const [height, width] = integersOf(size);
  if (size.shape.length !== 1 || size.size !== 2 || height === undefined || width === undefined) {
    throw invalidArgument(
      `size must be 1-dimensional with 2 elements, got shape ${cppShapeText(size.shape)}`,
    );
  }
  if (height <= 0 || width <= 0) {
    throw invalidArgument("output dimensions must be positive");
  }
  return [height, width];
}

/** A cost estimate in nanoseconds per element of a batch of images resized to the size in input `at`. */
export function perResizedElement(nanoseconds: number, at = 1) {
  return (_: unknown, inputs: readonly Tensor[]): number => {
    const [batch = 0, , , channels = 0] = inputAt(inputs, 0).shape;
    const [height = 0, width = 0] = integersOf(inputAt(inputs, at));
    return nanoseconds * batch * channels * height * width;
  };
}
