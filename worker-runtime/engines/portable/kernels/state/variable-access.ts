import { internalError, invalidArgument, outOfRange } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import { Variable } from "../../resources/variable.js";
import type { OpContext } from "../kernel.js";
import { cppShapeText } from "../support/shapes.js";
import { updateElements } from "./element-updates.js";
import { cellInput, uninitialized } from "./resource-access.js";

/** The variable behind a reference edge that must have a value. @throws TensorFlowError FAILED_PRECONDITION */
export function initializedCell(context: OpContext, index: number): Variable {
  const cell = cellInput(context, index);
  if (!(cell instanceof Variable)) {
    throw internalError(`${cell.name} is not a variable of this engine.`);
  }
  return cell.initialized ? cell : uninitialized(cell);
}

/** The value of a variable with an array that may be written. @throws TensorFlowError FAILED_PRECONDITION */
export function writableValue(variable: Variable): Tensor {
  return variable.writable() ?? uninitialized(variable);
}

/** Adds a tensor of the variable's dtype and shape to it, or subtracts it. */
export function addToVariable(kind: "add" | "sub", variable: Variable, value: Tensor): void {
  const { dtype, data, size } = writableValue(variable);
  updateElements(kind, { dtype, target: data, at: 0, source: value.data, from: 0, length: size, step: 1 });
}

/**
 * The value of an int32 or int64 variable, which then counts on.
 * @throws TensorFlowError OUT_OF_RANGE "Reached limit of 3", INVALID_ARGUMENT for a variable that is no scalar.
 */
export function countUp(variable: Variable, limit: bigint): Tensor {
  const before = variable.value ?? uninitialized(variable);
  if (before.shape.length > 0) {
    throw invalidArgument(`input is not a scalar: ${cppShapeText(before.shape)}`);
  }
  if (before.dtype !== "int32" && before.dtype !== "int64") {
    throw invalidArgument(`A variable of ${before.dtype} cannot count.`);
  }
  const count = BigInt(before.at(0) as number | bigint);
  if (count >= limit) {
    throw outOfRange(`Reached limit of ${limit}`);
  }
  const next = count + 1n;
  variable.value = new Tensor(
    before.dtype,
    [],
    before.dtype === "int64" ? BigInt64Array.of(next) : Int32Array.of(Number(next)),
  );
  return before;
}
