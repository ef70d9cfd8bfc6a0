import { factorizeHouseholder, orthogonalFactor, triangularFactor } from "./householder.js";

/** matrix = U · diag(values) · Vᵀ with orthonormal columns. All row-major. */
export interface SingularValues {
  /** In descending order, as many as the matrix has rows or columns, whichever is less. */
  readonly values: Float64Array;
  /** A column for each value. */
  readonly u: Float64Array;
  readonly v: Float64Array;
}

/** More than any matrix needs; one with NaN would never converge. */
const MAX_SWEEPS = 60;
/** Columns count as orthogonal when the cosine of their angle is below this. */
const ORTHOGONAL = 1e-15;

/**
 * The one-sided Jacobi method: pairs of columns are rotated until all of them are orthogonal. Golub and Van Loan,
 * "Matrix Computations", section 8.6.3. All results are NaN for a matrix with NaN or infinities.
 */
export function singularValues(matrix: Float64Array, rows: number, columns: number): SingularValues {
  if (rows < columns) {
    const { values, u, v } = singularValues(transposedOf(matrix, rows, columns), columns, rows);
    return { values, u: v, v: u };
  }
  if (!matrix.every(Number.isFinite)) {
    const nan = (length: number) => new Float64Array(length).fill(Number.NaN);
    return { values: nan(columns), u: nan(rows * columns), v: nan(columns * columns) };
  }
  // The rotations then work on a square matrix only, which is closer to a diagonal one already.
  const factors = factorizeHouseholder(matrix, rows, columns);
  const q = orthogonalFactor(factors, columns);
  // Each row of `left` is a column of what becomes U · diag(values), so that its elements are contiguous.
  const left = transposedOf(triangularFactor(factors, columns), columns, columns);
  const right = new Float64Array(columns * columns);
  for (let i = 0; i < columns; i += 1) {
    right[i * columns + i] = 1;
  }
  for (let sweep = 0; sweep < MAX_SWEEPS && rotateAll(left, right, columns); sweep += 1) {}
  return sorted(left, right, q, rows, columns);
}

/** Rotates each pair of rows once. @returns whether any pair was not orthogonal yet. */
function rotateAll(left: Float64Array, right: Float64Array, size: number): boolean {
  let rotated = false;
  for (let p = 0; p < size; p += 1) {
    for (let q = p + 1; q < size; q += 1) {
      const [a, b, c] = products(left, p * size, q * size, size);
      if (Math.abs(c) <= ORTHOGONAL * Math.sqrt(a * b)) {
        continue;
      }
      rotated = true;
      const zeta = (b - a) / (2 * c);
      const tangent = (zeta >= 0 ? 1 : -1) / (Math.abs(zeta) + Math.hypot(1, zeta));
      const cos = 1 / Math.hypot(1, tangent);
      rotate(left, p * size, q * size, size, cos, cos * tangent);
      rotate(right, p * size, q * size, size, cos, cos * tangent);
    }
  }
  return rotated;
}

/** The squared lengths of two rows, and their inner product. */
function products(rows: Float64Array, p: number, q: number, size: number): [number, number, number] {
  let [a, b, c] = [0, 0, 0];
  for (let i = 0; i < size; i += 1) {
    const x = rows[p + i] as number;
    const y = rows[q + i] as number;
    a += x * x;
    b += y * y;
    c += x * y;
  }
  return [a, b, c];
}

function rotate(rows: Float64Array, p: number, q: number, size: number, cos: number, sin: number): void {
  for (let i = 0; i < size; i += 1) {
    const x = rows[p + i] as number;
    const y = rows[q + i] as number;
    rows[p + i] = cos * x - sin * y;
    rows[q + i] = sin * x + cos * y;
  }
}

/** Sorts the values and their vectors; columns of U with length 0 are replaced by orthonormal ones. */
function sorted(
  left: Float64Array,
  right: Float64Array,
  q: Float64Array,
  rows: number,
  columns: number,
): SingularValues {
  const lengths = Array.from({ length: columns }, (_, i) =>
    Math.hypot(...left.subarray(i * columns, (i + 1) * columns)),
  );
  const order = lengths.map((_, i) => i).sort((i, j) => (lengths[j] as number) - (lengths[i] as number));
  const values = Float64Array.from(order, (i) => lengths[i] as number);
  const tiny = (values[0] ?? 0) * columns * Number.EPSILON;
  const rank = values.findLastIndex((value) => value > tiny) + 1;
  const inner = new Float64Array(columns * columns);
  const v = new Float64Array(columns * columns);
  for (const [index, from] of order.entries()) {
    for (let i = 0; i < columns; i += 1) {
      v[i * columns + index] = right[from * columns + i] as number;
      inner[i * columns + index] =
        index < rank ? (left[from * columns + i] as number) / (lengths[from] as number) : 0;
    }
  }
  const complete = completed(inner, columns, rank, columns, columns);
  return { values, u: product(q, complete, rows, columns, columns), v };
}

/**
 * Extends given columns to a matrix with orthonormal columns.
 * @param given has `columns` columns, the first `count` of them orthonormal; the others are not read.
 * @param width the number of columns of the result, at most the number of rows.
 */
export function completed(
  given: Float64Array,
  rows: number,
  count: number,
  columns: number,
  width: number,
): Float64Array {
  const kept = new Float64Array(rows * count);
  for (let i = 0; i < rows; i += 1) {
    kept.set(given.subarray(i * columns, i * columns + count), i * count);
  }
  const result = orthogonalFactor(factorizeHouseholder(kept, rows, count), width);
  for (let i = 0; i < rows; i += 1) {
    result.set(kept.subarray(i * count, (i + 1) * count), i * width);
  }
  return result;
}

function product(
  a: Float64Array,
  b: Float64Array,
  rows: number,
  inner: number,
  columns: number,
): Float64Array {
  const out = new Float64Array(rows * columns);
  for (let i = 0; i < rows; i += 1) {
    for (let k = 0; k < inner; k += 1) {
      const factor = a[i * inner + k] as number;
      for (let j = 0; j < columns; j += 1) {
        const at = i * columns + j;
        out[at] = (out[at] as number) + factor * (b[k * columns + j] as number);
      }
    }
  }
  return out;
}

function transposedOf(matrix: Float64Array, rows: number, columns: number): Float64Array {
  const out = new Float64Array(matrix.length);
  for (let i = 0; i < rows; i += 1) {
    for (let j = 0; j < columns; j += 1) {
      out[j * rows + i] = matrix[i * columns + j] as number;
    }
  }
  return out;
}
