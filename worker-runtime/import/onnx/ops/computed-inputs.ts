/** Axes, shapes and numbers that the model computes, which are known in a run only. */
import type { Output } from "../../../graph/operation.js";
import type { OnnxCall } from "../onnx-call.js";

/** The dimensions of a tensor, as many as there are in a run. */
export function allAxes(call: OnnxCall, rank: Output): Output {
  return call.op("Range", [call.longs(0, "first"), rank, call.longs(1, "step")]);
}

/** The number of dimensions, as a constant where it is known before a run. */
export function rankOf(call: OnnxCall, x: Output): Output {
  return x.shape ? call.longs(x.shape.length, "rank") : call.cast(call.op("Rank", [x]), "int64");
}

export function shapeOf(call: OnnxCall, x: Output): Output {
  return call.op("Shape", [x], { out_type: "int64" });
}

/** Axes that may count from the last one, counted from the first. */
export function countedFromFirst(call: OnnxCall, axes: Output, rank: Output): Output {
  return call.op("FloorMod", [call.cast(axes, "int64"), rank]);
}

/** As the indices of rows that an op scatters. */
export function asRows(call: OnnxCall, axes: Output): Output {
  return call.op("ExpandDims", [axes, call.ints(1, "row")]);
}

/** Those of a number of dimensions that are not among the axes, in order. */
export function otherAxes(call: OnnxCall, axes: Output, rank: Output): Output {
  return call.op("ListDiff", [allAxes(call, rank), countedFromFirst(call, axes, rank)]);
}

/** The axes, or all dimensions if there are none. */
export function axesOrAll(call: OnnxCall, axes: Output, x: Output): Output {
  if ((axes.shape?.[0] ?? -1) > 0) return axes;
  const [rank, zero] = [rankOf(call, x), call.longs(0, "zero")];
  const isEmpty = call.op("Equal", [call.op("Size", [axes], { out_type: "int64" }), zero]);
  const all = allAxes(call, call.op("SelectV2", [isEmpty, rank, zero]));
  return call.op("ConcatV2", [[call.cast(axes, "int64"), all], call.ints(0, "axis")]);
}

/** ONNX takes vectors of one number, too, where TensorFlow takes a number. */
export function scalarOf(call: OnnxCall, number: Output): Output {
  return number.shape?.length === 0 ? number : call.op("Reshape", [number, call.ints([], "scalar")]);
}
