import { internalError, invalidArgument, outOfRange } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import { ReferenceVariable } from "../../resources/reference-variable.js";
import { alone, type Variable } from "../../resources/variable.js";
import type { OpContext, Outputs } from "../kernel.js";
import type { KernelNode } from "../kernel-node.js";
import { cppShapeText } from "../support/shapes.js";
import { inTurns } from "../support/turns.js";
import { updateElements } from "./element-updates.js";
import { cellInput, uninitialized } from "./resource-access.js";

/** Elements updated per turn: a few milliseconds. */
export const ELEMENTS_PER_TURN = 2 ** 20;

/** The variable behind a reference edge, which may have no value yet. */
export function referredVariable(context: OpContext, index: number): ReferenceVariable {
  const cell = cellInput(context, index);
  if (!(cell instanceof ReferenceVariable)) {
    throw internalError(`${cell.name} is not a variable of this engine.`);
  }
  return cell;
}

/**
 * Exclusively updates the variable behind a reference edge, which must have a value.
 * @throws TensorFlowError FAILED_PRECONDITION
 */
export function updateReferred(
  context: OpContext,
  update: (variable: ReferenceVariable) => Outputs | Promise<Outputs>,
): Outputs | Promise<Outputs> {
  const variable = referredVariable(context, 0);
  return alone([variable], context.step, () => update(checkInitialized(variable)));
}

/** @throws TensorFlowError FAILED_PRECONDITION for a variable without a value. */
export function checkInitialized<T extends Variable>(variable: T): T {
  return variable.initialized ? variable : uninitialized(variable);
}

/** The value of a variable, with an array that may be written to. @throws TensorFlowError FAILED_PRECONDITION */
export function writableValue(variable: Variable): Tensor {
  return variable.writable() ?? uninitialized(variable);
}

/** Whether an assignment accepts only values of the variable's shape. AssignVariableOp once had no such attribute. */
export function validatesShape(node: KernelNode): boolean {
  return node.has("validate_shape") && node.bool("validate_shape");
}

/** Adds a tensor of the same dtype and shape to a variable, or subtracts it; many elements in several turns. */
export function addToVariable(
  kind: "add" | "sub",
  variable: Variable,
  value: Tensor,
  outputs: Outputs,
): Outputs | Promise<Outputs> {
  const { dtype, data, size } = writableValue(variable);
  // Read once: what a later turn reads of a received tensor keeps its memory.
  const source = value.data;
  const add = (first: number, end: number): void =>
    updateElements(kind, {
      dtype,
      target: data,
      at: first,
      source,
      from: first,
      length: end - first,
      step: 1,
    });
  // Not cancellable, like TensorFlow's kernels.
  return inTurns(size, ELEMENTS_PER_TURN, add, undefined, () => outputs);
}

/**
 * Returns the value of an int32 or int64 variable and increments the variable.
 * @throws TensorFlowError OUT_OF_RANGE "Reached limit of 3", INVALID_ARGUMENT for a variable that is not a scalar.
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
  variable.assign(scalarOf(before.dtype, count + 1n));
  return scalarOf(before.dtype, count);
}

function scalarOf(dtype: "int32" | "int64", value: bigint): Tensor {
  return new Tensor(dtype, [], dtype === "int64" ? BigInt64Array.of(value) : Int32Array.of(Number(value)));
}
