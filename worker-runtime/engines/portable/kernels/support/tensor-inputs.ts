import { internalError } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import type { Value } from "../../values.js";

/**
 * Input `index` of a stateful kernel as a tensor of numbers or strings.
 * @throws TensorFlowError INTERNAL if it is not one.
 */
export function tensorAt(inputs: readonly Value[], index: number): Tensor {
  const input = inputs[index];
  if (!(input instanceof Tensor)) {
    throw internalError(`The kernel was called with no tensor as its input ${index}.`);
  }
  return input;
}
