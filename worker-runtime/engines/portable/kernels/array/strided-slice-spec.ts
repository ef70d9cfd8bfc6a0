import { invalidArgument } from "../../../../protocol/status.js";
import type { KernelNode } from "../kernel-node.js";

/** The masks of StridedSlice: bit i applies to entry i of begin, end and strides. */
export interface SliceMasks {
  readonly begin: number;
  readonly end: number;
  readonly ellipsis: number;
  readonly newAxis: number;
  readonly shrinkAxis: number;
}

/** A strided slice resolved for a shape. */
export interface ResolvedSlice {
  /** For each dimension of the input: the start, the step and the number of elements. */
  readonly begin: readonly number[];
  readonly stride: readonly number[];
  readonly sizes: readonly number[];
  /** The shape of the result, including new axes and without shrunk ones. */
  readonly shape: readonly number[];
}

export function sliceMasks(node: KernelNode): SliceMasks {
  return {
    begin: node.int("begin_mask"),
    end: node.int("end_mask"),
    ellipsis: node.int("ellipsis_mask"),
    newAxis: node.int("new_axis_mask"),
    shrinkAxis: node.int("shrink_axis_mask"),
  };
}

interface Range {
  readonly begin: number;
  readonly end: number;
  readonly stride: number;
  readonly beginOpen: boolean;
  readonly endOpen: boolean;
  readonly shrink: boolean;
}

const everything: Range = { begin: 0, end: 0, stride: 1, beginOpen: true, endOpen: true, shrink: false };

function bit(mask: number, i: number): boolean {
  // Entries beyond 31 have no bit, since TensorFlow reads the attribute as int32.
  return i < 32 && ((mask >>> i) & 1) === 1;
}

/** One range for each dimension of the input, and the dimensions of the result ("new" where one is added). */
function expandSpec(
  rank: number,
  begin: readonly number[],
  end: readonly number[],
  strides: readonly number[],
  masks: SliceMasks,
): { readonly ranges: Range[]; readonly result: (number | "new")[] } {
  const count = begin.length;
  const ellipses = begin.flatMap((_, i) => (bit(masks.ellipsis, i) ? [i] : []));
  if (ellipses.length > 1) {
    throw invalidArgument("Multiple ellipses in slice spec not allowed");
  }
  // Without an ellipsis, one is implied at the end.
  const ellipsis = ellipses[0] ?? count;
  const consumes = (i: number) => !bit(masks.newAxis, i) || i === ellipsis;
  const after = begin.filter((_, i) => i > ellipsis && consumes(i)).length;
  const ranges: Range[] = [];
  const result: (number | "new")[] = [];
  const fillUpTo = (length: number) => {
    while (ranges.length < length) {
      result.push(ranges.length);
      ranges.push(everything);
    }
  };
  for (let i = 0; i < count; i += 1) {
    if (i === ellipsis) {
      fillUpTo(rank - after);
    } else if (bit(masks.newAxis, i)) {
      result.push("new");
    } else {
      if (ranges.length === rank) {
        throw invalidArgument(`Index out of range using input dim ${rank}; input has only ${rank} dims`);
      }
      const shrink = bit(masks.shrinkAxis, i);
      if (!shrink) {
        result.push(ranges.length);
      }
      ranges.push({
        begin: begin[i] ?? 0,
        end: end[i] ?? 0,
        stride: strides[i] ?? 1,
        beginOpen: bit(masks.begin, i),
        endOpen: bit(masks.end, i),
        shrink,
      });
    }
  }
  fillUpTo(rank);
  return { ranges, result };
}

function resolveRange(range: Range, size: number, axis: number): { begin: number; size: number } {
  const { stride } = range;
  if (stride === 0) {
    throw invalidArgument(`strides[${axis}] must be non-zero`);
  }
  if (range.shrink) {
    if (stride < 0) {
      throw invalidArgument("only stride 1 allowed on non-range indexing.");
    }
    const at = range.begin < 0 ? range.begin + size : range.begin;
    if (at < 0 || at >= size) {
      throw invalidArgument(`slice index ${at} of dimension ${axis} out of bounds.`);
    }
    return { begin: at, size: 1 };
  }
  const [low, high] = stride > 0 ? [0, size] : [-1, size - 1];
  const clamp = (index: number) => Math.min(Math.max(index < 0 ? index + size : index, low), high);
  const begin = range.beginOpen ? (stride > 0 ? low : high) : clamp(range.begin);
  const end = range.endOpen ? (stride > 0 ? high : low) : clamp(range.end);
  return { begin, size: Math.max(0, Math.ceil((end - begin) / stride)) };
}

/**
 * Resolves a strided slice of a shape, like Python's x[begin:end:stride, …, newaxis].
 * @throws TensorFlowError INVALID_ARGUMENT for strides of 0, indices out of bounds, too many entries.
 */
export function resolveSlice(
  shape: readonly number[],
  begin: readonly number[],
  end: readonly number[],
  strides: readonly number[],
  masks: SliceMasks,
): ResolvedSlice {
  if (begin.length !== end.length || begin.length !== strides.length) {
    throw invalidArgument(
      `Expected begin, end, and strides to be 1D equal size tensors, but got shapes [${begin.length}], [${end.length}], and [${strides.length}] instead.`,
    );
  }
  const { ranges, result } = expandSpec(shape.length, begin, end, strides, masks);
  const resolved = ranges.map((range, axis) => resolveRange(range, shape[axis] ?? 0, axis));
  return {
    begin: resolved.map((range) => range.begin),
    stride: ranges.map(({ stride }) => stride),
    sizes: resolved.map(({ size }) => size),
    shape: result.map((axis) => (axis === "new" ? 1 : (resolved[axis]?.size ?? 0))),
  };
}
