import type { DType } from "../../../../protocol/dtype.js";
import { invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import type { PureKernelDefinition } from "../kernel.js";
import { type Compute, type Cost, pureKernel } from "../support/define.js";
import { complexTypes, indexTypes } from "../support/dtypes.js";
import { inputAt, integerTensor, type NumberArray, newNumbers } from "../support/elements.js";
import { productOf } from "../support/shapes.js";
import { complexQr, complexSingularValues, hermitianEigen } from "./complex-factors.js";
import {
  complexDeterminant,
  complexLogDeterminant,
  decomposeComplexLu,
  factorizeComplexCholesky,
  solveComplexLu,
  solveComplexTriangle,
} from "./complex-lu.js";
import { columnsAt, complexMatrixAt, identityColumns, matrixOfColumns } from "./complex-vectors.js";
import { broadcastBatches, checkRightSide, checkSameBatch, notInvertible } from "./equation-checks.js";
import { batchSize, matrixSizes, squareSize } from "./matrix-batch.js";
import { complexEquation, decompositionCost, equationCost, squareCost } from "./matrix-costs.js";

/** A complex tensor under construction. Values are written by index, counted in complex numbers. */
class Output {
  readonly #dtype: DType;
  readonly #shape: readonly number[];
  readonly #data: NumberArray;

  /** @throws TensorFlowError as `allocate`. */
  constructor(dtype: DType, shape: readonly number[]) {
    this.#dtype = dtype;
    this.#shape = shape;
    this.#data = newNumbers(dtype, shape);
  }

  set(at: number, numbers: ArrayLike<number>): void {
    this.#data.set(numbers, 2 * at);
  }

  /** Numbers without imaginary parts. */
  setReal(at: number, numbers: readonly number[]): void {
    this.set(
      at,
      numbers.flatMap((value) => [value, 0]),
    );
  }

  get tensor(): Tensor {
    return new Tensor(this.#dtype, this.#shape, this.#data);
  }
}

function inverse(input: Tensor, adjoint: boolean): Tensor {
  const size = squareSize(input);
  const out = new Output(input.dtype, input.shape);
  const identity = matrixOfColumns(identityColumns(size, size), size);
  for (let index = 0; index < batchSize(input); index += 1) {
    const lu = decomposeComplexLu(complexMatrixAt(input, index, adjoint), size);
    if (lu.singular) {
      throw notInvertible();
    }
    out.set(index * size * size, solveComplexLu(lu, identity, size));
  }
  return out.tensor;
}

function determinants(input: Tensor): Tensor {
  const size = squareSize(input);
  const out = new Output(input.dtype, input.shape.slice(0, -2));
  for (let index = 0; index < batchSize(input); index += 1) {
    out.set(index, complexDeterminant(decomposeComplexLu(complexMatrixAt(input, index), size)));
  }
  return out.tensor;
}

function logDeterminants(input: Tensor): readonly Tensor[] {
  const size = squareSize(input);
  const shape = input.shape.slice(0, -2);
  const [signs, logs] = [new Output(input.dtype, shape), new Output(input.dtype, shape)];
  for (let index = 0; index < batchSize(input); index += 1) {
    const lu = decomposeComplexLu(complexMatrixAt(input, index), size);
    const { sign, logAbsolute } = complexLogDeterminant(lu);
    signs.set(index, sign);
    logs.setReal(index, [logAbsolute]);
  }
  return [signs.tensor, logs.tensor];
}

function solve(matrix: Tensor, rightSide: Tensor, adjoint: boolean): Tensor {
  checkSameBatch(matrix, rightSide);
  const size = squareSize(matrix);
  const columns = checkRightSide(matrix, rightSide, size);
  const out = new Output(matrix.dtype, rightSide.shape);
  for (let index = 0; index < batchSize(matrix); index += 1) {
    const lu = decomposeComplexLu(complexMatrixAt(matrix, index, adjoint), size);
    if (lu.singular) {
      throw notInvertible();
    }
    out.set(index * size * columns, solveComplexLu(lu, complexMatrixAt(rightSide, index), columns));
  }
  return out.tensor;
}

function solveTriangular(matrix: Tensor, rightSide: Tensor, lower: boolean, adjoint: boolean): Tensor {
  const size = squareSize(matrix);
  const columns = checkRightSide(matrix, rightSide, size);
  const batch = broadcastBatches(matrix, rightSide);
  const out = new Output(matrix.dtype, [...batch.shape, size, columns]);
  for (let index = 0; index < productOf(batch.shape); index += 1) {
    const triangle = complexMatrixAt(matrix, batch.ofMatrix(index), adjoint);
    const x = complexMatrixAt(rightSide, batch.ofRight(index));
    solveComplexTriangle(triangle, size, x, columns, { lower: lower !== adjoint, unitDiagonal: false });
    out.set(index * size * columns, x);
  }
  return out.tensor;
}

/** NaN for a matrix that is not positive definite, as for real ones; TensorFlow leaves uninitialized memory there. */
function cholesky(input: Tensor): Tensor {
  const size = squareSize(input);
  const out = new Output(input.dtype, input.shape);
  for (let index = 0; index < batchSize(input); index += 1) {
    const factor = complexMatrixAt(input, index);
    if (!factorizeComplexCholesky(factor, size)) {
      for (let i = 0; i < size; i += 1) {
        factor.fill(Number.NaN, 2 * i * size, 2 * (i * size + i + 1));
        factor.fill(0, 2 * (i * size + i + 1), 2 * (i + 1) * size);
      }
    }
    out.set(index * size * size, factor);
  }
  return out.tensor;
}

function lu(input: Tensor, indexType: DType): readonly Tensor[] {
  const size = squareSize(input);
  const out = new Output(input.dtype, input.shape);
  const rows: number[] = [];
  for (let index = 0; index < batchSize(input); index += 1) {
    const { factors, permutation, singular } = decomposeComplexLu(complexMatrixAt(input, index), size);
    if (singular) {
      throw invalidArgument("Input is not invertible.");
    }
    out.set(index * size * size, factors);
    rows.push(...permutation);
  }
  return [out.tensor, integerTensor(indexType, input.shape.slice(0, -1), rows)];
}

function qr(input: Tensor, full: boolean): readonly Tensor[] {
  const [rows, columns] = matrixSizes(input);
  const batch = input.shape.slice(0, -2);
  const inner = full ? rows : Math.min(rows, columns);
  const [q, r] = [
    new Output(input.dtype, [...batch, rows, inner]),
    new Output(input.dtype, [...batch, inner, columns]),
  ];
  for (let index = 0; index < batchSize(input); index += 1) {
    const found = complexQr(columnsAt(input, index), rows, inner);
    q.set(index * rows * inner, matrixOfColumns(found.q, rows));
    r.set(index * inner * columns, matrixOfColumns(found.r, inner));
  }
  return [q.tensor, r.tensor];
}

/** The placeholder for vectors that were not requested, as in TensorFlow: one 0 per matrix. */
function noVectors(input: Tensor): Tensor {
  return new Output(input.dtype, input.shape.slice(0, -2)).tensor;
}

function svd(input: Tensor, vectors: boolean, full: boolean): readonly Tensor[] {
  const [rows, columns] = matrixSizes(input);
  const batch = input.shape.slice(0, -2);
  const inner = Math.min(rows, columns);
  const widths = full ? { u: rows, v: columns } : { u: inner, v: inner };
  const s = new Output(input.dtype, [...batch, inner]);
  const u = new Output(input.dtype, vectors ? [...batch, rows, widths.u] : [0]);
  const v = new Output(input.dtype, vectors ? [...batch, columns, widths.v] : [0]);
  for (let index = 0; index < batchSize(input); index += 1) {
    const found = complexSingularValues(columnsAt(input, index), rows, widths);
    s.setReal(index * inner, found.values);
    if (vectors) {
      u.set(index * rows * widths.u, matrixOfColumns(found.u, rows));
      v.set(index * columns * widths.v, matrixOfColumns(found.v, columns));
    }
  }
  return vectors ? [s.tensor, u.tensor, v.tensor] : [s.tensor, noVectors(input), noVectors(input)];
}

function eigen(input: Tensor, vectors: boolean): readonly Tensor[] {
  const size = squareSize(input);
  const e = new Output(input.dtype, input.shape.slice(0, -1));
  const v = new Output(input.dtype, vectors ? input.shape : [0]);
  for (let index = 0; index < batchSize(input); index += 1) {
    const columns = columnsAt(input, index);
    if (!columns.every((column) => column.every(Number.isFinite))) {
      throw invalidArgument(
        "Self-adjoint eigen decomposition was not successful. The input might not be valid.",
      );
    }
    const found = hermitianEigen(columns, size);
    e.setReal(index * size, found.values);
    if (vectors) {
      v.set(index * size * size, matrixOfColumns(found.vectors, size));
    }
  }
  return [e.tensor, vectors ? v.tensor : noVectors(input)];
}

function kernel(op: string, cost: Cost, create: Parameters<typeof pureKernel>[1]): PureKernelDefinition {
  return pureKernel(op, create, {
    types: { T: complexTypes, ...(op === "Lu" ? { output_idx_type: indexTypes } : {}) },
    cost,
  });
}

const ofMatrix = squareCost(complexEquation);
const ofEquation = equationCost(complexEquation);
/** Several factors, whose columns are separate lists. */
const decomposition = { multiplication: 10, matrix: 10_000 };

const ofOne =
  (compute: (input: Tensor) => Tensor): (() => Compute) =>
  () =>
  (inputs) => [compute(inputAt(inputs, 0))];

/** Equations and decompositions of complex matrices, computed in double precision. */
export const complexMatrixKernels: readonly PureKernelDefinition[] = [
  kernel("MatrixInverse", ofMatrix, (node) => {
    const adjoint = node.bool("adjoint");
    return (inputs) => [inverse(inputAt(inputs, 0), adjoint)];
  }),
  kernel("MatrixDeterminant", ofMatrix, ofOne(determinants)),
  kernel("LogMatrixDeterminant", ofMatrix, () => (inputs) => logDeterminants(inputAt(inputs, 0))),
  kernel("MatrixSolve", ofEquation, (node) => {
    const adjoint = node.bool("adjoint");
    return (inputs) => [solve(inputAt(inputs, 0), inputAt(inputs, 1), adjoint)];
  }),
  kernel("MatrixTriangularSolve", ofEquation, (node) => {
    const [lower, adjoint] = [node.bool("lower"), node.bool("adjoint")];
    return (inputs) => [solveTriangular(inputAt(inputs, 0), inputAt(inputs, 1), lower, adjoint)];
  }),
  kernel("Cholesky", ofMatrix, ofOne(cholesky)),
  kernel("Lu", ofMatrix, (node) => {
    const indexType = node.type("output_idx_type");
    return (inputs) => lu(inputAt(inputs, 0), indexType);
  }),
  kernel("Qr", decompositionCost(12, decomposition, 12), (node) => {
    const full = node.bool("full_matrices");
    return (inputs) => qr(inputAt(inputs, 0), full);
  }),
  kernel("Svd", decompositionCost(100, decomposition, 12), (node) => {
    const [vectors, full] = [node.bool("compute_uv"), node.bool("full_matrices")];
    return (inputs) => svd(inputAt(inputs, 0), vectors, full);
  }),
  kernel("SelfAdjointEigV2", decompositionCost(100, decomposition), (node) => {
    const vectors = node.bool("compute_v");
    return (inputs) => eigen(inputAt(inputs, 0), vectors);
  }),
];
