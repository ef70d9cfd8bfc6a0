/** Operators that arrange elements, and that know shapes. */
import type { Output } from "../../../graph/operation.js";
import { constant } from "../../../graph/ops/index.js";
import { Tensor } from "../../../protocol/tensor.js";
import type { OnnxCall, OnnxOp } from "../onnx-call.js";
import { tensorOfOnnx } from "../onnx-tensor.js";
import { scalarOf, shapeOf } from "./computed-inputs.js";
import { flatten, reshape, squeeze, unsqueeze } from "./reshapes.js";
import { FAR, pad, slice } from "./slices.js";

function split(call: OnnxCall): readonly Output[] {
  const axis = call.ints(call.int("axis", 0), "axis");
  const sizes = call.optional(1);
  const attrs = { num_split: call.outputs };
  const all = call.input().shape?.at(call.int("axis", 0)) ?? -1;
  if (!sizes && call.opset >= 18 && all % call.outputs !== 0) return unevenly(call, all);
  if (!sizes) return call.operation("Split", [axis, call.input()], attrs).outputs;
  return call.operation("SplitV", [call.input(), sizes, axis], attrs).outputs;
}

/** Into parts of equal size, of which the last has what is left. */
function unevenly(call: OnnxCall, size: number): readonly Output[] {
  const axis = call.ints(call.int("axis", 0), "axis");
  return call.operation("SplitV", [call.input(), partSizes(call, size), axis], {
    num_split: call.outputs,
  }).outputs;
}

function partSizes(call: OnnxCall, size: number): Output {
  const count = call.outputs;
  if (size >= 0) {
    const part = Math.ceil(size / count);
    const sizes = Array.from({ length: count }, (_, at) => Math.max(0, Math.min(part, size - at * part)));
    return call.ints(sizes, "sizes");
  }
  const axis = call.axis(call.int("axis", 0), call.rank(call.input()));
  const all = call.op("GatherV2", [
    shapeOf(call, call.input()),
    call.ints(axis, "dimension"),
    call.ints(0, "first"),
  ]);
  // Rounded up.
  const part = call.op("FloorDiv", [
    call.op("AddV2", [all, call.longs(count - 1, "rest")]),
    call.longs(count, "count"),
  ]);
  const places = call.longs(
    Array.from({ length: count }, (_, at) => at),
    "places",
  );
  const left = call.op("Sub", [all, call.op("Mul", [places, part])]);
  return call.op("Maximum", [call.op("Minimum", [left, part]), call.longs(0, "zero")]);
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

/** Indices may count from the end; those that lie beyond both ends are nowhere. */
function oneHot(call: OnnxCall): Output {
  const axis = call.axis(call.int("axis", -1), call.rank(call.input()) + 1);
  const indices = call.cast(call.input(), "int64");
  const depth = call.cast(scalarOf(call, call.input(1)), "int32");
  const zero = call.longs(0, "zero");
  const fromEnd = call.op("AddV2", [indices, call.cast(depth, "int64")]);
  const places = call.op("SelectV2", [call.op("Less", [indices, zero]), fromEnd, indices]);
  const [off, on] = call.operation("Unpack", [call.input(2)], { num: 2 }).outputs;
  if (!off || !on) throw call.unsupported("has no two values");
  return call.op("OneHot", [places, depth, on, off], { axis });
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
  OneHot: oneHot,
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
  const known = call.knownInts(1);
  if (known?.every((index) => index >= 0)) return indices;
  const sizes = call.op("Shape", [call.input()], { out_type: indices.dtype });
  const axis = call.axis(call.int("axis", 0), call.rank(call.input()));
  const size = call.op("GatherV2", [sizes, call.ints(axis, "dimension"), call.ints(0, "first")]);
  return call.op("FloorMod", [indices, size]);
}
