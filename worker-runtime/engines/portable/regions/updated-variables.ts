import type { DType } from "../../../protocol/dtype.js";
import { TensorFlowError } from "../../../protocol/status.js";
import type { KernelNode } from "../kernels/kernel-node.js";
import { type InputContext, variableInput } from "../kernels/state/resource-access.js";
import { ReferenceVariable } from "../resources/reference-variable.js";
import type { Variable } from "../resources/variable.js";
import { RefValue } from "../values.js";

/** The dtype of the variables that an update changes, according to its node. */
export function variableType(node: KernelNode): DType {
  return node.opDef.attr.some(({ name }) => name === "T") ? node.type("T") : node.type("dtype");
}

/** The variable that an update's input names; undefined if its kernel must report that there is none. */
export function variableAt(node: KernelNode, context: InputContext, index: number): Variable | undefined {
  const input = context.inputs[index];
  if (input instanceof RefValue) {
    return input.cell instanceof ReferenceVariable ? input.cell : undefined;
  }
  try {
    return variableInput(node, context, index);
  } catch (error) {
    if (error instanceof TensorFlowError) {
      return undefined;
    }
    throw error;
  }
}
