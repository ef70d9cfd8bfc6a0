import type { DType } from "../../../../protocol/dtype.js";
import { invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import type { PureKernelDefinition } from "../kernel.js";
import { type Cost, perElement, pureKernel } from "../support/define.js";
import { floatTypes } from "../support/dtypes.js";
import { inputAt, newNumbers, numbersOf } from "../support/elements.js";
import { cppShapeText, productOf, sameShape, tryBroadcast } from "../support/shapes.js";
import { broadcastIndex } from "./broadcast-index.js";
import { batchSize, matrixAt } from "./matrix-batch.js";

/** A triangular matrix of which only the diagonals next to the main one are stored: row k holds diagonal k. */
interface Bands {
  readonly data: Float64Array;
  readonly count: number;
  readonly size: number;
  readonly lower: boolean;
}

/** Element (i, j); lower: row k of the bands holds (i, i - k) at i, upper: row count - 1 - k holds (i, i + k) at i. */
function bandElement({ data, count, size, lower }: Bands, i: number, j: number): number {
  const band = lower ? i - j : count - 1 - (j - i);
  return data[band * size + i] as number;
}

/** Replaces b by the solution x of bands · x = b, or of the equation with the transposed matrix. */
function solveBands(bands: Bands, transpose: boolean, b: Float64Array, columns: number): void {
  const { size, count } = bands;
  const forward = bands.lower !== transpose;
  for (let step = 0; step < size; step += 1) {
    const i = forward ? step : size - 1 - step;
    const first = forward ? Math.max(0, i - count + 1) : i + 1;
    const end = forward ? i : Math.min(size, i + count);
    for (let k = first; k < end; k += 1) {
      const factor = transpose ? bandElement(bands, k, i) : bandElement(bands, i, k);
      for (let j = 0; j < columns; j += 1) {
        b[i * columns + j] = (b[i * columns + j] as number) - factor * (b[k * columns + j] as number);
      }
    }
    const diagonal = bandElement(bands, i, i);
    for (let j = 0; j < columns; j += 1) {
      b[i * columns + j] = (b[i * columns + j] as number) / diagonal;
    }
  }
}

function bandedTriangularSolve(matrix: Tensor, right: Tensor, lower: boolean, adjoint: boolean): Tensor {
  const [count, size] = matrix.shape.slice(-2);
  const [rows, columns] = right.shape.slice(-2);
  const batch = tryBroadcast(matrix.shape.slice(0, -2), right.shape.slice(0, -2));
  if (count === undefined || size === undefined || rows === undefined || columns === undefined) {
    throw invalidArgument("In[0] and In[1] must have ndims >= 2");
  }
  if (batch === undefined) {
    throw invalidArgument(
      `In[0] and In[1] must have compatible batch dimensions: ${cppShapeText(matrix.shape)} vs. ${cppShapeText(right.shape)}`,
    );
  }
  if (size !== rows || count === 0) {
    throw invalidArgument(
      `In[0] mismatch In[1] shape: ${size} vs. ${rows}: ${cppShapeText(matrix.shape)} ${cppShapeText(right.shape)}`,
    );
  }
  const shape = [...batch, size, columns];
  const out = newNumbers(matrix.dtype, shape);
  const ofMatrix = broadcastIndex(matrix.shape.slice(0, -2), batch);
  const ofRight = broadcastIndex(right.shape.slice(0, -2), batch);
  for (let index = 0; index < productOf(batch); index += 1) {
    const bands = { data: matrixAt(matrix, ofMatrix(index)), count, size, lower };
    const diagonal = (lower ? 0 : count - 1) * size;
    if (bands.data.subarray(diagonal, diagonal + size).includes(0)) {
      throw invalidArgument("Input matrix is not invertible.");
    }
    const x = matrixAt(right, ofRight(index));
    solveBands(bands, adjoint, x, columns);
    out.set(x, index * size * columns);
  }
  return new Tensor(matrix.dtype, shape, out);
}

/** Sizes of a tridiagonal equation. @throws TensorFlowError INVALID_ARGUMENT if its inputs have incompatible shapes. */
function tridiagonalSizes(diagonals: Tensor, right: Tensor): readonly [size: number, columns: number] {
  if (diagonals.shape.length !== right.shape.length || diagonals.shape.length < 2) {
    throw invalidArgument("All input tensors must have the same rank.");
  }
  if (!sameShape(diagonals.shape.slice(0, -2), right.shape.slice(0, -2))) {
    throw invalidArgument("All input tensors must have the same outer dimensions.");
  }
  const [three = 0, size = 0] = diagonals.shape.slice(-2);
  const [rows = 0, columns = 0] = right.shape.slice(-2);
  if (three !== 3) {
    throw invalidArgument(`Expected diagonals to be provided as a matrix with 3 rows, got ${three} rows.`);
  }
  if (size !== rows) {
    throw invalidArgument(
      `Expected the same number of left-hand sides and right-hand sides, got ${size} and ${rows}.`,
    );
  }
  return [size, columns];
}

/**
 * Gaussian elimination of a tridiagonal matrix; rows are swapped if the one below has the larger pivot, which creates a
 * second diagonal above the main one.
 * @param diagonals above, main and below, `size` numbers each; the last of the first and the first of the last are
 *   padding.
 * @param b is replaced by the solution; NaN if the matrix is singular.
 */
function solveTridiagonal(
  diagonals: Float64Array,
  size: number,
  b: Float64Array,
  columns: number,
  pivoting: boolean,
): void {
  const main = diagonals.slice(size, 2 * size);
  const above = diagonals.slice(0, size);
  const second = new Float64Array(size);
  if (size > 0) {
    above[size - 1] = 0;
  }
  for (let i = 0; i + 1 < size; i += 1) {
    let below = diagonals[2 * size + i + 1] as number;
    if (pivoting && Math.abs(below) > Math.abs(main[i] as number)) {
      // Rows i and i + 1 are swapped.
      [main[i], below] = [below, main[i] as number];
      [above[i], main[i + 1]] = [main[i + 1] as number, above[i] as number];
      [second[i], above[i + 1]] = [above[i + 1] as number, 0];
      for (let j = 0; j < columns; j += 1) {
        const at = i * columns + j;
        [b[at], b[at + columns]] = [b[at + columns] as number, b[at] as number];
      }
    }
    const factor = below / (main[i] as number);
    main[i + 1] = (main[i + 1] as number) - factor * (above[i] as number);
    above[i + 1] = (above[i + 1] as number) - factor * (second[i] as number);
    for (let j = 0; j < columns; j += 1) {
      const at = (i + 1) * columns + j;
      b[at] = (b[at] as number) - factor * (b[at - columns] as number);
    }
  }
  if (main.includes(0)) {
    b.fill(Number.NaN);
    return;
  }
  for (let i = size - 1; i >= 0; i -= 1) {
    for (let j = 0; j < columns; j += 1) {
      const at = i * columns + j;
      const next = i + 1 < size ? (above[i] as number) * (b[at + columns] as number) : 0;
      const afterNext = i + 2 < size ? (second[i] as number) * (b[at + 2 * columns] as number) : 0;
      b[at] = ((b[at] as number) - next - afterNext) / (main[i] as number);
    }
  }
}

function tridiagonalSolve(diagonals: Tensor, right: Tensor, pivoting: boolean): Tensor {
  const [size, columns] = tridiagonalSizes(diagonals, right);
  const out = newNumbers(right.dtype, right.shape);
  for (let index = 0; index < batchSize(right); index += 1) {
    const x = matrixAt(right, index);
    solveTridiagonal(matrixAt(diagonals, index), size, x, columns, pivoting);
    out.set(x, index * size * columns);
  }
  return new Tensor(right.dtype, right.shape, out);
}

/** @param diagonals above, main and below, each of shape [..., 1, size]. */
function tridiagonalProduct(diagonals: readonly Tensor[], right: Tensor): Tensor {
  const [rows = 0, columns = 0] = right.shape.slice(-2);
  const expected = [...right.shape.slice(0, -2), 1, rows];
  for (const { shape } of diagonals) {
    if (shape.length !== right.shape.length || shape.length < 2) {
      throw invalidArgument("All input tensors must have the same rank.");
    }
    if (!sameShape(shape, expected)) {
      throw invalidArgument(
        `A diagonal must have shape ${cppShapeText(expected)}, got ${cppShapeText(shape)}`,
      );
    }
  }
  const [above, main, below] = diagonals.map(numbersOf);
  const x = numbersOf(right);
  const out = newNumbers(right.dtype, right.shape);
  for (let at = 0; at < out.length; at += 1) {
    const index = Math.floor(at / columns);
    const row = index % rows;
    let sum = (main?.[index] ?? 0) * (x[at] as number);
    if (row + 1 < rows) {
      sum += (above?.[index] ?? 0) * (x[at + columns] as number);
    }
    if (row > 0) {
      sum += (below?.[index] ?? 0) * (x[at - columns] as number);
    }
    out[at] = sum;
  }
  return new Tensor(right.dtype, right.shape, out);
}

const types = { T: floatTypes as readonly DType[] };

/** Overhead per equation in nanoseconds, and cost per element of its parts. */
const NANOS_PER_EQUATION = 1000;
const NANOS_PER_ELEMENT = 20;

const bandedCost: Cost = (_, inputs) => {
  const [matrix, right] = [inputAt(inputs, 0).shape, inputAt(inputs, 1).shape];
  const [count = 0, size = 0] = matrix.slice(-2);
  const equations = productOf(tryBroadcast(matrix.slice(0, -2), right.slice(0, -2)) ?? [0]);
  const products = count * size * (right.at(-1) ?? 0) * 5;
  return equations * (products + count * size * NANOS_PER_ELEMENT + NANOS_PER_EQUATION);
};

const tridiagonalCost: Cost = (_, inputs) => {
  const [diagonals, right] = [inputAt(inputs, 0), inputAt(inputs, 1)];
  const elements = diagonals.size + right.size;
  return elements * NANOS_PER_ELEMENT + batchSize(right) * NANOS_PER_EQUATION;
};

/** Equations and products of banded matrices. */
export const bandedKernels: readonly PureKernelDefinition[] = [
  pureKernel(
    "BandedTriangularSolve",
    (node) => {
      const [lower, adjoint] = [node.bool("lower"), node.bool("adjoint")];
      return (inputs) => [bandedTriangularSolve(inputAt(inputs, 0), inputAt(inputs, 1), lower, adjoint)];
    },
    {
      types,
      cost: bandedCost,
    },
  ),
  pureKernel(
    "TridiagonalSolve",
    (node) => {
      const pivoting = node.bool("partial_pivoting");
      return (inputs) => [tridiagonalSolve(inputAt(inputs, 0), inputAt(inputs, 1), pivoting)];
    },
    // TensorFlow's perturbation of singular matrices is not reproduced.
    { types, fits: (node) => !node.bool("perturb_singular"), cost: tridiagonalCost },
  ),
  pureKernel(
    "TridiagonalMatMul",
    () => (inputs) => [tridiagonalProduct(inputs.slice(0, 3), inputAt(inputs, 3))],
    { types, cost: perElement(15) },
  ),
];
