import { invalidArgument } from "../../../../protocol/status.js";
import type { Tensor } from "../../../../protocol/tensor.js";
import type { Value } from "../../values.js";
import { stringsOf } from "../support/elements.js";
import { cppShapeText } from "../support/shapes.js";
import { tensorAt } from "../support/tensor-inputs.js";

const utf8 = new TextDecoder();

/** The elements of a string tensor as text. */
export function textsOf(tensor: Tensor): string[] {
  return stringsOf(tensor).map((bytes) => utf8.decode(bytes));
}

/** The text of a scalar input. @throws TensorFlowError INVALID_ARGUMENT "<what> should be a scalar, …". */
export function scalarTextAt(inputs: readonly Value[], index: number, what: string): string {
  const tensor = tensorAt(inputs, index);
  if (tensor.shape.length !== 0) {
    throw invalidArgument(`${what} must be scalar, got shape ${cppShapeText(tensor.shape)}`);
  }
  return textsOf(tensor)[0] ?? "";
}
