import { invalidArgument } from "../../../../protocol/status.js";
import type { Tensor } from "../../../../protocol/tensor.js";
import { integersOf } from "../support/elements.js";
import { cppShapeText } from "../support/shapes.js";

/**
 * Where the rows of a ragged dimension begin, and where the last one ends: row i has the values from [i] to [i + 1].
 */
export type RowSplits = readonly number[];

/**
 * @param count the number of values in all rows.
 * @throws TensorFlowError INVALID_ARGUMENT if the splits do not cover exactly these values.
 */
export function rowSplitsOf(input: Tensor, count: number, what: string): RowSplits {
  const splits = integersOf(input);
  if (input.shape.length !== 1 || splits.length === 0) {
    throw invalidArgument(`${what} must be a vector of at least one element: ${cppShapeText(input.shape)}`);
  }
  if (splits[0] !== 0) {
    throw invalidArgument(`${what} must start with 0, not ${splits[0]}`);
  }
  for (const [i, split] of splits.entries()) {
    if (split < (splits[i - 1] ?? 0)) {
      throw invalidArgument(`${what} must be sorted in ascending order`);
    }
  }
  if (splits.at(-1) !== count) {
    throw invalidArgument(`${what} must end with the number of values, ${count}, not ${splits.at(-1)}`);
  }
  return splits;
}

/**
 * Splits that may skip values before their first row and after their last one.
 * @throws TensorFlowError INVALID_ARGUMENT for rows that end before they begin or exceed `count` values.
 */
export function looseSplitsOf(input: Tensor, count: number): RowSplits {
  const splits = integersOf(input);
  for (const [i, split] of splits.entries()) {
    if (split < (splits[i - 1] ?? 0)) {
      throw invalidArgument("Ragged splits must be sorted");
    }
  }
  if ((splits.at(-1) ?? 0) > count) {
    throw invalidArgument("Ragged splits must not point past values");
  }
  return splits;
}

/**
 * The splits of nested ragged dimensions, from the outermost to the innermost.
 * @param count the number of rows of the dense values.
 * @throws TensorFlowError INVALID_ARGUMENT
 */
export function nestedSplitsOf(inputs: readonly Tensor[], count: number): RowSplits[] {
  return inputs.map((input, i) => {
    const next = inputs[i + 1];
    return rowSplitsOf(input, next === undefined ? count : next.size - 1, `splits ${i}`);
  });
}
