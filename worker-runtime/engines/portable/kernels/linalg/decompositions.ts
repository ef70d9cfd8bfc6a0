import type { DType } from "../../../../protocol/dtype.js";
import { invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import type { PureKernelDefinition } from "../kernel.js";
import type { KernelNode } from "../kernel-node.js";
import { pureKernel } from "../support/define.js";
import { floatTypes, indexTypes } from "../support/dtypes.js";
import { inputAt, integerTensor, newNumbers } from "../support/elements.js";
import { sameShape } from "../support/shapes.js";
import { factorizeHouseholder, orthogonalFactor, triangularFactor } from "./householder.js";
import { decomposeLu, solveTriangle } from "./lu.js";
import { batchSize, matrixAt, matrixSizes, squareSize } from "./matrix-batch.js";
import { decompositionCost, realEquation, squareCost } from "./matrix-costs.js";
import { completed, singularValues } from "./singular-values.js";
import { symmetricEigen } from "./symmetric-eigen.js";

function qr(input: Tensor, full: boolean): readonly Tensor[] {
  const [rows, columns] = matrixSizes(input);
  const batch = input.shape.slice(0, -2);
  const inner = full ? rows : Math.min(rows, columns);
  const q = newNumbers(input.dtype, [...batch, rows, inner]);
  const r = newNumbers(input.dtype, [...batch, inner, columns]);
  for (let index = 0; index < batchSize(input); index += 1) {
    const factors = factorizeHouseholder(matrixAt(input, index), rows, columns);
    q.set(orthogonalFactor(factors, inner), index * rows * inner);
    r.set(triangularFactor(factors, inner), index * inner * columns);
  }
  return [
    new Tensor(input.dtype, [...batch, rows, inner], q),
    new Tensor(input.dtype, [...batch, inner, columns], r),
  ];
}

/** The placeholder for vectors that were not requested, as in TensorFlow: one 0 per matrix. */
function noVectors(input: Tensor): Tensor {
  const batch = input.shape.slice(0, -2);
  return new Tensor(input.dtype, batch, newNumbers(input.dtype, batch));
}

function svd(input: Tensor, vectors: boolean, full: boolean): readonly Tensor[] {
  const [rows, columns] = matrixSizes(input);
  const batch = input.shape.slice(0, -2);
  const inner = Math.min(rows, columns);
  const [uWidth, vWidth] = full ? [rows, columns] : [inner, inner];
  const s = newNumbers(input.dtype, [...batch, inner]);
  const u = newNumbers(input.dtype, vectors ? [...batch, rows, uWidth] : [0]);
  const v = newNumbers(input.dtype, vectors ? [...batch, columns, vWidth] : [0]);
  for (let index = 0; index < batchSize(input); index += 1) {
    const found = singularValues(matrixAt(input, index), rows, columns);
    s.set(found.values, index * inner);
    if (vectors) {
      u.set(completed(found.u, rows, inner, inner, uWidth), index * rows * uWidth);
      v.set(completed(found.v, columns, inner, inner, vWidth), index * columns * vWidth);
    }
  }
  const values = new Tensor(input.dtype, [...batch, inner], s);
  return vectors
    ? [
        values,
        new Tensor(input.dtype, [...batch, rows, uWidth], u),
        new Tensor(input.dtype, [...batch, columns, vWidth], v),
      ]
    : [values, noVectors(input), noVectors(input)];
}

function selfAdjointEigen(input: Tensor, vectors: boolean): readonly Tensor[] {
  const size = squareSize(input);
  const batch = input.shape.slice(0, -2);
  const e = newNumbers(input.dtype, [...batch, size]);
  const v = newNumbers(input.dtype, vectors ? input.shape : [0]);
  for (let index = 0; index < batchSize(input); index += 1) {
    const found = symmetricEigen(matrixAt(input, index), size);
    if (found === undefined) {
      throw invalidArgument(
        "Self-adjoint eigen decomposition was not successful. The input might not be valid.",
      );
    }
    e.set(found.values, index * size);
    if (vectors) {
      v.set(found.vectors, index * size * size);
    }
  }
  const values = new Tensor(input.dtype, [...batch, size], e);
  return [values, vectors ? new Tensor(input.dtype, input.shape, v) : noVectors(input)];
}

function lu(input: Tensor, indexType: DType): readonly Tensor[] {
  const size = squareSize(input);
  const out = newNumbers(input.dtype, input.shape);
  const rows: number[] = [];
  for (let index = 0; index < batchSize(input); index += 1) {
    const { factors, permutation, singular } = decomposeLu(matrixAt(input, index), size);
    if (singular) {
      throw invalidArgument("Input is not invertible.");
    }
    out.set(factors, index * size * size);
    rows.push(...permutation);
  }
  return [
    new Tensor(input.dtype, input.shape, out),
    integerTensor(indexType, input.shape.slice(0, -1), rows),
  ];
}

/**
 * The gradient of a matrix with Cholesky factor L: ½ · (S + Sᵀ), S = L⁻ᵀ · Φ(Lᵀ · grad) · L⁻¹, where Φ takes the lower
 * triangle and halves its diagonal. Murray, "Differentiation of the Cholesky decomposition" (2016), section 3.
 */
function choleskyGradient(factor: Float64Array, gradient: Float64Array, size: number): Float64Array {
  const upper = new Float64Array(size * size);
  const middle = new Float64Array(size * size);
  for (let i = 0; i < size; i += 1) {
    for (let j = 0; j <= i; j += 1) {
      upper[j * size + i] = factor[i * size + j] as number;
      let sum = 0;
      for (let k = i; k < size; k += 1) {
        sum += (factor[k * size + i] as number) * (gradient[k * size + j] as number);
      }
      middle[i * size + j] = i === j ? sum / 2 : sum;
    }
  }
  const solve = (b: Float64Array) =>
    solveTriangle(upper, size, b, size, { lower: false, unitDiagonal: false });
  solve(middle);
  // S · L = M is equivalent to Lᵀ · Sᵀ = Mᵀ.
  const other = transposedOf(middle, size);
  solve(other);
  const mirrored = transposedOf(other, size);
  return other.map((value, i) => (value + (mirrored[i] as number)) / 2);
}

function transposedOf(matrix: Float64Array, size: number): Float64Array {
  return matrix.map((_, at) => matrix[(at % size) * size + Math.floor(at / size)] as number);
}

function choleskyGradients(factors: Tensor, gradients: Tensor): Tensor {
  const size = squareSize(factors);
  if (!sameShape(factors.shape, gradients.shape)) {
    throw invalidArgument("Inputs (L and grad) must have the same shape.");
  }
  const out = newNumbers(factors.dtype, factors.shape);
  for (let index = 0; index < batchSize(factors); index += 1) {
    const gradient = choleskyGradient(matrixAt(factors, index), matrixAt(gradients, index), size);
    out.set(gradient, index * size * size);
  }
  return new Tensor(factors.dtype, factors.shape, out);
}

const types = { T: floatTypes as readonly DType[] };

/** Several factors; orthogonal ones are computed from reflections. */
const decomposition = { multiplication: 1, matrix: 5000 };

const indexTypeOf = (node: KernelNode): DType => node.type("output_idx_type");

/** Decompositions of matrices, computed in double precision. */
export const decompositionKernels: readonly PureKernelDefinition[] = [
  pureKernel(
    "Qr",
    (node) => {
      const full = node.bool("full_matrices");
      return (inputs) => [...qr(inputAt(inputs, 0), full)];
    },
    { types, cost: decompositionCost(12, decomposition, 12) },
  ),
  pureKernel(
    "Svd",
    (node) => {
      const [vectors, full] = [node.bool("compute_uv"), node.bool("full_matrices")];
      return (inputs) => svd(inputAt(inputs, 0), vectors, full);
    },
    { types, cost: decompositionCost(80, decomposition, 12) },
  ),
  pureKernel(
    "SelfAdjointEigV2",
    (node) => {
      const vectors = node.bool("compute_v");
      return (inputs) => selfAdjointEigen(inputAt(inputs, 0), vectors);
    },
    { types, cost: decompositionCost(15, decomposition) },
  ),
  pureKernel(
    "Lu",
    (node) => {
      const indexType = indexTypeOf(node);
      return (inputs) => lu(inputAt(inputs, 0), indexType);
    },
    { types: { ...types, output_idx_type: indexTypes }, cost: squareCost(realEquation) },
  ),
  pureKernel("CholeskyGrad", () => (inputs) => [choleskyGradients(inputAt(inputs, 0), inputAt(inputs, 1))], {
    types,
    cost: decompositionCost(9, decomposition),
  }),
];
