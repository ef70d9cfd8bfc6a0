import { type DType, itemSize } from "../../../../protocol/dtype.js";
import type { Cost } from "../support/define.js";
import { isLong, isSmallFloat } from "../support/dtypes.js";
import { inputAt, integersOf } from "../support/elements.js";

/** An element that is contiguous with the others of its group, in nanoseconds on one slow core. */
const NANOS_PER_NUMBER = 3;
const NANOS_PER_LONG = 40;
/** Small floats are widened first. */
const NANOS_OF_WIDENING = 15;
/** Transposing, per word of four bytes. */
const NANOS_OF_MOVING = 8;
/** Overhead per group of elements; there may be as many groups as elements. */
const NANOS_PER_GROUP = 25;

/** Up to this size, the time is negligible for any axes, and estimating it must not take longer than the kernel. */
const FEW_ELEMENTS = 4096;
const MOST_NANOS = 80;

function nanosPerElement(dtype: DType): number {
  if (isLong(dtype)) {
    return NANOS_PER_LONG;
  }
  return NANOS_PER_NUMBER + (isSmallFloat(dtype) ? NANOS_OF_WIDENING : 0);
}

/** The cost of reducing input 0 along the axes of input 1, assuming that they are valid. */
export const reductionCost: Cost = (_, inputs) => {
  const { dtype, shape, data, size } = inputAt(inputs, 0);
  if (data.length <= FEW_ELEMENTS) {
    return data.length * MOST_NANOS;
  }
  const axes = integersOf(inputAt(inputs, 1)).map((axis) => (axis < 0 ? axis + shape.length : axis));
  const first = axes.reduce((least, axis) => Math.min(least, axis), shape.length);
  let reduced = 1;
  let isMoved = false;
  for (const [axis, length] of shape.entries()) {
    if (axes.includes(axis)) {
      reduced *= length;
    } else {
      isMoved ||= axis > first && length !== 1;
    }
  }
  const moving = isMoved && reduced !== 1 ? NANOS_OF_MOVING * Math.max(1, itemSize(dtype) / 4) : 0;
  return size * (nanosPerElement(dtype) + moving) + (size / Math.max(1, reduced)) * NANOS_PER_GROUP;
};
