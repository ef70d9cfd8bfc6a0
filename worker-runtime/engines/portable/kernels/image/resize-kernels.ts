import type { DType } from "../../../../protocol/dtype.js";
import { invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import type { PureKernelDefinition } from "../kernel.js";
import { pureKernel, withSmallFloats } from "../support/define.js";
import { allFloatTypes, floatTypes, realTypes } from "../support/dtypes.js";
import { inputAt, numbersOf } from "../support/elements.js";
import { imageSizes, newSize, pixelsOf, pixelTensor } from "./pixels.js";
import { resizeScale, type Sampling, samplingOf, sourceOf } from "./resize-scale.js";
import {
  newTaps,
  resizeWeighted,
  spreadWeighted,
  type Taps,
  weightedCost,
  weightedGradientCost,
} from "./weighted-resize.js";

const { fround } = Math;

/** The nearest two pixels, with linear weights. */
export function linearTaps(original: number, resized: number, sampling: Sampling): Taps {
  const taps = newTaps(resized, 2);
  const scale = resizeScale(original, resized, sampling.alignCorners);
  for (let i = 0; i < resized; i += 1) {
    const coordinate = sourceOf(i, scale, sampling);
    const before = Math.floor(coordinate);
    const part = fround(coordinate - before);
    taps.indexes[2 * i] = Math.max(before, 0);
    taps.indexes[2 * i + 1] = Math.min(Math.ceil(coordinate), original - 1);
    taps.weights[2 * i] = 1 - part;
    taps.weights[2 * i + 1] = part;
  }
  return taps;
}

/** The resolution of the lookup table of weights. */
const CUBIC_STEPS = 1024;

/** Keys' cubic: the weights of a pixel at a distance below 1, and of one that is 1 further away. */
function cubicWeights(a: number, step: number): readonly [near: number, far: number] {
  const x = fround(step / CUBIC_STEPS);
  const y = fround(x + 1);
  return [fround(((a + 2) * x - (a + 3)) * x * x + 1), fround(((a * y - 5 * a) * y + 8 * a) * y - 4 * a)];
}

/** Rounds to the nearest integer, ties to even. */
function roundHalfToEven(value: number): number {
  const below = Math.floor(value);
  const part = value - below;
  return part > 0.5 || (part === 0.5 && below % 2 !== 0) ? below + 1 : below;
}

/**
 * The nearest four pixels. Beyond the edge the edge pixel is repeated. With half pixel centers, which also use a
 * different curve, pixels beyond the edge are dropped and the other weights are normalized.
 */
export function cubicTaps(original: number, resized: number, sampling: Sampling): Taps {
  const taps = newTaps(resized, 4);
  const scale = resizeScale(original, resized, sampling.alignCorners);
  const a = sampling.halfPixelCenters ? -0.5 : -0.75;
  for (let i = 0; i < resized; i += 1) {
    const coordinate = sourceOf(i, scale, sampling);
    const before = Math.floor(coordinate);
    const step = roundHalfToEven(fround(coordinate - before) * CUBIC_STEPS);
    const [near, far] = cubicWeights(a, step);
    const [otherNear, otherFar] = cubicWeights(a, CUBIC_STEPS - step);
    let sum = 0;
    for (const [tap, weight] of [far, near, otherNear, otherFar].entries()) {
      const wanted = before - 1 + tap;
      const found = Math.min(Math.max(wanted, 0), original - 1);
      const kept = sampling.halfPixelCenters && found !== wanted ? 0 : weight;
      taps.indexes[4 * i + tap] = found;
      taps.weights[4 * i + tap] = kept;
      sum += kept;
    }
    if (sampling.halfPixelCenters && sum !== 0) {
      for (let tap = 4 * i; tap < 4 * i + 4; tap += 1) {
        taps.weights[tap] = (taps.weights[tap] as number) / sum;
      }
    }
  }
  return taps;
}

/** All pixels that a pixel of the resized image covers, weighted by the covered area. */
export function areaTaps(original: number, resized: number, sampling: Sampling): Taps {
  const scale = resizeScale(original, resized, sampling.alignCorners);
  const taps = newTaps(resized, Math.ceil(scale) + 1);
  for (let i = 0; i < resized; i += 1) {
    const from = fround(i * scale);
    const to = fround((i + 1) * scale);
    let tap = i * taps.taps;
    for (
      let coordinate = Math.floor(from);
      coordinate < Math.ceil(to) && tap < (i + 1) * taps.taps;
      coordinate += 1
    ) {
      const covered = Math.min(coordinate + 1, to) - Math.max(coordinate, from);
      taps.indexes[tap] = Math.min(Math.max(coordinate, 0), original - 1);
      taps.weights[tap] = covered / scale;
      tap += 1;
    }
    if (to === from) {
      // A single pixel that all corners are aligned with: it is copied.
      taps.weights[i * taps.taps] = 1;
    }
  }
  return taps;
}

export type TapsOf = (original: number, resized: number, sampling: Sampling) => Taps;

function resizing(op: string, tapsOf: TapsOf, nanoseconds: number, priority = 0): PureKernelDefinition {
  return pureKernel(
    op,
    (node) => {
      const sampling = samplingOf(node);
      return (inputs) => {
        const images = inputAt(inputs, 0);
        const sizes = imageSizes(images, "input");
        const [height, width] = newSize(inputAt(inputs, 1));
        if (sizes.height === 0 || sizes.width === 0) {
          throw invalidArgument("input image must be of non-zero size");
        }
        const [rows, columns] = [
          tapsOf(sizes.height, height, sampling),
          tapsOf(sizes.width, width, sampling),
        ];
        const pixels = resizeWeighted(pixelsOf(images), sizes, rows, columns);
        return [new Tensor("float32", [sizes.batch, height, width, sizes.channels], pixels)];
      };
    },
    { types: { T: realTypes }, priority, cost: weightedCost(nanoseconds) },
  );
}

function gradient(
  op: string,
  tapsOf: TapsOf,
  types: readonly DType[],
  nanoseconds: number,
): PureKernelDefinition {
  return pureKernel(
    op,
    (node) => {
      const sampling = samplingOf(node);
      return withSmallFloats((inputs) => {
        const [gradients, original] = [inputAt(inputs, 0), inputAt(inputs, 1)];
        const resized = imageSizes(gradients, "input_grad");
        const { height, width } = imageSizes(original, "original_image");
        const sizes = { ...resized, height, width };
        const spread = spreadWeighted(
          numbersOf(gradients),
          sizes,
          tapsOf(height, resized.height, sampling),
          tapsOf(width, resized.width, sampling),
          original.dtype,
        );
        return [pixelTensor(original.dtype, [sizes.batch, height, width, sizes.channels], spread)];
      });
    },
    { types: { T: types }, cost: weightedGradientCost(nanoseconds) },
  );
}

/** Resizes images, with gradients. */
export const resizeKernels: readonly PureKernelDefinition[] = [
  resizing("ResizeBilinear", linearTaps, 6),
  resizing("ResizeBicubic", cubicTaps, 10),
  resizing("ResizeArea", areaTaps, 10),
  gradient("ResizeBilinearGrad", linearTaps, allFloatTypes, 6),
  gradient("ResizeBicubicGrad", cubicTaps, floatTypes, 10),
];
