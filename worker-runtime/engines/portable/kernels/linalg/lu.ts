/** A square matrix as product of a lower and an upper triangular one, rows permuted. Row-major, double precision. */
export interface LuDecomposition {
  readonly size: number;
  /** The upper triangle, and below it the lower one, whose diagonal is all ones. */
  readonly factors: Float64Array;
  /** Row `i` of the factors is row `permutation[i]` of the matrix. */
  readonly permutation: Int32Array;
  /** 1 for an even permutation, -1 for an odd one. */
  readonly permutationSign: number;
  /** Whether a pivot is 0, in which case equations cannot be solved. */
  readonly singular: boolean;
}

/** Gaussian elimination with partial pivoting: Golub and Van Loan, "Matrix Computations", algorithm 3.4.1. */
export function decomposeLu(matrix: Float64Array, size: number): LuDecomposition {
  const factors = matrix.slice();
  const permutation = Int32Array.from({ length: size }, (_, i) => i);
  let permutationSign = 1;
  let singular = false;
  for (let k = 0; k < size; k += 1) {
    const pivotRow = largestInColumn(factors, size, k);
    if (pivotRow !== k) {
      swapRows(factors, size, k, pivotRow);
      swap(permutation, k, pivotRow);
      permutationSign = -permutationSign;
    }
    const pivot = factors[k * size + k] as number;
    if (pivot === 0) {
      singular = true;
      continue;
    }
    for (let i = k + 1; i < size; i += 1) {
      const factor = (factors[i * size + k] as number) / pivot;
      factors[i * size + k] = factor;
      for (let j = k + 1; j < size; j += 1) {
        factors[i * size + j] =
          (factors[i * size + j] as number) - factor * (factors[k * size + j] as number);
      }
    }
  }
  return { size, factors, permutation, permutationSign, singular };
}

/** The solution x of matrix · x = b for b with `columns` columns. The matrix must not be singular. */
export function solveLu(lu: LuDecomposition, b: Float64Array, columns: number): Float64Array {
  const { size, factors, permutation } = lu;
  const x = new Float64Array(size * columns);
  for (let i = 0; i < size; i += 1) {
    const from = (permutation[i] as number) * columns;
    x.set(b.subarray(from, from + columns), i * columns);
  }
  solveTriangle(factors, size, x, columns, { lower: true, unitDiagonal: true });
  solveTriangle(factors, size, x, columns, { lower: false, unitDiagonal: false });
  return x;
}

/** Replaces b by the solution x of triangle · x = b; the other triangle is not read. */
export function solveTriangle(
  triangle: Float64Array,
  size: number,
  b: Float64Array,
  columns: number,
  { lower, unitDiagonal }: { readonly lower: boolean; readonly unitDiagonal: boolean },
): void {
  for (let step = 0; step < size; step += 1) {
    const i = lower ? step : size - 1 - step;
    const [first, end] = lower ? [0, i] : [i + 1, size];
    for (let k = first; k < end; k += 1) {
      const factor = triangle[i * size + k] as number;
      for (let j = 0; j < columns; j += 1) {
        b[i * columns + j] = (b[i * columns + j] as number) - factor * (b[k * columns + j] as number);
      }
    }
    const diagonal = unitDiagonal ? 1 : (triangle[i * size + i] as number);
    for (let j = 0; j < columns; j += 1) {
      b[i * columns + j] = (b[i * columns + j] as number) / diagonal;
    }
  }
}

/** The determinant as its sign (0 if it is 0) and the logarithm of its absolute value, which may be huge. */
export function logDeterminant({ size, factors, permutationSign }: LuDecomposition): {
  readonly sign: number;
  readonly logAbsolute: number;
} {
  let sign = permutationSign;
  let logAbsolute = 0;
  for (let i = 0; i < size; i += 1) {
    const pivot = factors[i * size + i] as number;
    sign *= Math.sign(pivot);
    logAbsolute += Math.log(Math.abs(pivot));
  }
  return { sign, logAbsolute };
}

export function determinant({ size, factors, permutationSign }: LuDecomposition): number {
  let product = permutationSign;
  for (let i = 0; i < size; i += 1) {
    product *= factors[i * size + i] as number;
  }
  return product;
}

function largestInColumn(factors: Float64Array, size: number, k: number): number {
  let best = k;
  for (let i = k + 1; i < size; i += 1) {
    if (Math.abs(factors[i * size + k] as number) > Math.abs(factors[best * size + k] as number)) {
      best = i;
    }
  }
  return best;
}

function swapRows(factors: Float64Array, size: number, a: number, b: number): void {
  const row = factors.slice(a * size, (a + 1) * size);
  factors.copyWithin(a * size, b * size, (b + 1) * size);
  factors.set(row, b * size);
}

function swap(list: Int32Array, a: number, b: number): void {
  const value = list[a] as number;
  list[a] = list[b] as number;
  list[b] = value;
}
