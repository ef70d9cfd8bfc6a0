/**
 * The slice spec of StridedSlice and its relatives: five masks of bits, one for each entry of begin, end and strides. Read
 * as TensorFlow's `ValidateStridedSliceOp` (core/util/strided_slice_op.cc) does. Pure.
 */
import { invalidArgument } from "../../protocol/status.js";

/** Bit i of a mask applies to entry i of begin, end and strides. */
export interface SliceMasks {
  readonly begin: number;
  readonly end: number;
  readonly ellipsis: number;
  readonly newAxis: number;
  readonly shrinkAxis: number;
}

/** @param node reads its integer attributes by their names */
export function sliceMasks(node: { int(attr: string): number }): SliceMasks {
  return {
    begin: node.int("begin_mask"),
    end: node.int("end_mask"),
    ellipsis: node.int("ellipsis_mask"),
    newAxis: node.int("new_axis_mask"),
    shrinkAxis: node.int("shrink_axis_mask"),
  };
}

function bit(mask: number, entry: number): boolean {
  // Entries beyond 31 have no bit, since TensorFlow reads the attribute as int32.
  return entry < 32 && ((mask >>> entry) & 1) === 1;
}

type EntryKind = "range" | "index" | "new axis" | "ellipsis";

/** @throws TensorFlowError INVALID_ARGUMENT for two ellipses */
function entryKinds(count: number, masks: SliceMasks): EntryKind[] {
  const kinds = Array.from({ length: count }, (_, entry): EntryKind => {
    if (bit(masks.ellipsis, entry)) return "ellipsis";
    if (bit(masks.newAxis, entry)) return "new axis";
    return bit(masks.shrinkAxis, entry) ? "index" : "range";
  });
  if (kinds.filter((kind) => kind === "ellipsis").length > 1) {
    throw invalidArgument("Multiple ellipses in slice spec not allowed");
  }
  return kinds;
}

/**
 * The rank of the tensor that is sliced, if each of its dimensions is there after the slice unless an entry removes it.
 *
 * @param rank of the slice
 * @param count of entries
 * @throws TensorFlowError INVALID_ARGUMENT for two ellipses
 */
export function slicedRank(rank: number, count: number, masks: SliceMasks): number {
  const kinds = entryKinds(count, masks);
  const countOf = (wanted: EntryKind) => kinds.filter((kind) => kind === wanted).length;
  return rank + countOf("index") - countOf("new axis");
}

/** How one dimension of the input is sliced. */
export interface SliceRange {
  /** The index in begin, end and strides; undefined for a dimension that is taken whole. */
  readonly entry: number | undefined;
  readonly stride: number;
  /** The slice starts at the first element (with a negative stride the last one), whatever begin says. */
  readonly openBegin: boolean;
  /** The slice goes on to the last element (with a negative stride the first one), whatever end says. */
  readonly openEnd: boolean;
  /** The dimension is removed: a single element is taken, at begin. */
  readonly shrinks: boolean;
}

export interface SliceSpec {
  /** One for each dimension of the input. */
  readonly ranges: readonly SliceRange[];
  /** The dimensions of the result: those of the input, or "new" for an added one of size 1. */
  readonly result: readonly (number | "new")[];
}

const WHOLE: SliceRange = { entry: undefined, stride: 1, openBegin: true, openEnd: true, shrinks: false };

/**
 * Applies the entries to the dimensions of an input.
 *
 * @param strides one for each entry
 * @throws TensorFlowError INVALID_ARGUMENT for two ellipses, more entries than dimensions, a stride of 0, and an index
 * whose stride is negative
 */
export function sliceSpec(rank: number, strides: readonly number[], masks: SliceMasks): SliceSpec {
  const kinds = entryKinds(strides.length, masks);
  // Without an ellipsis, one is implied at the end.
  const ellipsis = kinds.indexOf("ellipsis");
  const isTaken = (kind: EntryKind) => kind === "range" || kind === "index";
  const after = ellipsis < 0 ? 0 : kinds.slice(ellipsis).filter(isTaken).length;
  const ranges: SliceRange[] = [];
  const result: (number | "new")[] = [];
  const takeWhole = (length: number) => {
    while (ranges.length < length) {
      result.push(ranges.length);
      ranges.push(WHOLE);
    }
  };
  for (const [entry, kind] of kinds.entries()) {
    if (kind === "ellipsis") takeWhole(rank - after);
    else if (kind === "new axis") result.push("new");
    else {
      const axis = ranges.length;
      if (axis === rank) {
        throw invalidArgument(`Index out of range using input dim ${rank}; input has only ${rank} dims`);
      }
      const stride = strides[entry] ?? 1;
      const shrinks = kind === "index";
      if (stride === 0) throw invalidArgument(`strides[${axis}] must be non-zero`);
      if (shrinks && stride < 0) throw invalidArgument("only stride 1 allowed on non-range indexing.");
      if (!shrinks) result.push(axis);
      const [openBegin, openEnd] = [bit(masks.begin, entry), bit(masks.end, entry)];
      ranges.push({
        ...{ entry, stride, shrinks },
        ...{ openBegin: openBegin && !shrinks, openEnd: openEnd && !shrinks },
      });
    }
  }
  takeWhole(rank);
  return { ranges, result };
}

/** The elements of one dimension that a range takes: so many, every stride-th from begin on. */
export interface TakenElements {
  /** Undefined as long as an entry or the size that it depends on is unknown. */
  readonly begin: number | undefined;
  readonly count: number | undefined;
}

/**
 * @param size of the dimension; undefined if it is unknown, as the entries of begin and end may be
 * @param axis for errors
 * @throws TensorFlowError INVALID_ARGUMENT for an index outside the dimension
 */
export function takenElements(
  { stride, openBegin, openEnd, shrinks }: SliceRange,
  size: number | undefined,
  [first, last]: readonly [begin: number | undefined, end: number | undefined],
  axis: number,
): TakenElements {
  if (size === undefined) return { begin: undefined, count: shrinks ? 1 : undefined };
  if (shrinks) {
    if (first === undefined) return { begin: undefined, count: 1 };
    const at = first < 0 ? first + size : first;
    if (at < 0 || at >= size) {
      throw invalidArgument(`slice index ${at} of dimension ${axis} out of bounds.`);
    }
    return { begin: at, count: 1 };
  }
  const [low, high] = stride > 0 ? [0, size] : [-1, size - 1];
  const [lowest, highest] = stride > 0 ? [low, high] : [high, low];
  const bounded = (index: number | undefined) =>
    index === undefined ? undefined : Math.min(Math.max(index < 0 ? index + size : index, low), high);
  const begin = openBegin ? lowest : bounded(first);
  const end = openEnd ? highest : bounded(last);
  if (begin === undefined || end === undefined) return { begin, count: undefined };
  return { begin, count: Math.max(0, Math.ceil((end - begin) / stride)) };
}

/** A strided slice of a known shape. */
export interface ResolvedSlice {
  /** For each dimension of the input: the start, the step and the number of elements. */
  readonly begin: readonly number[];
  readonly stride: readonly number[];
  readonly sizes: readonly number[];
  /** The shape of the result, including new axes and without removed ones. */
  readonly shape: readonly number[];
}

/**
 * Resolves a strided slice of a shape, like Python's x[begin:end:stride, …, newaxis].
 *
 * @throws TensorFlowError INVALID_ARGUMENT for strides of 0, indices out of bounds, too many entries, and lists of entries
 * that differ in length
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
  const { ranges, result } = sliceSpec(shape.length, strides, masks);
  const taken = ranges.map((range, axis) =>
    takenElements(range, shape[axis], [begin[range.entry ?? -1], end[range.entry ?? -1]], axis),
  );
  return {
    begin: taken.map((elements) => elements.begin ?? 0),
    stride: ranges.map(({ stride }) => stride),
    sizes: taken.map(({ count }) => count ?? 0),
    shape: result.map((axis) => (axis === "new" ? 1 : (taken[axis]?.count ?? 0))),
  };
}
