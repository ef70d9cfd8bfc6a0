/** Resized images whose pixels are weighted sums of pixels of the original, separately along rows and columns. */

import type { DType } from "../../../../protocol/dtype.js";
import type { Tensor } from "../../../../protocol/tensor.js";
import { inputAt, integersOf, type NumberArray, newNumbers } from "../support/elements.js";
import { type ComputedPixels, type ImageSizes, newPixels } from "./pixels.js";

/** For each pixel along the resized side, `taps` pixels of the original and their weights. */
export interface Taps {
  readonly taps: number;
  readonly length: number;
  readonly indexes: Int32Array;
  readonly weights: ComputedPixels;
}

/** Allocates the taps of a side of `length` pixels. */
export function newTaps(length: number, taps: number): Taps {
  return {
    taps,
    length,
    indexes: newNumbers("int32", [length, taps]) as Int32Array,
    weights: newPixels([length, taps]),
  };
}

/** Resizes the columns of the original first, then its rows. */
export function resizeWeighted(
  pixels: NumberArray,
  { batch, height, width, channels }: ImageSizes,
  rows: Taps,
  columns: Taps,
): ComputedPixels {
  const narrowed = newPixels([batch, height, columns.length, channels]);
  for (let line = 0; line < batch * height; line += 1) {
    for (let x = 0; x < columns.length; x += 1) {
      const to = (line * columns.length + x) * channels;
      for (let tap = x * columns.taps; tap < (x + 1) * columns.taps; tap += 1) {
        const from = (line * width + (columns.indexes[tap] as number)) * channels;
        addScaled(narrowed, to, pixels, from, channels, columns.weights[tap] as number);
      }
    }
  }
  const row = columns.length * channels;
  const out = newPixels([batch, rows.length, columns.length, channels]);
  for (let image = 0; image < batch; image += 1) {
    for (let y = 0; y < rows.length; y += 1) {
      for (let tap = y * rows.taps; tap < (y + 1) * rows.taps; tap += 1) {
        const from = (image * height + (rows.indexes[tap] as number)) * row;
        addScaled(out, (image * rows.length + y) * row, narrowed, from, row, rows.weights[tap] as number);
      }
    }
  }
  return out;
}

/**
 * The gradient of `resizeWeighted`: distributes each gradient over the pixels that contributed to it.
 * @param dtype of the gradient.
 */
export function spreadWeighted(
  gradients: NumberArray,
  { batch, height, width, channels }: ImageSizes,
  rows: Taps,
  columns: Taps,
  dtype: DType,
): ComputedPixels {
  const row = columns.length * channels;
  const narrowed = newPixels([batch, height, columns.length, channels], dtype);
  for (let image = 0; image < batch; image += 1) {
    for (let y = 0; y < rows.length; y += 1) {
      for (let tap = y * rows.taps; tap < (y + 1) * rows.taps; tap += 1) {
        const to = (image * height + (rows.indexes[tap] as number)) * row;
        addScaled(narrowed, to, gradients, (image * rows.length + y) * row, row, rows.weights[tap] as number);
      }
    }
  }
  const out = newPixels([batch, height, width, channels], dtype);
  for (let line = 0; line < batch * height; line += 1) {
    for (let x = 0; x < columns.length; x += 1) {
      const from = (line * columns.length + x) * channels;
      for (let tap = x * columns.taps; tap < (x + 1) * columns.taps; tap += 1) {
        const to = (line * width + (columns.indexes[tap] as number)) * channels;
        addScaled(out, to, narrowed, from, channels, columns.weights[tap] as number);
      }
    }
  }
  return out;
}

function addScaled(
  out: ComputedPixels,
  to: number,
  values: NumberArray,
  from: number,
  count: number,
  weight: number,
): void {
  if (weight === 0) {
    return;
  }
  for (let i = 0; i < count; i += 1) {
    out[to + i] = (out[to + i] as number) + weight * (values[from + i] as number);
  }
}

/** A cost estimate in nanoseconds per element of the original and of the resized image. */
export function weightedCost(nanoseconds: number) {
  return (_: unknown, inputs: readonly Tensor[]): number => {
    const input = inputAt(inputs, 0);
    const [batch = 0, , , channels = 0] = input.shape;
    const [height = 0, width = 0] = integersOf(inputAt(inputs, 1));
    return nanoseconds * (input.size + batch * height * width * channels);
  };
}

/** Like `weightedCost`, for ops whose second input is an image of the other size. */
export function weightedGradientCost(nanoseconds: number) {
  return (_: unknown, inputs: readonly Tensor[]): number =>
    nanoseconds * (inputAt(inputs, 0).size + inputAt(inputs, 1).size);
}
