import { type Tensor, tensorFromProto } from "../protocol/tensor.js";
import type { Operation } from "./operation.js";
import { partialShapeFromProto, type Shape } from "./shape.js";

/** The value of an operation that is the same in every run: a Const's. Undefined for all others. */
export function constantValueOf(op: Operation | undefined): Tensor | undefined {
  const value = op?.type === "Const" ? op.attrs.get("value")?.value : undefined;
  if (value?.$case !== "tensor") return undefined;
  try {
    return tensorFromProto(value.value);
  } catch {
    // A Const with a damaged value says nothing of shapes; its own error shows when it runs.
    return undefined;
  }
}

/** The shape of the value behind a resource variable's handle; undefined where it is unknown or no such handle. */
export function handleShapeOf(op: Operation | undefined): Shape | undefined {
  const shape = op?.type === "VarHandleOp" ? op.attrs.get("shape")?.value : undefined;
  return shape?.$case === "shape" ? partialShapeFromProto(shape.value) : undefined;
}
