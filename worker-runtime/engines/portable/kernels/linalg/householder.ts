/**
 * Reflections that turn a matrix into an upper triangular one: Q · R = matrix, Golub and Van Loan, "Matrix
 * Computations", algorithm 5.2.1. The signs are those of Eigen, which TensorFlow uses: an element of R's diagonal is
 * negative if its column began with a number of at least 0.
 */
export interface HouseholderFactors {
  readonly rows: number;
  readonly columns: number;
  /** R in the upper triangle, row-major; below it the reflections' vectors, whose first element is 1. */
  readonly packed: Float64Array;
  /** The factor of each reflection I - τ · v · vᵀ. */
  readonly taus: Float64Array;
}

/** @param matrix row-major; it is not changed. */
export function factorizeHouseholder(
  matrix: Float64Array,
  rows: number,
  columns: number,
): HouseholderFactors {
  const packed = matrix.slice();
  const count = Math.min(rows, columns);
  const taus = new Float64Array(count);
  for (let k = 0; k < count; k += 1) {
    let tail = 0;
    for (let i = k + 1; i < rows; i += 1) {
      tail += (packed[i * columns + k] as number) ** 2;
    }
    const first = packed[k * columns + k] as number;
    if (tail === 0) {
      continue;
    }
    const norm = Math.sqrt(first * first + tail);
    const beta = first >= 0 ? -norm : norm;
    for (let i = k + 1; i < rows; i += 1) {
      packed[i * columns + k] = (packed[i * columns + k] as number) / (first - beta);
    }
    packed[k * columns + k] = beta;
    taus[k] = (beta - first) / beta;
    reflect({ rows, columns, packed, taus }, k, packed, columns, k + 1);
  }
  return { rows, columns, packed, taus };
}

/** Applies reflection `k` to the columns of `target`, starting at `from`. */
function reflect(
  { rows, columns, packed, taus }: HouseholderFactors,
  k: number,
  target: Float64Array,
  width: number,
  from: number,
): void {
  const tau = taus[k] as number;
  const sums = target.slice(k * width + from, (k + 1) * width);
  for (let i = k + 1; i < rows; i += 1) {
    const v = packed[i * columns + k] as number;
    for (let j = 0; j < sums.length; j += 1) {
      sums[j] = (sums[j] as number) + v * (target[i * width + from + j] as number);
    }
  }
  for (let i = k; i < rows; i += 1) {
    const v = i === k ? tau : tau * (packed[i * columns + k] as number);
    for (let j = 0; j < sums.length; j += 1) {
      const at = i * width + from + j;
      target[at] = (target[at] as number) - v * (sums[j] as number);
    }
  }
}

/** The first `width` columns of Q. */
export function orthogonalFactor(factors: HouseholderFactors, width: number): Float64Array {
  const q = new Float64Array(factors.rows * width);
  for (let i = 0; i < Math.min(factors.rows, width); i += 1) {
    q[i * width + i] = 1;
  }
  for (let k = factors.taus.length - 1; k >= 0; k -= 1) {
    reflect(factors, k, q, width, 0);
  }
  return q;
}

/** The first `height` rows of R. */
export function triangularFactor({ packed, columns }: HouseholderFactors, height: number): Float64Array {
  const r = packed.slice(0, height * columns);
  for (let i = 1; i < height; i += 1) {
    r.fill(0, i * columns, i * columns + Math.min(i, columns));
  }
  return r;
}
