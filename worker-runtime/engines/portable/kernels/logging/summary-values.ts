import { Summary, type Summary_Value } from "../../../../../protos/generated/tensorflow/summary.js";
import { histogramOf } from "../../../../io/events/histogram.js";
import { invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import { isLong, isSmallFloat } from "../support/dtypes.js";
import { longsOf, numbersOf } from "../support/elements.js";
import { toFloat32 } from "../support/small-floats.js";

/** The value of a summary for one tag. */
export type SummaryValue = Partial<Summary_Value>;

/** The elements as float64. */
export function realsOf(tensor: Tensor): ArrayLike<number> {
  if (isSmallFloat(tensor.dtype)) {
    return numbersOf(toFloat32(tensor));
  }
  return isLong(tensor.dtype) ? Float64Array.from(longsOf(tensor), Number) : numbersOf(tensor);
}

/** A scalar string tensor of a serialized Summary. */
export function summaryTensor(values: readonly SummaryValue[]): Tensor {
  const bytes = Summary.encode(Summary.fromPartial({ value: [...values] })).finish();
  return new Tensor("string", [], [bytes]);
}

/** A number, rounded to float32. */
export function scalarValue(tag: string, value: number): SummaryValue {
  return { tag, value: { $case: "simpleValue", value: Math.fround(value) } };
}

/**
 * The distribution of a tensor's elements.
 * @param where for the error: the tag or the node.
 * @throws TensorFlowError INVALID_ARGUMENT for elements that are not finite.
 */
export function histogramValue(tag: string, tensor: Tensor, where: string): SummaryValue {
  const values = realsOf(tensor);
  for (let index = 0; index < values.length; index += 1) {
    const value = values[index] ?? 0;
    if (!Number.isFinite(value)) {
      const kind = Number.isNaN(value) ? "Nan" : "Infinity";
      throw invalidArgument(`${kind} in summary histogram for: ${where}`);
    }
  }
  return { tag, value: { $case: "histo", value: histogramOf(values) } };
}
