/** An image of bytes, as in GIF and BMP files. */
import type { DType } from "../../../../protocol/dtype.js";
import { Tensor } from "../../../../protocol/tensor.js";
import { newNumbers } from "../support/elements.js";

export interface ByteImage {
  readonly shape: readonly number[];
  readonly pixels: Uint8Array;
}

/**
 * The image as a tensor: uint16 values are 256 times the bytes, float32 values lie between 0 and 1.
 * @throws TensorFlowError RESOURCE_EXHAUSTED
 */
export function tensorOfBytes({ shape, pixels }: ByteImage, dtype: DType): Tensor {
  if (dtype === "uint8") {
    return new Tensor(dtype, shape, pixels);
  }
  const factor = dtype === "uint16" ? 256 : Math.fround(1 / 255);
  const output = newNumbers(dtype, shape);
  for (let i = 0; i < pixels.length; i += 1) {
    output[i] = (pixels[i] ?? 0) * factor;
  }
  return new Tensor(dtype, shape, output);
}

/** Allocates the bytes of an image. @throws TensorFlowError RESOURCE_EXHAUSTED */
export function newPixels(shape: readonly number[]): Uint8Array {
  return newNumbers("uint8", shape) as Uint8Array;
}
