/** Checks of the two sides of matrix equations, real or complex. */
import { invalidArgument, type TensorFlowError } from "../../../../protocol/status.js";
import type { Tensor } from "../../../../protocol/tensor.js";
import { cppShapeText, sameShape, tryBroadcast } from "../support/shapes.js";
import { broadcastIndex } from "./broadcast-index.js";

export function notInvertible(): TensorFlowError {
  return invalidArgument("Input matrix is not invertible.");
}

/** The number of columns of the right side. @throws TensorFlowError INVALID_ARGUMENT */
export function checkRightSide(matrix: Tensor, { shape }: Tensor, size: number): number {
  const [rows, columns] = shape.slice(-2);
  if (rows !== size || columns === undefined) {
    throw invalidArgument(
      `Input matrix and rhs are incompatible: ${cppShapeText(matrix.shape)} vs. ${cppShapeText(shape)}`,
    );
  }
  return columns;
}

/** @throws TensorFlowError INVALID_ARGUMENT unless matrices and right sides have the same batch shape. */
export function checkSameBatch(matrix: Tensor, rightSide: Tensor): void {
  if (!sameShape(matrix.shape.slice(0, -2), rightSide.shape.slice(0, -2))) {
    throw invalidArgument(
      `All input tensors must have the same outer dimensions: ${cppShapeText(matrix.shape)} vs. ${cppShapeText(rightSide.shape)}`,
    );
  }
}

/** The equations of two batches that are broadcast to each other. */
export interface EquationBatch {
  readonly shape: readonly number[];
  /** The index of an equation's matrix or right side. */
  ofMatrix(index: number): number;
  ofRight(index: number): number;
}

/** @throws TensorFlowError INVALID_ARGUMENT for batches that cannot be broadcast. */
export function broadcastBatches(matrix: Tensor, rightSide: Tensor): EquationBatch {
  const [own, other] = [matrix.shape.slice(0, -2), rightSide.shape.slice(0, -2)];
  const shape = tryBroadcast(own, other);
  if (shape === undefined) {
    throw invalidArgument(
      `In[0] and In[1] must have compatible batch dimensions: ${cppShapeText(matrix.shape)} vs. ${cppShapeText(rightSide.shape)}`,
    );
  }
  return { shape, ofMatrix: broadcastIndex(own, shape), ofRight: broadcastIndex(other, shape) };
}
