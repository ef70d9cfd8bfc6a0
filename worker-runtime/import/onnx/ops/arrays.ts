/** Operators that arrange elements, and that know shapes. */
import type { Output } from "../../../graph/operation.js";
import { constant } from "../../../graph/ops/index.js";
import { Tensor } from "../../../protocol/tensor.js";
import type { OnnxCall, OnnxOp } from "../onnx-call.js";
import { tensorOfOnnx } from "../onnx-tensor.js";

/** To a shape that is fed, which may have 0 for a size that stays as it is, too. */
function reshapeInRun(call: OnnxCall): Output {
  const [x, target] = [call.input(), call.input(1)];
  if (call.int("allowzero", 0) === 1) return call.op("Reshape", [x, target]);
  const [rank, count] = [call.rank(x), call.size(target, 0)];
  const own = call.op("Shape", [x], { out_type: "int64" });
  const rest = call.op("Fill", [
    call.ints([Math.max(0, count - rank)], "more"),
    call.like(target, 0, "zero"),
  ]);
  const longer = call.op("ConcatV2", [[own, rest], call.ints(0, "axis")]);
  const sizes = call.op("Slice", [longer, call.ints([0], "begin"), call.ints([count], "count")]);
  const isKept = call.op("Equal", [target, call.like(target, 0, "kept")]);
  return call.op("Reshape", [x, call.op("SelectV2", [isKept, sizes, target])]);
}

/** A known shape may have 0 for a size that stays as it is. */
function reshape(call: OnnxCall): Output {
  const x = call.input();
  const target = call.known(1) && call.knownInts(1);
  if (call.input(1).op.type === "Placeholder") return reshapeInRun(call);
  if (!target?.includes(0) || call.int("allowzero", 0) === 1) return call.op("Reshape", [x, call.input(1)]);
  const sizes = target.map((size, at) => (size === 0 ? (x.shape?.[at] ?? -1) : size));
  if (sizes.filter((size) => size < 0).length <= 1) return call.op("Reshape", [x, call.ints(sizes, "shape")]);
  const own = call.op("Shape", [x]);
  const parts = target.map((size, at) =>
    size === 0
      ? call.op("GatherV2", [own, call.ints(at, "dimension"), call.ints(0, "axis")])
      : call.ints(size, "size"),
  );
  return call.op("Reshape", [x, call.op("Pack", [parts])]);
}

function flatten(call: OnnxCall): Output {
  const x = call.input();
  const rank = call.rank(x);
  const axis = call.int("axis", 1);
  const rest = (x.shape ?? []).slice(axis);
  const size = (sizes: readonly number[]) => sizes.reduce((product, one) => product * one, 1);
  if (axis >= 0 && axis <= rank && rest.every((one) => one >= 0)) {
    return call.op("Reshape", [x, call.ints([-1, size(rest)], "shape")]);
  }
  const first = (x.shape ?? []).slice(0, axis);
  if (first.every((one) => one >= 0)) return call.op("Reshape", [x, call.ints([size(first), -1], "shape")]);
  throw call.unsupported("flattens dimensions of unknown sizes on both sides");
}

function squeeze(call: OnnxCall): Output {
  const axes = call.knownInts(1) ?? call.listed("axes") ?? [];
  return call.op("Squeeze", [call.input()], { squeeze_dims: axes });
}

/** Axes count in the result. */
function unsqueeze(call: OnnxCall): Output {
  const axes = call.knownInts(1) ?? call.listed("axes") ?? [];
  const rank = call.rank(call.input()) + axes.length;
  return axes
    .map((axis) => call.axis(axis, rank))
    .sort((a, b) => a - b)
    .reduce((tensor, axis) => call.op("ExpandDims", [tensor, call.ints(axis, "axis")]), call.input());
}

function split(call: OnnxCall): readonly Output[] {
  const axis = call.ints(call.int("axis", 0), "axis");
  const sizes = call.knownInts(1);
  const attrs = { num_split: call.outputs };
  const all = call.input().shape?.at(call.int("axis", 0)) ?? -1;
  if (!sizes && call.opset >= 18 && all % call.outputs !== 0) return unevenly(call, all);
  if (!sizes) return call.operation("Split", [axis, call.input()], attrs).outputs;
  return call.operation("SplitV", [call.input(), call.ints(sizes, "sizes"), axis], attrs).outputs;
}

/** Into parts of equal size, of which the last has what is left. */
function unevenly(call: OnnxCall, size: number): readonly Output[] {
  if (size < 0)
    throw call.unsupported("splits a dimension of unknown size, perhaps into parts of other sizes");
  const part = Math.ceil(size / call.outputs);
  const sizes = Array.from({ length: call.outputs }, (_, at) =>
    Math.max(0, Math.min(part, size - at * part)),
  );
  const axis = call.ints(call.int("axis", 0), "axis");
  return call.operation("SplitV", [call.input(), call.ints(sizes, "sizes"), axis], {
    num_split: call.outputs,
  }).outputs;
}

/** The largest number that stands for "to the end". */
const FAR = 2 ** 31 - 1;

function slice(call: OnnxCall): Output {
  const x = call.input();
  const rank = call.rank(x);
  const [starts = [], ends = []] = [call.knownInts(1), call.knownInts(2)];
  const axes = call.knownInts(3) ?? starts.map((_, at) => at);
  const steps = call.knownInts(4) ?? starts.map(() => 1);
  const [begin, end, strides] = [0, 0, 1].map((value) => Array<number>(rank).fill(value));
  let [beginMask, endMask] = [2 ** rank - 1, 2 ** rank - 1];
  for (const [at, given] of axes.entries()) {
    const axis = call.axis(given, rank);
    const step = steps[at] ?? 1;
    const size = x.shape?.[axis] ?? -1;
    const [start, to] = [starts[at] ?? 0, ends[at] ?? 0];
    if (step < 0 && start < -1 && size < 0)
      throw call.unsupported("goes backwards from a place that may lie before the first element");
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

function pad(call: OnnxCall): Output {
  const mode = call.text("mode", "constant");
  const rank = call.rank(call.input());
  const [pads = [], axes = Array.from({ length: rank }, (_, at) => at)] = [
    call.knownInts(1),
    call.knownInts(3),
  ];
  const pairs = Array.from({ length: rank }, () => [0, 0]);
  for (const [at, axis] of axes.entries()) {
    pairs[call.axis(axis, rank)] = [pads[at] ?? 0, pads[at + axes.length] ?? 0];
  }
  if (pairs.flat().some((size) => size < 0)) throw call.unsupported("takes elements off by negative padding");
  const sizes = call.ints(pairs.flat(), "paddings", [rank, 2]);
  const value = call.optional(2) ?? call.like(call.input(), 0, "value");
  if (mode === "constant") return call.op("PadV2", [call.input(), sizes, value]);
  if (mode === "reflect") return call.op("MirrorPad", [call.input(), sizes], { mode: "REFLECT" });
  throw call.unsupported(`pads by "${mode}"`);
}

/** To the shape that its own and the given one broadcast to. */
function expand(call: OnnxCall): Output {
  const x = call.input();
  const shape = call.op("BroadcastArgs", [call.op("Shape", [x], { out_type: "int64" }), call.input(1)]);
  return call.op("BroadcastTo", [x, shape]);
}

function constantOfShape(call: OnnxCall): Output {
  const given = call.attributeTensor("value");
  const value = given ? tensorOfOnnx(given).reshape([]) : Tensor.of(0, "float32");
  return call.op("Fill", [call.input(), constant(call.graph, value, { name: "value" })], {
    index_type: "int64",
  });
}

function tile(call: OnnxCall): Output {
  const x = call.input();
  // TensorFlow's kernel takes every dtype, and refuses this one in a run.
  const tiled = x.dtype === "uint16" ? call.cast(x, "int32") : x;
  return call.cast(call.op("Tile", [tiled, call.input(1)]), x.dtype);
}

export const ARRAY_OPS: Readonly<Record<string, OnnxOp>> = {
  Reshape: reshape,
  Flatten: flatten,
  Squeeze: squeeze,
  Unsqueeze: unsqueeze,
  Split: split,
  Slice: slice,
  Pad: pad,
  Expand: expand,
  ConstantOfShape: constantOfShape,
  Transpose(call) {
    const rank = call.rank(call.input());
    return call.transpose(
      call.input(),
      call.listed("perm") ?? Array.from({ length: rank }, (_, at) => rank - 1 - at),
    );
  },
  Concat(call) {
    const { inputs } = call;
    if (inputs.length === 1) return call.op("Identity", [call.input()]);
    return call.op("ConcatV2", [[...inputs], call.ints(call.int("axis", 0), "axis")]);
  },
  Gather: (call) =>
    call.op("GatherV2", [call.input(0), fromStart(call), call.ints(call.int("axis", 0), "axis")]),
  Shape: shape,
  Tile: tile,
  Range: range,
};

/** Sizes of some dimensions, which may be counted from the last one, or lie beyond both ends. */
function shape(call: OnnxCall): Output {
  const sizes = call.op("Shape", [call.input()], { out_type: "int64" });
  const [start, end] = [call.int("start", 0), call.int("end", FAR)];
  if (start === 0 && end === FAR) return sizes;
  const rank = call.rank(call.input());
  const place = (axis: number) => Math.max(0, Math.min(rank, axis < 0 ? axis + rank : axis));
  const count = Math.max(0, place(end) - place(start));
  return call.op("Slice", [sizes, call.ints([place(start)], "begin"), call.ints([count], "count")]);
}

/** Empty if the step does not lead from the start to the limit, which TensorFlow refuses. */
function range(call: OnnxCall): Output {
  const [start, limit, step] = [call.input(0), call.input(1), call.input(2)];
  const up = call.op("Maximum", [start, limit]);
  const known = call.known(2);
  if (known && Number(known.item()) > 0) return call.op("Range", [start, up, step]);
  const down = call.op("Minimum", [start, limit]);
  if (known) return call.op("Range", [start, down, step]);
  const isUp = call.op("Greater", [step, call.like(step, 0, "zero")]);
  return call.op("Range", [start, call.op("SelectV2", [isUp, up, down]), step]);
}

/** Indices that count from the end, as ONNX allows, from the start. */
function fromStart(call: OnnxCall): Output {
  const indices = call.input(1);
  const known = call.known(1) && call.knownInts(1);
  if (known?.every((index) => index >= 0)) return indices;
  const sizes = call.op("Shape", [call.input()], { out_type: indices.dtype });
  const axis = call.axis(call.int("axis", 0), call.rank(call.input()));
  const size = call.op("GatherV2", [sizes, call.ints(axis, "dimension"), call.ints(0, "first")]);
  return call.op("FloorMod", [indices, size]);
}
