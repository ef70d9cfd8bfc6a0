/** What work on matrices takes, in nanoseconds on one slow core. */
import type { Tensor } from "../../../../protocol/tensor.js";
import type { Cost } from "../support/define.js";
import { inputAt } from "../support/elements.js";
import { productOf, tryBroadcast } from "../support/shapes.js";

/** What a kind of work takes. */
export interface MatrixNanos {
  /** A multiplication, of which there are as many as the cube of the matrices' size. */
  readonly multiplication: number;
  /** What a matrix takes in addition, however small: memory of its own several times. Measured with 100,000 of 3×3. */
  readonly matrix: number;
}

/** Equations of real and of complex numbers. */
export const realEquation: MatrixNanos = { multiplication: 3, matrix: 1500 };
export const complexEquation: MatrixNanos = { multiplication: 12, matrix: 2500 };

/** How many matrices a tensor has; 0 for what is none. */
function countOf({ shape }: Tensor): number {
  return shape.length < 2 ? 0 : productOf(shape, 0, shape.length - 2);
}

/** Work on square matrices, each on its own. */
export function squareCost({ multiplication, matrix }: MatrixNanos): Cost {
  return (_, inputs) => {
    const input = inputAt(inputs, 0);
    return input.size * (input.shape.at(-1) ?? 0) * multiplication + countOf(input) * matrix;
  };
}

/** Equations of the matrices of input 0 and the right sides of input 1; their batches may broadcast. */
export function equationCost({ multiplication, matrix }: MatrixNanos): Cost {
  return (_, inputs) => {
    const [left, right] = [inputAt(inputs, 0).shape, inputAt(inputs, 1).shape];
    const count = productOf(tryBroadcast(left.slice(0, -2), right.slice(0, -2)) ?? [0]);
    const [size, columns] = [left.at(-1) ?? 0, right.at(-1) ?? 0];
    return count * (size * size * (size + columns) * multiplication + matrix);
  };
}

/**
 * Decompositions of matrices of any shape: the longer side by the square of the shorter one, for each matrix.
 * @param passes how often each multiplication is done for factors as small as can be.
 * @param fullPasses how often where a factor has the square of the longer side.
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
