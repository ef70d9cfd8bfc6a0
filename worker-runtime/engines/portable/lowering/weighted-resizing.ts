/** Resizing with a weight for each pixel that a resized pixel is made of, and the gradients of resizing. */
import type { DType } from "../../../protocol/dtype.js";
import { Tensor } from "../../../protocol/tensor.js";
import { nearestIndexes } from "../kernels/image/nearest-resize.js";
import { areaTaps, cubicTaps, linearTaps, type TapsOf } from "../kernels/image/resize-kernels.js";
import { type Sampling, samplingOf } from "../kernels/image/resize-scale.js";
import type { Taps } from "../kernels/image/weighted-resize.js";
import type { KernelNode } from "../kernels/kernel-node.js";
import { int } from "../onnx/attributes.js";
import type { OnnxValue } from "../onnx/model-builder.js";
import { accepts } from "./fits.js";
import type { Lowering, LoweringContext } from "./lowering.js";
import { inputAt, numbersOf, Writer } from "./writer.js";

/** More pixels per result are left to the kernel: each takes a few nodes of the size of the result. */
const MAX_TAPS = 16;

/** The terms of one pixel along a side: indices of other pixels, and their weights. */
interface Part {
  readonly index: number;
  readonly weight: number;
}

/** The parts of each resized pixel. */
function partsOf({ taps, indexes, weights }: Taps, resized: number): Part[][] {
  return Array.from({ length: resized }, (_, i) =>
    Array.from({ length: taps }, (_, tap) => ({
      index: indexes[i * taps + tap] ?? 0,
      weight: weights[i * taps + tap] ?? 0,
    })).filter(({ weight }) => weight !== 0),
  );
}

/** The parts of each original pixel's gradient: the resized pixels that it is a part of. */
function reversed(parts: readonly (readonly Part[])[], original: number): Part[][] {
  const result: Part[][] = Array.from({ length: original }, () => []);
  for (const [resized, list] of parts.entries()) {
    for (const { index, weight } of list) {
      result[index]?.push({ index: resized, weight });
    }
  }
  return result;
}

/**
 * Weighted sums of pixels along an axis: one Gather for each part. A pixel with fewer parts than others has additional
 * ones with weight 0 of an appended pixel that is 0, so that a NaN elsewhere does not matter.
 * @param length the pixels of `value` along the axis.
 * @returns undefined if there are too many parts.
 */
function weightedSums(
  write: Writer,
  value: OnnxValue,
  axis: 1 | 2,
  parts: readonly (readonly Part[])[],
  length: number,
): OnnxValue | undefined {
  const most = Math.max(1, ...parts.map((list) => list.length));
  if (most > MAX_TAPS) {
    return undefined;
  }
  const isRagged = parts.some((list) => list.length < most);
  const pads = Array.from({ length: 8 }, (_, i) => (i === 4 + axis ? 1 : 0));
  const pixels = isRagged ? write.same("Pad", [value, write.longs(pads)]) : value;
  const terms = Array.from({ length: most }, (_, k) => {
    const picked = parts.map((list) => list[k] ?? { index: length, weight: 0 });
    const gathered = write.same("Gather", [pixels, write.longs(picked.map(({ index }) => index))], {
      axis: int(axis),
    });
    const isCopy = parts.every((list) => (list[k]?.weight ?? 1) === 1);
    return isCopy ? gathered : write.mul(gathered, weightsOf(write, picked, axis, value.dtype));
  });
  return terms.reduce(write.add);
}

function weightsOf(write: Writer, parts: readonly Part[], axis: 1 | 2, dtype: DType): OnnxValue {
  const shape = axis === 1 ? [parts.length, 1, 1] : [parts.length, 1];
  return write.model.constant(
    Tensor.of(
      parts.map(({ weight }) => weight),
      dtype,
      shape,
    ),
  );
}

/** Both sides of the images before and after. */
interface Sizes {
  readonly before: readonly number[];
  readonly after: readonly number[];
}

/** Rows and columns of images; undefined if they are unknown or a size is 0. */
function sidesOf(context: LoweringContext, images: OnnxValue): readonly number[] | undefined {
  const shape = context.shape(images);
  return shape?.length === 4 && !shape.includes(0) ? shape.slice(1, 3) : undefined;
}

function givenSides(context: LoweringContext, size: OnnxValue): readonly number[] | undefined {
  const sides = context.rank(size) === 1 ? numbersOf(context, size) : undefined;
  return sides?.length === 2 && sides.every((length) => length > 0) ? sides : undefined;
}

/** @param partsAlong the parts of the result's pixels along a side of these lengths. */
function resize(
  write: Writer,
  images: OnnxValue,
  { before, after }: Sizes,
  partsAlong: (before: number, after: number) => readonly (readonly Part[])[],
): readonly OnnxValue[] | undefined {
  const along = (value: OnnxValue, axis: 1 | 2) => {
    const [length = 0, wanted = 0] = [before[axis - 1], after[axis - 1]];
    return weightedSums(write, value, axis, partsAlong(length, wanted), length);
  };
  const columns = along(images, 2);
  const result = columns && along(columns, 1);
  return result && [result];
}

/** Inputs: images and their new size. */
function forward(op: string, tapsOf: TapsOf): Lowering {
  return {
    op,
    types: { T: ["float32"] },
    fits: accepts(samplingOf),
    shapeInputs: [1],
    lower: (node, inputs, context) => {
      const images = inputAt(inputs, 0);
      const [before, after] = [sidesOf(context, images), givenSides(context, inputAt(inputs, 1))];
      const sampling = samplingOf(node);
      return (
        before &&
        after &&
        resize(new Writer(context), images, { before, after }, (length, wanted) =>
          partsOf(tapsOf(length, wanted, sampling), wanted),
        )
      );
    },
  };
}

type PartsOf = (original: number, resized: number, sampling: Sampling) => Part[][];

/** Inputs: gradients, and what tells the original size. */
function gradient(
  op: string,
  T: readonly DType[],
  partsBefore: PartsOf,
  originalSides: (context: LoweringContext, input: OnnxValue) => readonly number[] | undefined,
  shapeInputs: readonly number[] = [],
): Lowering {
  return {
    op,
    types: { T },
    fits: accepts(samplingOf),
    shapeInputs,
    lower: (node: KernelNode, inputs, context) => {
      const gradients = inputAt(inputs, 0);
      const [before, after] = [sidesOf(context, gradients), originalSides(context, inputAt(inputs, 1))];
      const sampling = samplingOf(node);
      return (
        before &&
        after &&
        resize(new Writer(context), gradients, { before, after }, (resized, original) =>
          reversed(partsBefore(original, resized, sampling), original),
        )
      );
    },
  };
}

const weighted =
  (tapsOf: TapsOf): PartsOf =>
  (original, resized, sampling) =>
    partsOf(tapsOf(original, resized, sampling), resized);

const nearestParts: PartsOf = (original, resized, sampling) =>
  [...nearestIndexes(original, resized, sampling)].map((index) => [{ index, weight: 1 }]);

export const weightedResizingLowerings: readonly Lowering[] = [
  forward("ResizeBicubic", cubicTaps),
  forward("ResizeArea", areaTaps),
  gradient("ResizeBilinearGrad", ["float32"], weighted(linearTaps), sidesOf),
  gradient("ResizeBicubicGrad", ["float32"], weighted(cubicTaps), sidesOf),
  gradient("ResizeNearestNeighborGrad", ["float32", "float64", "int32"], nearestParts, givenSides, [1]),
];
