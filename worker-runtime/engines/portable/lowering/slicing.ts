import {
  type SliceMasks,
  type SliceRange,
  type SliceSpec,
  slicedRank,
  sliceMasks,
  sliceSpec,
} from "../../../graph/op-specs/strided-slice.js";
import type { KernelNode } from "../kernels/kernel-node.js";
import type { OnnxValue } from "../onnx/model-builder.js";
import { indices, moved, summed } from "./dtypes.js";
import type { Lowering, LoweringContext } from "./lowering.js";
import { FAR, inputAt, numbersOf, scalarTensor, Writer } from "./writer.js";

/** A contiguous slice. Exceeding the tensor is an error, while ONNX clamps to its end. */
function slice(inputs: readonly OnnxValue[], context: LoweringContext): readonly OnnxValue[] | undefined {
  const write = new Writer(context);
  const [input, begin, size] = [inputAt(inputs, 0), inputAt(inputs, 1), inputAt(inputs, 2)];
  const rank = context.rank(input);
  if (rank === 0) {
    return undefined;
  }
  const axes = write.longs(Array.from({ length: rank }, (_, i) => i));
  const [begins, sizes] = [numbersOf(context, begin), numbersOf(context, size)];
  if (begins !== undefined && sizes !== undefined) {
    if (
      begins.length !== rank ||
      sizes.length !== rank ||
      begins.some((at) => at < 0) ||
      sizes.some((n) => n < -1)
    ) {
      return undefined;
    }
    const reached = begins.map((at, i) => at + Math.max(0, sizes[i] ?? 0));
    const ends = write.longs(begins.map((at, i) => (sizes[i] === -1 ? FAR : at + (sizes[i] ?? 0))));
    const isFar = write.test("Greater", write.longs(reached), write.shape(input));
    const checked = reached.every((end) => end === 0) ? ends : write.unless(write.any(isFar), ends);
    return [write.same("Slice", [input, write.longs(begins), checked, axes])];
  }
  const starts = write.cast(begin, "int64");
  const lengths = write.cast(size, "int64");
  const [zero, open] = [write.longs([0]), write.longs([-1])];
  const end = write.add(starts, lengths);
  const isOpen = write.test("Equal", lengths, open);
  const reached = write.where(isOpen, starts, end);
  const wrong = [
    write.test("Less", starts, zero),
    write.test("Less", lengths, open),
    write.test("Greater", reached, write.shape(input)),
  ].reduce((one, other) => write.test("Or", one, other));
  const ends = write.where(isOpen, write.longs([FAR]), end);
  return [write.same("Slice", [input, starts, write.unless(write.any(wrong), ends), axes])];
}

/** A range with an entry of begin, end and strides, and the dimension of the input that it is about. */
interface AxisRange extends SliceRange {
  readonly axis: number;
  readonly entry: number;
}

interface AxisRanges {
  readonly ranges: readonly AxisRange[];
  /** New dimensions of size 1, by their index in the result. */
  readonly added: readonly number[];
}

/** @returns undefined if TensorFlow rejects the spec; the kernel says why. */
function axisRanges(
  node: KernelNode,
  strides: readonly number[],
  rankOf: (masks: SliceMasks) => number,
): AxisRanges | undefined {
  const masks = sliceMasks(node);
  let spec: SliceSpec;
  try {
    spec = sliceSpec(rankOf(masks), strides, masks);
  } catch {
    return undefined;
  }
  return {
    ranges: spec.ranges.flatMap((range, axis) =>
      range.entry === undefined ? [] : [{ ...range, axis, entry: range.entry }],
    ),
    added: spec.result.flatMap((axis, at) => (axis === "new" ? [at] : [])),
  };
}

function stridedSlice(
  node: KernelNode,
  inputs: readonly OnnxValue[],
  context: LoweringContext,
): readonly OnnxValue[] | undefined {
  const write = new Writer(context);
  const [input, begin, end] = [inputAt(inputs, 0), inputAt(inputs, 1), inputAt(inputs, 2)];
  const strides = numbersOf(context, inputAt(inputs, 3));
  if (strides === undefined) {
    return undefined;
  }
  const found = axisRanges(node, strides, () => context.rank(input));
  if (found === undefined) {
    return undefined;
  }
  const { ranges, added } = found;
  const sliced = slicedRanges(write, input, begin, end, ranges, strides.length, context);
  if (sliced === undefined) {
    return undefined;
  }
  // An index out of range gives an empty dimension instead of one of size 1.
  const shrunk = ranges.filter(({ shrinks }) => shrinks).map(({ axis }) => axis);
  return [write.unsqueeze(write.squeeze(sliced, ...shrunk), ...added)];
}

function slicedRanges(
  write: Writer,
  input: OnnxValue,
  begin: OnnxValue,
  end: OnnxValue,
  all: readonly AxisRange[],
  count: number,
  context: LoweringContext,
): OnnxValue | undefined {
  const ranges = all.filter(
    ({ stride, openBegin, openEnd, shrinks }) => shrinks || stride !== 1 || !openBegin || !openEnd,
  );
  if (ranges.length === 0) {
    return input;
  }
  const axes = write.longs(ranges.map(({ axis }) => axis));
  const steps = write.longs(ranges.map(({ stride, shrinks }) => (shrinks ? 1 : stride)));
  const begins = numbersOf(context, begin);
  const ends = numbersOf(context, end);
  if (begins !== undefined && ends !== undefined) {
    if (begins.length !== count || ends.length !== count) {
      return undefined;
    }
    const starts = ranges.map((range) => startOf(range, begins[range.entry] ?? 0, context.shape(input)));
    const known = starts.filter((start) => start !== undefined);
    if (known.length < starts.length) {
      return undefined;
    }
    const stops = ranges.map((range) => stopOf(range, begins[range.entry] ?? 0, ends[range.entry] ?? 0));
    return write.same("Slice", [input, write.longs(known), write.longs(stops), axes, steps]);
  }
  if (ranges.some(({ stride }) => stride < 0)) {
    return undefined;
  }
  const entries = write.longs(ranges.map(({ entry }) => entry));
  const picked = (from: OnnxValue) => write.same("Gather", [write.cast(from, "int64"), entries]);
  const instead = (value: OnnxValue, flags: readonly boolean[], other: OnnxValue) =>
    flags.includes(true) ? write.where(write.flags(flags), other, value) : value;
  const starts = instead(
    picked(begin),
    ranges.map(({ openBegin }) => openBegin),
    write.longs([0]),
  );
  const open = instead(
    picked(end),
    ranges.map(({ openEnd }) => openEnd),
    write.longs([FAR]),
  );
  const next = write.add(starts, write.longs([1]));
  const after = write.where(write.test("Equal", next, write.longs([0])), write.longs([FAR]), next);
  const stops = instead(
    open,
    ranges.map(({ shrinks }) => shrinks),
    after,
  );
  return write.same("Slice", [input, starts, stops, axes, steps]);
}

/** The start for ONNX; undefined if it depends on an unknown size. */
function startOf(
  range: AxisRange,
  begin: number,
  shape: readonly number[] | undefined,
): number | bigint | undefined {
  const { axis, stride, openBegin } = range;
  if (openBegin) {
    return stride < 0 ? FAR : 0;
  }
  if (stride > 0 || begin >= -1) {
    return begin;
  }
  // A backward slice from before the first element is empty; ONNX would start at the first element.
  const size = shape?.[axis];
  return size === undefined ? undefined : begin < -size ? undefined : begin;
}

function stopOf({ stride, openEnd, shrinks }: AxisRange, begin: number, end: number): number | bigint {
  if (shrinks) {
    return begin === -1 ? FAR : begin + 1;
  }
  return openEnd ? (stride < 0 ? -FAR : FAR) : end;
}

/** Puts the gradient into zeros, for slices of contiguous elements. */
function stridedSliceGrad(
  node: KernelNode,
  inputs: readonly OnnxValue[],
  context: LoweringContext,
): readonly OnnxValue[] | undefined {
  const write = new Writer(context);
  const [begins, ends, strides] = [1, 2, 3].map((entry) => numbersOf(context, inputAt(inputs, entry)));
  const gradient = inputAt(inputs, 4);
  if (begins === undefined || ends === undefined || strides === undefined) {
    return undefined;
  }
  if (begins.length !== strides.length || ends.length !== strides.length) {
    return undefined;
  }
  // Dimensions covered by an ellipsis, or by no entry, have the same size in the slice and in the tensor.
  const found = axisRanges(node, strides, (masks) =>
    slicedRank(context.rank(gradient), strides.length, masks),
  );
  if (found === undefined || found.ranges.some(({ stride, shrinks }) => stride !== 1 && !shrinks)) {
    return undefined;
  }
  const rank =
    context.rank(gradient) + found.ranges.filter(({ shrinks }) => shrinks).length - found.added.length;
  const ranges = Array.from({ length: rank }, (_, axis) => found.ranges.find((range) => range.axis === axis));
  const sizes = write.cast(inputAt(inputs, 0), "int64");
  const clamp = (entries: OnnxValue) =>
    write.same("Min", [write.same("Max", [entries, write.longs([0])]), sizes]);
  /** The given positions; negative ones count from the end. */
  const absolute = (entries: readonly number[], fromEnd: readonly boolean[]) =>
    fromEnd.includes(true)
      ? write.add(write.longs(entries), write.mul(sizes, write.longs(fromEnd.map(Number))))
      : write.longs(entries);
  const from = ranges.map((range) =>
    range === undefined || range.openBegin ? 0 : (begins[range.entry] ?? 0),
  );
  const isOpen = ranges.map((range) => range === undefined || (range.openEnd && !range.shrinks));
  const to = ranges.map((range, i) =>
    range === undefined || isOpen[i] ? 0 : range.shrinks ? (from[i] ?? 0) + 1 : (ends[range.entry] ?? 0),
  );
  const before = clamp(
    absolute(
      from,
      from.map((entry) => entry < 0),
    ),
  );
  const endsFromEnd = to.map(
    (entry, i) => isOpen[i] || (ranges[i]?.shrinks ? (from[i] ?? 0) < 0 : entry < 0),
  );
  const length = write.same("Max", [write.sub(clamp(absolute(to, endsFromEnd)), before), write.longs([0])]);
  // An index out of range has length 0, which does not match the gradient.
  const placed = write.reshape(gradient, length);
  const after = write.sub(sizes, write.add(before, length));
  const zero = context.model.constant(scalarTensor(gradient.dtype, 0));
  return [rank === 0 ? placed : write.same("Pad", [placed, write.join(before, after), zero])];
}

export const slicingLowerings: readonly Lowering[] = [
  {
    op: "Slice",
    types: { T: moved, Index: indices },
    shapeInputs: [1, 2],
    lower: (_, inputs, context) => slice(inputs, context),
  },
  {
    op: "StridedSlice",
    types: { T: moved, Index: indices },
    shapeInputs: [1, 2, 3],
    lower: stridedSlice,
  },
  {
    op: "StridedSliceGrad",
    types: { T: summed, Index: indices },
    shapeInputs: [0],
    lower: stridedSliceGrad,
  },
];
