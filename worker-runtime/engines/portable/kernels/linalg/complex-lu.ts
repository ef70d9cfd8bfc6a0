import { type Complex, divide, multiply, ONE, scale } from "../math/complex-numbers.js";
import { addScaled, type ComplexArray, entryAt, innerProduct, setEntry } from "./complex-vectors.js";

/** A square complex matrix as product of a lower and an upper triangular one, with its rows permuted. */
export interface ComplexLu {
  readonly size: number;
  /** The upper triangle, and below it the lower one, whose diagonal is all ones. */
  readonly factors: ComplexArray;
  /** Row `i` of the factors is row `permutation[i]` of the matrix. */
  readonly permutation: readonly number[];
  readonly permutationSign: number;
  /** Whether a pivot is 0, in which case equations cannot be solved. */
  readonly singular: boolean;
}

function largestInColumn(factors: ComplexArray, size: number, k: number): number {
  let best = k;
  let most = -1;
  for (let i = k; i < size; i += 1) {
    const length = Math.hypot(...entryAt(factors, i * size + k));
    if (length > most) {
      [best, most] = [i, length];
    }
  }
  return best;
}

/** Gaussian elimination with partial pivoting, like `decomposeLu` for real matrices. */
export function decomposeComplexLu(matrix: ComplexArray, size: number): ComplexLu {
  const factors = matrix.slice();
  const permutation = Array.from({ length: size }, (_, i) => i);
  let permutationSign = 1;
  let singular = false;
  for (let k = 0; k < size; k += 1) {
    const pivotRow = largestInColumn(factors, size, k);
    if (pivotRow !== k) {
      const row = factors.slice(2 * k * size, 2 * (k + 1) * size);
      factors.copyWithin(2 * k * size, 2 * pivotRow * size, 2 * (pivotRow + 1) * size);
      factors.set(row, 2 * pivotRow * size);
      [permutation[k], permutation[pivotRow]] = [permutation[pivotRow] ?? 0, permutation[k] ?? 0];
      permutationSign = -permutationSign;
    }
    const pivot = entryAt(factors, k * size + k);
    if (pivot[0] === 0 && pivot[1] === 0) {
      singular = true;
      continue;
    }
    for (let i = k + 1; i < size; i += 1) {
      const factor = divide(entryAt(factors, i * size + k), pivot);
      setEntry(factors, i * size + k, factor);
      const rest = size - k - 1;
      addScaled(factors, i * size + k + 1, factors, k * size + k + 1, rest, scale(-1, factor));
    }
  }
  return { size, factors, permutation, permutationSign, singular };
}

/** Replaces b by the solution x of triangle · x = b; the other triangle is not read. */
export function solveComplexTriangle(
  triangle: ComplexArray,
  size: number,
  b: ComplexArray,
  columns: number,
  { lower, unitDiagonal }: { readonly lower: boolean; readonly unitDiagonal: boolean },
): void {
  for (let step = 0; step < size; step += 1) {
    const i = lower ? step : size - 1 - step;
    const [first, end] = lower ? [0, i] : [i + 1, size];
    for (let k = first; k < end; k += 1) {
      const factor = scale(-1, entryAt(triangle, i * size + k));
      addScaled(b, i * columns, b, k * columns, columns, factor);
    }
    if (!unitDiagonal) {
      const diagonal = entryAt(triangle, i * size + i);
      for (let j = i * columns; j < (i + 1) * columns; j += 1) {
        setEntry(b, j, divide(entryAt(b, j), diagonal));
      }
    }
  }
}

/** The solution x of matrix · x = b for b with `columns` columns. The matrix must not be singular. */
export function solveComplexLu(
  { size, factors, permutation }: ComplexLu,
  b: ComplexArray,
  columns: number,
): ComplexArray {
  const x = new Float64Array(2 * size * columns);
  for (const [i, from] of permutation.entries()) {
    x.set(b.subarray(2 * from * columns, 2 * (from + 1) * columns), 2 * i * columns);
  }
  solveComplexTriangle(factors, size, x, columns, { lower: true, unitDiagonal: true });
  solveComplexTriangle(factors, size, x, columns, { lower: false, unitDiagonal: false });
  return x;
}

export function complexDeterminant({ size, factors, permutationSign }: ComplexLu): Complex {
  let product: Complex = scale(permutationSign, ONE);
  for (let i = 0; i < size; i += 1) {
    product = multiply(product, entryAt(factors, i * size + i));
  }
  return product;
}

/** The determinant as a number of absolute value 1 (or 0) and the logarithm of its magnitude, which may be huge. */
export function complexLogDeterminant({ size, factors, permutationSign }: ComplexLu): {
  readonly sign: Complex;
  readonly logAbsolute: number;
} {
  let sign: Complex = scale(permutationSign, ONE);
  let logAbsolute = 0;
  for (let i = 0; i < size; i += 1) {
    const pivot = entryAt(factors, i * size + i);
    const length = Math.hypot(...pivot);
    sign = multiply(sign, length === 0 ? [0, 0] : scale(1 / length, pivot));
    logAbsolute += Math.log(length);
  }
  return { sign, logAbsolute };
}

/**
 * Replaces the lower triangle of a Hermitian matrix by that of its Cholesky factor, and the rest by zeros.
 * @returns false if the matrix is not positive definite.
 */
export function factorizeComplexCholesky(matrix: ComplexArray, size: number): boolean {
  for (let i = 0; i < size; i += 1) {
    for (let j = 0; j <= i; j += 1) {
      const [re, im] = innerProduct(matrix, j * size, matrix, i * size, j);
      const [a, b] = entryAt(matrix, i * size + j);
      if (i !== j) {
        setEntry(matrix, i * size + j, divide([a - re, b - im], entryAt(matrix, j * size + j)));
        continue;
      }
      if (!(a - re > 0)) {
        return false;
      }
      setEntry(matrix, i * size + i, [Math.sqrt(a - re), 0]);
    }
    matrix.fill(0, 2 * (i * size + i + 1), 2 * (i + 1) * size);
  }
  return true;
}
