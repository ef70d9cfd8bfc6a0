import { Tensor } from "../../../protocol/tensor.js";
import type { Value } from "../values.js";

/** The bytes of the tensors among values. */
export function bytesOf(values: readonly (Value | undefined)[]): number {
  return values.reduce((sum, value) => sum + (value instanceof Tensor ? value.byteLength : 0), 0);
}
