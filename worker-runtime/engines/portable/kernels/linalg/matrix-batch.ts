/** Tensors of matrices: the last two dimensions are rows and columns. */
import { invalidArgument } from "../../../../protocol/status.js";
import type { Tensor } from "../../../../protocol/tensor.js";
import { numbersOf } from "../support/elements.js";
import { cppShapeText, productOf } from "../support/shapes.js";

/** The size of square matrices. @throws TensorFlowError INVALID_ARGUMENT */
export function squareSize({ shape }: Tensor): number {
  const [rows, columns] = shape.slice(-2);
  if (rows === undefined || columns === undefined) {
    throw invalidArgument(`Input must have rank >= 2, got ${shape.length}`);
  }
  if (rows !== columns) {
    throw invalidArgument(`Input matrix must be square, got shape ${cppShapeText(shape)}`);
  }
  return rows;
}

/** Matrix `index` of a tensor of matrices in double precision, transposed if requested. */
export function matrixAt(tensor: Tensor, index: number, transpose = false): Float64Array {
  const [rows = 0, columns = 0] = tensor.shape.slice(-2);
  const start = index * rows * columns;
  const matrix = Float64Array.from(numbersOf(tensor).subarray(start, start + rows * columns));
  if (!transpose) {
    return matrix;
  }
  const result = new Float64Array(matrix.length);
  for (let i = 0; i < rows; i += 1) {
    for (let j = 0; j < columns; j += 1) {
      result[j * rows + i] = matrix[i * columns + j] as number;
    }
  }
  return result;
}

/** The number of matrices in a tensor. */
export function batchSize({ shape }: Tensor): number {
  return productOf(shape, 0, shape.length - 2);
}

/** Rows and columns. @throws TensorFlowError INVALID_ARGUMENT for a tensor of rank below 2. */
export function matrixSizes({ shape }: Tensor): readonly [rows: number, columns: number] {
  const [rows, columns] = shape.slice(-2);
  if (rows === undefined || columns === undefined) {
    throw invalidArgument(`Input tensor 0 must have rank >= 2, got ${shape.length}`);
  }
  return [rows, columns];
}
