/** Operators that make one of the elements along a dimension, or that order them. */
import type { Output } from "../../../graph/operation.js";
import type { OnnxCall, OnnxOp } from "../onnx-call.js";
import { axesOrAll, scalarOf } from "./computed-inputs.js";

/** Over the given dimensions, or all of them. @param inputFrom the operator set from which on the axes are an input */
function reduction(op: string, inputFrom: number): OnnxOp {
  return (call) => {
    const x = call.input();
    const isInput = call.opset >= inputFrom;
    const [computed, known] = [
      isInput ? call.optional(1) : undefined,
      isInput ? call.knownInts(1) : call.listed("axes"),
    ];
    const isKeptWhole = call.int("noop_with_empty_axes", 0) === 1;
    const attrs = { keep_dims: call.int("keepdims", 1) === 1 };
    // TensorFlow reduces nothing over no axes.
    if (computed && !known)
      return call.op(op, [x, isKeptWhole ? computed : axesOrAll(call, computed, x)], attrs);
    const given = known ?? [];
    if (given.length === 0 && isKeptWhole) return call.op("Identity", [x]);
    const axes = given.length > 0 ? given : Array.from({ length: call.rank(x) }, (_, at) => at);
    return call.op(op, [x, call.ints(axes, "axes")], attrs);
  };
}

function argMax(call: OnnxCall): Output {
  if (call.int("select_last_index", 0) !== 0) throw call.unsupported("takes the last of equals");
  const axis = call.ints(call.int("axis", 0), "axis");
  const found = call.op("ArgMax", [call.input(), axis]);
  return call.int("keepdims", 1) === 1 ? call.op("ExpandDims", [found, axis]) : found;
}

/** The greatest elements along a dimension, or the smallest, and their places; of equals the first. */
function topK(call: OnnxCall): readonly Output[] {
  const x = call.input();
  const rank = call.rank(x);
  const axis = call.axis(call.int("axis", -1), rank);
  const order = Array.from({ length: rank }, (_, at) => at);
  [order[axis], order[rank - 1]] = [rank - 1, axis];
  const turned = (tensor: Output) => (axis === rank - 1 ? tensor : call.transpose(tensor, order));
  // Whole numbers have more on one side of 0 than on the other, and some have no negative ones.
  const reversing = x.dtype.startsWith("float") ? "Neg" : "Invert";
  const reversed = (tensor: Output) => (call.int("largest", 1) === 1 ? tensor : call.op(reversing, [tensor]));
  const count = call.cast(scalarOf(call, call.input(1)), "int32");
  const [values, places] = call.operation("TopKV2", [reversed(turned(x)), count]).outputs;
  if (!values || !places) return [];
  return [turned(reversed(values)), call.cast(turned(places), "int64")].slice(0, call.outputs);
}

function cumSum(call: OnnxCall): Output {
  const attrs = { exclusive: call.int("exclusive", 0) === 1, reverse: call.int("reverse", 0) === 1 };
  return call.op("Cumsum", [call.input(), scalarOf(call, call.input(1))], attrs);
}

export const REDUCTION_OPS: Readonly<Record<string, OnnxOp>> = {
  ...{ ReduceMean: reduction("Mean", 18), ReduceSum: reduction("Sum", 13), ReduceMax: reduction("Max", 18) },
  ...{ ReduceMin: reduction("Min", 18), ReduceProd: reduction("Prod", 18) },
  ...{ ArgMax: argMax, TopK: topK, CumSum: cumSum },
};
