import { dtypeKind } from "../../../protocol/dtype.js";
import { int, string } from "../onnx/attributes.js";
import type { OnnxValue } from "../onnx/model-builder.js";
import { scalarTensor, type Writer } from "./writer.js";

/** How ONNX combines an update with the element that it meets. */
export type Combination = "add" | "mul" | "max" | "min";

/**
 * Combines rows with those of a tensor, in order, each at the offset of its first element. By elements of a vector:
 * ONNX Runtime's ScatterND has threads that lose updates of one element, and its ScatterElements takes three times as
 * long for a matrix as for a vector.
 * @param offsets int64, within the tensor: a negative one would count from its end.
 * @param width elements per row, a vector of one int64.
 * @returns a tensor of the shape of `into`. The model fails unless the rows have `width` elements for each offset.
 */
export function scatterRows(
  write: Writer,
  into: OnnxValue,
  { offsets, width }: { readonly offsets: OnnxValue; readonly width: OnnxValue },
  rows: OnnxValue,
  combination: Combination,
): OnnxValue {
  const columns = write.model.node(
    "Range",
    [write.scalar("int64", 0), write.squeeze(width, 0), write.scalar("int64", 1)],
    "int64",
  );
  const flat = (value: OnnxValue) => write.reshape(value, write.longs([-1]));
  const places = flat(write.add(write.unsqueeze(flat(offsets), 1), columns));
  const combine = (target: OnnxValue, updates: OnnxValue) =>
    write.same("ScatterElements", [flat(target), places, flat(updates)], {
      axis: int(0),
      reduction: string(combination),
    });
  const result = combine(into, rows);
  const isExtremeOfFloats =
    (combination === "max" || combination === "min") && dtypeKind(into.dtype) === "float";
  return write.reshape(
    isExtremeOfFloats ? withNaNs(write, result, flat(into), places, flat(rows)) : result,
    write.shape(into),
  );
}

/** Extremes with NaN wherever an update or the element was one: ONNX Runtime ignores some of them. */
function withNaNs(
  write: Writer,
  result: OnnxValue,
  into: OnnxValue,
  places: OnnxValue,
  rows: OnnxValue,
): OnnxValue {
  const [before, updates] = [into, rows].map((value) => write.cast(write.test("IsNaN", value), "int32"));
  const nans = write.same("ScatterElements", [before, places, updates], {
    axis: int(0),
    reduction: string("max"),
  });
  return write.where(write.cast(nans, "bool"), write.scalar(result.dtype, Number.NaN), result);
}

/** The product of some sizes, as a vector of one int64. */
export function product(write: Writer, sizes: OnnxValue): OnnxValue {
  return write.same("ReduceProd", [sizes], { keepdims: int(1) });
}

/** The number of rows by which each segment grows, with the dtype of their elements. @param ids a vector of int64. */
export function rowCounts(write: Writer, ids: OnnxValue, count: OnnxValue, one: OnnxValue): OnnxValue {
  const zeros = write.filled(count, scalarTensor(one.dtype, 0));
  const ones = write.same("Expand", [one, write.shape(ids)]);
  return scatterRows(write, zeros, { offsets: ids, width: write.longs([1]) }, ones, "add");
}
