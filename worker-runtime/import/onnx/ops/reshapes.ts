/** Operators that leave the elements in their order, and change the shape. */
import { allKnown } from "../../../graph/known-ints.js";
import type { Output } from "../../../graph/operation.js";
import type { OnnxCall } from "../onnx-call.js";
import { asRows, countedFromFirst, otherAxes, rankOf, shapeOf } from "./computed-inputs.js";

/** A shape may have 0 for a size that stays as it is. */
export function reshape(call: OnnxCall): Output {
  const [x, target] = [call.input(), call.input(1)];
  const elements = call.partlyKnownInts(1);
  if (call.int("allowzero", 0) === 1 || elements?.every((size) => size !== undefined && size !== 0))
    return call.op("Reshape", [x, target]);
  const sizes = elements?.map((size, at) => (size === 0 ? knownOr(x.shape?.[at]) : size));
  if (!elements || !sizes) return call.op("Reshape", [x, withKeptSizes(call, x, target)]);
  const isKnown = allKnown({ rank: 1, elements }) !== undefined;
  const open = sizes.filter((size) => size === undefined || size < 0).length;
  // A single size that is not known follows from the others.
  if (isKnown && open <= 1) {
    const shape = sizes.map((size) => size ?? -1);
    return call.op("Reshape", [x, call.ints(shape, "shape")]);
  }
  const kept = isKnown ? shapeOf(call, x) : withKeptSizes(call, x, target);
  // Sizes that are known stay so in the graph.
  const parts = sizes.map((size, at) =>
    size === undefined
      ? call.op("GatherV2", [kept, call.ints(at, "dimension"), call.ints(0, "axis")])
      : call.like(kept, size, "size"),
  );
  return call.op("Reshape", [x, call.op("Pack", [parts])]);
}

const knownOr = (size: number | undefined) => (size !== undefined && size >= 0 ? size : undefined);

/** A shape with the input's own sizes for zeros. */
function withKeptSizes(call: OnnxCall, x: Output, target: Output): Output {
  const zeros = call.op("ZerosLike", [target]);
  const own = call.op("Shape", [x], { out_type: target.dtype });
  // The shape may have more elements than the input has dimensions, and fewer.
  const longer = call.op("ConcatV2", [[own, zeros], call.ints(0, "axis")]);
  const count = call.op("Shape", [target]);
  const sizes = call.op("Slice", [longer, call.ints([0], "begin"), count]);
  return call.op("SelectV2", [call.op("Equal", [target, zeros]), sizes, target]);
}

export function flatten(call: OnnxCall): Output {
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

export function squeeze(call: OnnxCall): Output {
  const [x, axes] = [call.input(), call.optional(1)];
  const known = call.knownInts(1);
  if (!axes || known)
    return call.op("Squeeze", [x], { squeeze_dims: [...(known ?? call.listed("axes") ?? [])] });
  const kept = call.op("GatherV2", [
    shapeOf(call, x),
    otherAxes(call, axes, rankOf(call, x)),
    call.ints(0, "axis"),
  ]);
  const [rank, count] = [x.shape?.length ?? -1, axes.shape?.[0] ?? -1];
  const isCounted = rank >= 0 && count >= 0;
  return call.op("Reshape", [
    x,
    isCounted ? call.op("Reshape", [kept, call.ints([rank - count], "count")]) : kept,
  ]);
}

/** Axes count in the result. */
export function unsqueeze(call: OnnxCall): Output {
  const axes = call.knownInts(1) ?? call.listed("axes");
  if (!axes) return unsqueezeInRun(call, call.input(1));
  const rank = call.rank(call.input()) + axes.length;
  return axes
    .map((axis) => call.axis(axis, rank))
    .sort((a, b) => a - b)
    .reduce((tensor, axis) => call.op("ExpandDims", [tensor, call.ints(axis, "axis")]), call.input());
}

/** The input's sizes stand, in order, at the places that are no axes. */
function unsqueezeInRun(call: OnnxCall, axes: Output): Output {
  const x = call.input();
  const count = axes.shape?.[0] ?? -1;
  const rank =
    x.shape && count >= 0
      ? call.longs(x.shape.length + count, "rank")
      : call.op("AddV2", [rankOf(call, x), call.op("Size", [axes], { out_type: "int64" })]);
  const places = asRows(call, otherAxes(call, countedFromFirst(call, axes, rank), rank));
  const ones = call.op("Fill", [call.op("ExpandDims", [rank, call.ints(0, "vector")]), call.longs(1, "one")]);
  return call.op("Reshape", [x, call.op("TensorScatterUpdate", [ones, places, shapeOf(call, x)])]);
}
