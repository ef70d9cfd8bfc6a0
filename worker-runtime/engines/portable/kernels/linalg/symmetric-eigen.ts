/** Eigenvalues in ascending order, and the eigenvectors as columns of a row-major matrix. */
export interface SymmetricEigen {
  readonly values: Float64Array;
  readonly vectors: Float64Array;
}

const MAX_ITERATIONS = 60;

/**
 * The eigenvalues of a symmetric matrix, of which only the lower triangle is read: it is reduced to tridiagonal form by
 * reflections and then diagonalized by implicit QL steps. Golub and Van Loan, "Matrix Computations", sections 8.3.1 to
 * 8.3.3, in the form of Bowdler, Martin, Reinsch and Wilkinson, "The QR and QL algorithms for symmetric matrices"
 * (1968).
 * @returns undefined if it does not converge: the matrix has NaN or infinities.
 */
export function symmetricEigen(matrix: Float64Array, size: number): SymmetricEigen | undefined {
  if (!matrix.every(Number.isFinite)) {
    return undefined;
  }
  const vectors = matrix.slice();
  const diagonal = new Float64Array(size);
  const offDiagonal = new Float64Array(size);
  reduce(vectors, diagonal, offDiagonal, size);
  accumulate(vectors, diagonal, size);
  return diagonalize(vectors, diagonal, offDiagonal, size) ? inOrder(vectors, diagonal, size) : undefined;
}

/** Stores the reflections in the lower rows of `a`, and their factors in `diagonal`. */
function reduce(a: Float64Array, diagonal: Float64Array, offDiagonal: Float64Array, size: number): void {
  for (let i = size - 1; i > 0; i -= 1) {
    const row = i * size;
    let scale = 0;
    for (let k = 0; k < i; k += 1) {
      scale += Math.abs(a[row + k] as number);
    }
    if (i === 1 || scale === 0) {
      offDiagonal[i] = a[row + i - 1] as number;
      diagonal[i] = 0;
      continue;
    }
    let square = 0;
    for (let k = 0; k < i; k += 1) {
      a[row + k] = (a[row + k] as number) / scale;
      square += (a[row + k] as number) ** 2;
    }
    const last = a[row + i - 1] as number;
    const root = last >= 0 ? -Math.sqrt(square) : Math.sqrt(square);
    offDiagonal[i] = scale * root;
    square -= last * root;
    a[row + i - 1] = last - root;
    reduceBlock(a, offDiagonal, i, size, square);
    diagonal[i] = square;
  }
}

/** Applies the reflection of row `i` from both sides to the block before it. */
function reduceBlock(
  a: Float64Array,
  offDiagonal: Float64Array,
  i: number,
  size: number,
  square: number,
): void {
  const row = i * size;
  let inner = 0;
  for (let j = 0; j < i; j += 1) {
    a[j * size + i] = (a[row + j] as number) / square;
    let sum = 0;
    for (let k = 0; k <= j; k += 1) {
      sum += (a[j * size + k] as number) * (a[row + k] as number);
    }
    for (let k = j + 1; k < i; k += 1) {
      sum += (a[k * size + j] as number) * (a[row + k] as number);
    }
    offDiagonal[j] = sum / square;
    inner += (offDiagonal[j] as number) * (a[row + j] as number);
  }
  const half = inner / (2 * square);
  for (let j = 0; j < i; j += 1) {
    const f = a[row + j] as number;
    const g = (offDiagonal[j] as number) - half * f;
    offDiagonal[j] = g;
    for (let k = 0; k <= j; k += 1) {
      const at = j * size + k;
      a[at] = (a[at] as number) - (f * (offDiagonal[k] as number) + g * (a[row + k] as number));
    }
  }
}

/** Replaces the reflections by their product, and extracts the diagonal. */
function accumulate(a: Float64Array, diagonal: Float64Array, size: number): void {
  for (let i = 0; i < size; i += 1) {
    if (diagonal[i] !== 0) {
      for (let j = 0; j < i; j += 1) {
        let sum = 0;
        for (let k = 0; k < i; k += 1) {
          sum += (a[i * size + k] as number) * (a[k * size + j] as number);
        }
        for (let k = 0; k < i; k += 1) {
          a[k * size + j] = (a[k * size + j] as number) - sum * (a[k * size + i] as number);
        }
      }
    }
    diagonal[i] = a[i * size + i] as number;
    a[i * size + i] = 1;
    for (let j = 0; j < i; j += 1) {
      a[j * size + i] = 0;
      a[i * size + j] = 0;
    }
  }
}

/** @returns false if it does not converge. */
function diagonalize(
  vectors: Float64Array,
  diagonal: Float64Array,
  offDiagonal: Float64Array,
  size: number,
): boolean {
  offDiagonal.copyWithin(0, 1);
  offDiagonal[size - 1] = 0;
  for (let first = 0; first < size; first += 1) {
    let iterations = 0;
    for (;;) {
      const end = blockEnd(diagonal, offDiagonal, first, size);
      if (end === first) {
        break;
      }
      iterations += 1;
      if (iterations > MAX_ITERATIONS) {
        return false;
      }
      implicitStep(vectors, diagonal, offDiagonal, first, end, size);
    }
  }
  return true;
}

/** The last index of the block that begins at `first` and has no 0 next to its diagonal. */
function blockEnd(diagonal: Float64Array, offDiagonal: Float64Array, first: number, size: number): number {
  let end = first;
  while (end < size - 1) {
    const around = Math.abs(diagonal[end] as number) + Math.abs(diagonal[end + 1] as number);
    if (Math.abs(offDiagonal[end] as number) <= Number.EPSILON * around) {
      break;
    }
    end += 1;
  }
  return end;
}

/** One QL step with Wilkinson's shift from `end` up to `first`. */
function implicitStep(
  vectors: Float64Array,
  diagonal: Float64Array,
  offDiagonal: Float64Array,
  first: number,
  end: number,
  size: number,
): void {
  const start = diagonal[first] as number;
  const off = offDiagonal[first] as number;
  const ratio = ((diagonal[first + 1] as number) - start) / (2 * off);
  const root = Math.hypot(ratio, 1);
  let g = (diagonal[end] as number) - start + off / (ratio + (ratio >= 0 ? root : -root));
  let [sin, cos, shift] = [1, 1, 0];
  for (let i = end - 1; i >= first; i -= 1) {
    const f = sin * (offDiagonal[i] as number);
    const b = cos * (offDiagonal[i] as number);
    const r = Math.hypot(f, g);
    offDiagonal[i + 1] = r;
    if (r === 0) {
      diagonal[i + 1] = (diagonal[i + 1] as number) - shift;
      offDiagonal[end] = 0;
      return;
    }
    sin = f / r;
    cos = g / r;
    g = (diagonal[i + 1] as number) - shift;
    const h = ((diagonal[i] as number) - g) * sin + 2 * cos * b;
    shift = sin * h;
    diagonal[i + 1] = g + shift;
    g = cos * h - b;
    for (let k = 0; k < size * size; k += size) {
      const [x, y] = [vectors[k + i] as number, vectors[k + i + 1] as number];
      vectors[k + i + 1] = sin * x + cos * y;
      vectors[k + i] = cos * x - sin * y;
    }
  }
  diagonal[first] = (diagonal[first] as number) - shift;
  offDiagonal[first] = g;
  offDiagonal[end] = 0;
}

function inOrder(vectors: Float64Array, diagonal: Float64Array, size: number): SymmetricEigen {
  const order = Array.from(diagonal, (_, i) => i).sort(
    (i, j) => (diagonal[i] as number) - (diagonal[j] as number),
  );
  const columns = new Float64Array(vectors.length);
  for (const [index, from] of order.entries()) {
    for (let i = 0; i < size; i += 1) {
      columns[i * size + index] = vectors[i * size + from] as number;
    }
  }
  return { values: Float64Array.from(order, (i) => diagonal[i] as number), vectors: columns };
}
