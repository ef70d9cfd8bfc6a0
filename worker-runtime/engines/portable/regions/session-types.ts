import type { DType } from "../../../protocol/dtype.js";
import { isOnnxType } from "../onnx/tensor-proto.js";

/** Whether ONNX Runtime exchanges tensors of a dtype with JavaScript: its Node package has no bfloat16. */
export function isSessionType(dtype: DType): boolean {
  return dtype !== "bfloat16" && isOnnxType(dtype);
}
