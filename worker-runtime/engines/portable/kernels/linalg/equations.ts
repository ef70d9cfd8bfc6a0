import type { DType } from "../../../../protocol/dtype.js";
import { Tensor } from "../../../../protocol/tensor.js";
import type { PureKernelDefinition } from "../kernel.js";
import { pureKernel } from "../support/define.js";
import { floatTypes } from "../support/dtypes.js";
import { inputAt, newNumbers } from "../support/elements.js";
import { productOf } from "../support/shapes.js";
import { broadcastBatches, checkRightSide, checkSameBatch, notInvertible } from "./equation-checks.js";
import { decomposeLu, determinant, logDeterminant, solveLu, solveTriangle } from "./lu.js";
import { batchSize, matrixAt, squareSize } from "./matrix-batch.js";
import { equationCost, realEquation, squareCost } from "./matrix-costs.js";

function identity(size: number): Float64Array {
  const matrix = new Float64Array(size * size);
  for (let i = 0; i < size; i += 1) {
    matrix[i * size + i] = 1;
  }
  return matrix;
}

function inverse(input: Tensor, adjoint: boolean): Tensor {
  const size = squareSize(input);
  const out = newNumbers(input.dtype, input.shape);
  for (let index = 0; index < batchSize(input); index += 1) {
    const lu = decomposeLu(matrixAt(input, index, adjoint), size);
    if (lu.singular) {
      throw notInvertible();
    }
    out.set(solveLu(lu, identity(size), size), index * size * size);
  }
  return new Tensor(input.dtype, input.shape, out);
}

function determinants(input: Tensor): Tensor {
  const size = squareSize(input);
  const shape = input.shape.slice(0, -2);
  const out = newNumbers(input.dtype, shape);
  for (let index = 0; index < out.length; index += 1) {
    out[index] = determinant(decomposeLu(matrixAt(input, index), size));
  }
  return new Tensor(input.dtype, shape, out);
}

function logDeterminants(input: Tensor): readonly Tensor[] {
  const size = squareSize(input);
  const shape = input.shape.slice(0, -2);
  const [signs, logs] = [newNumbers(input.dtype, shape), newNumbers(input.dtype, shape)];
  for (let index = 0; index < signs.length; index += 1) {
    const { sign, logAbsolute } = logDeterminant(decomposeLu(matrixAt(input, index), size));
    signs[index] = sign;
    logs[index] = logAbsolute;
  }
  return [new Tensor(input.dtype, shape, signs), new Tensor(input.dtype, shape, logs)];
}

function solve(matrix: Tensor, rightSide: Tensor, adjoint: boolean): Tensor {
  checkSameBatch(matrix, rightSide);
  const size = squareSize(matrix);
  const columns = checkRightSide(matrix, rightSide, size);
  const out = newNumbers(matrix.dtype, rightSide.shape);
  for (let index = 0; index < batchSize(matrix); index += 1) {
    const lu = decomposeLu(matrixAt(matrix, index, adjoint), size);
    if (lu.singular) {
      throw notInvertible();
    }
    out.set(solveLu(lu, matrixAt(rightSide, index), columns), index * size * columns);
  }
  return new Tensor(matrix.dtype, rightSide.shape, out);
}

function solveTriangular(matrix: Tensor, rightSide: Tensor, lower: boolean, adjoint: boolean): Tensor {
  const size = squareSize(matrix);
  const columns = checkRightSide(matrix, rightSide, size);
  const batch = broadcastBatches(matrix, rightSide);
  const shape = [...batch.shape, size, columns];
  const out = newNumbers(matrix.dtype, shape);
  for (let index = 0; index < productOf(batch.shape); index += 1) {
    const triangle = matrixAt(matrix, batch.ofMatrix(index), adjoint);
    const x = matrixAt(rightSide, batch.ofRight(index));
    solveTriangle(triangle, size, x, columns, { lower: lower !== adjoint, unitDiagonal: false });
    out.set(x, index * size * columns);
  }
  return new Tensor(matrix.dtype, shape, out);
}

/**
 * The lower triangular factor L of matrix = L · Lᵀ. Only the lower triangle of the input is read. NaN for a matrix that
 * is not positive definite, as in TensorFlow 2.21 (earlier versions returned an error).
 */
function cholesky(input: Tensor): Tensor {
  const size = squareSize(input);
  const out = newNumbers(input.dtype, input.shape);
  for (let index = 0; index < batchSize(input); index += 1) {
    const factor = matrixAt(input, index);
    const positive = factorizeCholesky(factor, size);
    for (let i = 0; i < size; i += 1) {
      for (let j = 0; j <= i; j += 1) {
        out[index * size * size + i * size + j] = positive ? (factor[i * size + j] as number) : Number.NaN;
      }
    }
  }
  return new Tensor(input.dtype, input.shape, out);
}

/** Replaces the lower triangle by that of the factor. @returns false if the matrix is not positive definite. */
function factorizeCholesky(factor: Float64Array, size: number): boolean {
  for (let i = 0; i < size; i += 1) {
    for (let j = 0; j <= i; j += 1) {
      let rest = factor[i * size + j] as number;
      for (let k = 0; k < j; k += 1) {
        rest -= (factor[i * size + k] as number) * (factor[j * size + k] as number);
      }
      if (i === j && !(rest > 0)) {
        return false;
      }
      factor[i * size + j] = i === j ? Math.sqrt(rest) : rest / (factor[j * size + j] as number);
    }
  }
  return true;
}

const types = { T: floatTypes as readonly DType[] };
const ofOne = { types, cost: squareCost(realEquation) };
const ofTwo = { types, cost: equationCost(realEquation) };

/** Equations, inverses and determinants, computed in double precision. */
export const equationKernels: readonly PureKernelDefinition[] = [
  pureKernel(
    "MatrixInverse",
    (node) => {
      const adjoint = node.bool("adjoint");
      return (inputs) => [inverse(inputAt(inputs, 0), adjoint)];
    },
    ofOne,
  ),
  pureKernel("MatrixDeterminant", () => (inputs) => [determinants(inputAt(inputs, 0))], ofOne),
  pureKernel("LogMatrixDeterminant", () => (inputs) => logDeterminants(inputAt(inputs, 0)), ofOne),
  pureKernel(
    "MatrixSolve",
    (node) => {
      const adjoint = node.bool("adjoint");
      return (inputs) => [solve(inputAt(inputs, 0), inputAt(inputs, 1), adjoint)];
    },
    ofTwo,
  ),
  pureKernel(
    "MatrixTriangularSolve",
    (node) => {
      const [lower, adjoint] = [node.bool("lower"), node.bool("adjoint")];
      return (inputs) => [solveTriangular(inputAt(inputs, 0), inputAt(inputs, 1), lower, adjoint)];
    },
    ofTwo,
  ),
  pureKernel("Cholesky", () => (inputs) => [cholesky(inputAt(inputs, 0))], ofOne),
];
