/** Costs of work on matrices, in nanoseconds on one slow core. */
import type { Tensor } from "../../../../protocol/tensor.js";
import type { Cost } from "../support/define.js";
import { inputAt } from "../support/elements.js";
import { productOf, tryBroadcast } from "../support/shapes.js";

/** The cost of a kind of work. */
export interface MatrixNanos {
  /** A multiplication; their number is the cube of the matrices' size. */
  readonly multiplication: number;
  /** Overhead per matrix, however small, such as several allocations. Measured with 100,000 of 3×3. */
  readonly matrix: number;
}

/** Equations of real and of complex numbers. */
export const realEquation: MatrixNanos = { multiplication: 3, matrix: 1500 };
export const complexEquation: MatrixNanos = { multiplication: 12, matrix: 2500 };

/** The number of matrices in a tensor; 0 if it does not hold matrices. */
function countOf({ shape }: Tensor): number {
  return shape.length < 2 ? 0 : productOf(shape, 0, shape.length - 2);
}

/** Work on square matrices, each separately. */
export function squareCost({ multiplication, matrix }: MatrixNanos): Cost {
  return (_, inputs) => {
    const input = inputAt(inputs, 0);
    return input.size * (input.shape.at(-1) ?? 0) * multiplication + countOf(input) * matrix;
  };
}

/** Equations with the matrices of input 0 and the right sides of input 1; their batches may broadcast. */
export function equationCost({ multiplication, matrix }: MatrixNanos): Cost {
  return (_, inputs) => {
    const [left, right] = [inputAt(inputs, 0).shape, inputAt(inputs, 1).shape];
    const count = productOf(tryBroadcast(left.slice(0, -2), right.slice(0, -2)) ?? [0]);
    const [size, columns] = [left.at(-1) ?? 0, right.at(-1) ?? 0];
    return count * (size * size * (size + columns) * multiplication + matrix);
  };
}

/**
 * Decompositions of matrices of any shape: for each matrix, the longer side times the square of the shorter one.
 * @param passes how often each multiplication is done for factors of the smallest size.
 * @param fullPasses the additional passes if a factor has the square of the longer side.
 */
export function decompositionCost(
  passes: number,
  { multiplication, matrix }: MatrixNanos,
  fullPasses = 0,
): Cost {
  return (node, inputs) => {
    const input = inputAt(inputs, 0);
    const [rows = 0, columns = 0] = input.shape.slice(-2);
    const isFull = fullPasses > 0 && node.bool("full_matrices");
    const products = passes * rows * columns + (isFull ? fullPasses * Math.max(rows, columns) ** 2 : 0);
    return countOf(input) * (products * Math.min(rows, columns) * multiplication + matrix);
  };
}
