import { type DType, itemSize } from "../../../../protocol/dtype.js";
import type { Cost } from "../support/define.js";
import { isLong, isSmallFloat } from "../support/dtypes.js";
import { inputAt, integersOf } from "../support/elements.js";

/** An element that is next to those that it is reduced with, in nanoseconds on one slow core. */
const NANOS_PER_NUMBER = 3;
const NANOS_PER_LONG = 40;
/** Small floats are widened before. */
const NANOS_OF_WIDENING = 15;
/** Moving it there, for each word of four bytes. */
const NANOS_OF_MOVING = 8;
/** A group of elements that become one; there may be as many as elements. */
const NANOS_PER_GROUP = 25;

/** So few take no time whatever the axes: an estimate of them must not take longer than the kernel. */
const FEW_ELEMENTS = 4096;
const MOST_NANOS = 80;

function nanosPerElement(dtype: DType): number {
  if (isLong(dtype)) {
    return NANOS_PER_LONG;
  }
  return NANOS_PER_NUMBER + (isSmallFloat(dtype) ? NANOS_OF_WIDENING : 0);
}

/** What it takes to reduce input 0 along the axes of input 1, as if they were valid. */
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
