import type { DType } from "../../../protocol/dtype.js";
import { Tensor } from "../../../protocol/tensor.js";
import type { ModelBuilder, OnnxValue } from "../onnx/model-builder.js";

/** A scalar of a float or of an integer dtype. */
export function scalar(model: ModelBuilder, dtype: DType, value: number): OnnxValue {
  const isLong = dtype === "int64" || dtype === "uint64";
  return model.constant(Tensor.of(isLong ? BigInt(value) : value, dtype));
}

/** A vector of int64, ONNX's type for axes, shapes and repetitions. */
export function int64s(model: ModelBuilder, values: readonly number[]): OnnxValue {
  return model.constant(new Tensor("int64", [values.length], BigInt64Array.from(values, BigInt)));
}
