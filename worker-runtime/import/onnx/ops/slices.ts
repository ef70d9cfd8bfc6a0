/** Operators that take elements off at the sides of a tensor, or add some. */
import type { Output } from "../../../graph/operation.js";
import type { OnnxCall } from "../onnx-call.js";
import { allAxes, asRows, countedFromFirst, shapeOf } from "./computed-inputs.js";

/** The largest number that stands for "to the end". */
export const FAR = 2 ** 31 - 1;

/** The parts of a slice that are all known before a run. */
interface KnownSlice {
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  readonly axes: readonly number[];
  readonly steps: readonly number[];
}

export function slice(call: OnnxCall): Output {
  const x = call.input();
  const rank = call.rank(x);
  const known = knownSlice(call, rank);
  if (!known) return sliceInRun(call, x, rank);
  const { starts, ends, axes, steps } = known;
  const [begin, end, strides] = [0, 0, 1].map((value) => Array<number>(rank).fill(value));
  let [beginMask, endMask] = [2 ** rank - 1, 2 ** rank - 1];
  for (const [at, axis] of axes.entries()) {
    const step = steps[at] ?? 1;
    const size = x.shape?.[axis] ?? -1;
    const [start, to] = [starts[at] ?? 0, ends[at] ?? 0];
    // Backwards, what lies before the first element begins at it.
    const from = step < 0 && size >= 0 ? Math.max(start, -size) : start;
    if (begin && end && strides) [begin[axis], end[axis], strides[axis]] = [clamp(from), clamp(to), step];
    const isFromEdge = step < 0 && from >= (size < 0 ? FAR : size - 1);
    if (!isFromEdge) beginMask &= ~(1 << axis);
    // Backwards, what lies before the first element ends behind it.
    const isToEdge = step > 0 ? to >= FAR : to <= -FAR || (size >= 0 && to < -size);
    if (!isToEdge) endMask &= ~(1 << axis);
  }
  return call.op(
    "StridedSlice",
    [x, call.ints(begin ?? [], "begin"), call.ints(end ?? [], "end"), call.ints(strides ?? [], "strides")],
    { begin_mask: beginMask, end_mask: endMask },
  );
}

function clamp(value: number): number {
  return Math.max(-FAR, Math.min(FAR, value));
}

/** Undefined if a part is computed in the run, or where a slice begins depends on a size that is. */
function knownSlice(call: OnnxCall, rank: number): KnownSlice | undefined {
  const [starts, ends] = [call.knownInts(1), call.knownInts(2)];
  if (!starts || !ends) return undefined;
  const axes = knownAxes(call, rank);
  const steps = call.optional(4) ? call.knownInts(4) : starts.map(() => 1);
  if (!axes || !steps) return undefined;
  const isOpen = axes.some(
    (axis, at) => (steps[at] ?? 1) < 0 && (starts[at] ?? 0) < -1 && (call.input().shape?.[axis] ?? -1) < 0,
  );
  return isOpen ? undefined : { starts, ends, axes, steps };
}

/** Counted from the first; the first ones if they are left out. */
function knownAxes(call: OnnxCall, rank: number): readonly number[] | undefined {
  if (call.optional(3)) return call.knownInts(3)?.map((axis) => call.axis(axis, rank));
  const count = call.input(1).shape?.[0] ?? -1;
  return count < 0 ? undefined : Array.from({ length: count }, (_, at) => at);
}

function sliceInRun(call: OnnxCall, x: Output, rank: number): Output {
  const [starts, ends] = [call.cast(call.input(1), "int64"), call.cast(call.input(2), "int64")];
  const given = call.optional(4);
  const steps = given ? call.cast(given, "int64") : call.op("OnesLike", [starts]);
  const [known, knownSteps] = [knownAxes(call, rank), given ? call.knownInts(4) : undefined];
  const axes = known ? call.longs(known, "axes") : computedAxes(call, rank);
  const all = shapeOf(call, x);
  // Backwards, what lies before the first element begins at it.
  const first = call.op("Neg", [call.op("GatherV2", [all, axes, call.ints(0, "axis")])]);
  const isBack = call.op("Less", [steps, call.op("ZerosLike", [steps])]);
  const isOnward = !given || knownSteps?.every((step) => step > 0);
  const from = isOnward ? starts : call.op("SelectV2", [isBack, call.op("Maximum", [starts, first]), starts]);
  const each = (value: number, name: string) => call.longs(Array<number>(rank).fill(value), name);
  const put = (whole: Output, parts: Output) =>
    call.op("TensorScatterUpdate", [whole, asRows(call, axes), parts]);
  const isWhole = known ? 2 ** rank - 1 - known.reduce((sum, axis) => sum | (1 << axis), 0) : 0;
  const strides = call.longs(
    Array.from({ length: rank }, (_, axis) => knownSteps?.[known?.indexOf(axis) ?? -1] ?? 1),
    "strides",
  );
  const sliced = call.op(
    "StridedSlice",
    [
      x,
      put(each(0, "begin"), from),
      put(all, ends),
      known && (!given || knownSteps) ? strides : put(each(1, "ones"), steps),
    ],
    { begin_mask: isWhole, end_mask: isWhole },
  );
  if (sliced.shape) return sliced;
  const shape = (x.shape ?? []).map((size, axis) => (known && !known.includes(axis) ? size : -1));
  return call.op("EnsureShape", [sliced], { shape });
}

function computedAxes(call: OnnxCall, rank: number): Output {
  const axes = call.optional(3);
  if (axes) return countedFromFirst(call, axes, call.longs(rank, "rank"));
  return allAxes(call, call.op("Size", [call.input(1)], { out_type: "int64" }));
}

/** Negative padding takes elements off. */
export function pad(call: OnnxCall): Output {
  const x = call.input();
  const pairs = knownPads(call);
  if (!pairs) return padInRun(call, x);
  const off = (side: number) => pairs.map((pair) => Math.max(0, -(pair[side] ?? 0)));
  const [before, after] = [off(0), off(1)];
  const cut = [...before, ...after].some((size) => size > 0)
    ? withoutSides(call, x, call.longs(before, "before"), call.longs(after, "after"))
    : x;
  const sizes = pairs.flat().map((size) => Math.max(0, size));
  return padBy(call, cut, call.ints(sizes, "paddings", [pairs.length, 2]));
}

/** Before and after each dimension; undefined if they are computed in the run. */
function knownPads(call: OnnxCall): readonly (readonly number[])[] | undefined {
  const pads = call.knownInts(1);
  if (!pads || (call.optional(3) && !call.knownInts(3))) return undefined;
  const rank = call.rank(call.input());
  const axes = call.knownInts(3) ?? Array.from({ length: rank }, (_, at) => at);
  const pairs = Array.from({ length: rank }, () => [0, 0]);
  for (const [at, axis] of axes.entries()) {
    pairs[call.axis(axis, rank)] = [pads[at] ?? 0, pads[at + axes.length] ?? 0];
  }
  return pairs;
}

function padInRun(call: OnnxCall, x: Output): Output {
  const sides = call.op("Reshape", [call.cast(call.input(1), "int64"), call.ints([2, -1], "sides")]);
  const given = call.transpose(sides, [1, 0]);
  const axes = call.optional(3);
  const pairs = axes ? atAxes(call, axes, given) : given;
  const zero = call.longs(0, "zero");
  const off = call.op("Maximum", [call.op("Neg", [pairs]), zero]);
  const [before, after] = call.operation("Unpack", [off], { num: 2, axis: 1 }).outputs;
  const cut = before && after ? withoutSides(call, x, before, after) : x;
  const padded = padBy(call, cut, call.op("Maximum", [pairs, zero]));
  return padded.shape || !x.shape
    ? padded
    : call.op("EnsureShape", [padded], { shape: x.shape.map(() => -1) });
}

/** Pairs of all dimensions: those that are given at their axes, and no padding elsewhere. */
function atAxes(call: OnnxCall, axes: Output, pairs: Output): Output {
  const rank = call.rank(call.input());
  const places = asRows(call, countedFromFirst(call, axes, call.longs(rank, "rank")));
  return call.op("ScatterNd", [places, pairs, call.longs([rank, 2], "shape")]);
}

function withoutSides(call: OnnxCall, x: Output, before: Output, after: Output): Output {
  const rest = call.op("Sub", [call.op("Sub", [shapeOf(call, x), before]), after]);
  return call.op("Slice", [x, before, rest]);
}

function padBy(call: OnnxCall, x: Output, sizes: Output): Output {
  const mode = call.text("mode", "constant");
  if (mode === "constant") {
    return call.op("PadV2", [x, sizes, call.optional(2) ?? call.like(x, 0, "value")]);
  }
  if (mode === "reflect") return call.op("MirrorPad", [x, sizes], { mode: "REFLECT" });
  throw call.unsupported(`pads by "${mode}"`);
}
