/** Operators that arrange elements, and that know shapes. */
import type { Output } from "../../../graph/operation.js";
import { constant } from "../../../graph/ops/index.js";
import { Tensor } from "../../../protocol/tensor.js";
import type { OnnxCall, OnnxOp } from "../onnx-call.js";
import { tensorOfOnnx } from "../onnx-tensor.js";

/** A known shape may have 0 for a size that stays as it is. */
function reshape(call: OnnxCall): Output {
  const x = call.input();
  const target = call.known(1) && call.knownInts(1);
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
  if (!sizes) return call.operation("Split", [axis, call.input()], attrs).outputs;
  return call.operation("SplitV", [call.input(), call.ints(sizes, "sizes"), axis], attrs).outputs;
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
    const [from, to] = [starts[at] ?? 0, ends[at] ?? 0];
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
  if (call.optional(3)) throw call.unsupported("pads chosen dimensions");
  const pads = call.knownInts(1) ?? [];
  const pairs = Array.from({ length: rank }, (_, at) => [pads[at] ?? 0, pads[at + rank] ?? 0]);
  if (pairs.flat().some((size) => size < 0)) throw call.unsupported("takes elements off by negative padding");
  const sizes = call.ints(pairs.flat(), "paddings", [rank, 2]);
  const value = call.optional(2) ?? call.like(call.input(), 0, "value");
  if (mode === "constant") return call.op("PadV2", [call.input(), sizes, value]);
  if (mode === "reflect") return call.op("MirrorPad", [call.input(), sizes], { mode: "REFLECT" });
  throw call.unsupported(`pads by "${mode}"`);
}

function expand(call: OnnxCall): Output {
  const ones = call.op("Fill", [call.input(1), call.like(call.input(), 1, "one")], { index_type: "int64" });
  return call.op("Mul", [call.input(), ones]);
}

function constantOfShape(call: OnnxCall): Output {
  const given = call.attributeTensor("value");
  const value = given ? tensorOfOnnx(given).reshape([]) : Tensor.of(0, "float32");
  return call.op("Fill", [call.input(), constant(call.graph, value, { name: "value" })], {
    index_type: "int64",
  });
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
  Shape(call) {
    if (call.int("start", 0) !== 0 || call.int("end", FAR) !== FAR)
      throw call.unsupported("takes a part of a shape");
    return call.op("Shape", [call.input()], { out_type: "int64" });
  },
  Tile: (call) => call.op("Tile", [call.input(0), call.input(1)]),
  Range: (call) => call.op("Range", [call.input(0), call.input(1), call.input(2)]),
};

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
