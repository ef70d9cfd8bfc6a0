/** Factorizations of complex matrices into unitary factors, in double precision; matrices are lists of columns. */
import { type Complex, conjugate, divide, scale, subtract } from "../math/complex-numbers.js";
import {
  addScaled,
  type ComplexArray,
  entryAt,
  identityColumns,
  innerProduct,
  setEntry,
} from "./complex-vectors.js";

function lengthOf(vector: ComplexArray): number {
  return Math.sqrt(innerProduct(vector, 0, vector, 0, vector.length / 2)[0]);
}

/** A reflection I - tau v vᴴ; v has a 1 at its index and zeros before. */
interface Reflection {
  readonly index: number;
  readonly v: ComplexArray;
  readonly tau: Complex;
}

/** The reflection that makes a column 0 below `index` and real at `index`. */
function reflectionOf(column: ComplexArray, index: number): Reflection {
  const v = column.slice();
  v.fill(0, 0, 2 * index);
  const first = entryAt(v, index);
  const tail = lengthOf(v.subarray(2 * index + 2));
  if (tail === 0 && first[1] === 0) {
    return { index, v, tau: [0, 0] };
  }
  const length = Math.hypot(...first, tail);
  const beta: Complex = [first[0] >= 0 ? -length : length, 0];
  const below = subtract(first, beta);
  for (let i = index + 1; i < v.length / 2; i += 1) {
    setEntry(v, i, divide(entryAt(v, i), below));
  }
  setEntry(v, index, [1, 0]);
  return { index, v, tau: conjugate(divide(subtract(beta, first), beta)) };
}

function reflect(vector: ComplexArray, { index, v }: Reflection, tau: Complex): void {
  const count = v.length / 2 - index;
  const [re, im] = innerProduct(v, index, vector, index, count);
  addScaled(vector, index, v, index, count, [-(tau[0] * re - tau[1] * im), -(tau[0] * im + tau[1] * re)]);
}

/**
 * Q and R with matrix = Q · R, by Householder reflections in the form of LAPACK's zgeqrf: R's diagonal is real.
 * @param width the number of columns of Q and rows of R.
 */
export function complexQr(
  matrix: readonly ComplexArray[],
  rows: number,
  width: number,
): { readonly q: ComplexArray[]; readonly r: ComplexArray[] } {
  const rest = matrix.map((column) => column.slice());
  const reflections: Reflection[] = [];
  for (let index = 0; index < Math.min(rows, rest.length); index += 1) {
    const reflection = reflectionOf(rest[index] ?? new Float64Array(0), index);
    reflections.push(reflection);
    for (const column of rest.slice(index)) {
      reflect(column, reflection, reflection.tau);
    }
  }
  const q = identityColumns(rows, width);
  for (const reflection of reflections.reverse()) {
    for (const column of q) {
      reflect(column, reflection, conjugate(reflection.tau));
    }
  }
  const r = rest.map((column, j) => {
    const upper = column.slice(0, 2 * width);
    upper.fill(0, Math.min(upper.length, 2 * (j + 1)));
    return upper;
  });
  return { q, r };
}

/** Rotates two vectors in their plane: [p, q] · [[cos, sin], [-sin · conj(phase), cos · conj(phase)]]. */
interface Rotation {
  readonly cos: number;
  readonly sin: number;
  readonly phase: Complex;
}

/** The Jacobi rotation that makes [[p, off], [conj(off), q]] diagonal. */
function rotationOf(p: number, q: number, off: Complex): Rotation {
  const length = Math.hypot(...off);
  const ratio = (q - p) / (2 * length);
  const tangent = (ratio >= 0 ? 1 : -1) / (Math.abs(ratio) + Math.hypot(1, ratio));
  const cos = 1 / Math.hypot(1, tangent);
  return { cos, sin: tangent * cos, phase: scale(1 / length, off) };
}

function rotate(p: ComplexArray, q: ComplexArray, { cos, sin, phase }: Rotation): void {
  for (let i = 0; i < p.length; i += 2) {
    const [x, y] = [p[i] as number, p[i + 1] as number];
    const [u, v] = [q[i] as number, q[i + 1] as number];
    const [re, im] = [u * phase[0] + v * phase[1], v * phase[0] - u * phase[1]];
    p[i] = cos * x - sin * re;
    p[i + 1] = cos * y - sin * im;
    q[i] = sin * x + cos * re;
    q[i + 1] = sin * y + cos * im;
  }
}

const MOST_SWEEPS = 60;

/**
 * Rotates columns until each is orthogonal to all others, and applies the same rotations to other columns: the
 * one-sided Jacobi method of Hestenes. Golub and Van Loan, "Matrix Computations", section 8.6.3.
 */
function makeOrthogonal(columns: readonly ComplexArray[], others: readonly ComplexArray[]): void {
  // Columns of pure rounding error never become orthogonal beyond this.
  const noise = columns.reduce((sum, column) => sum + lengthOf(column) ** 2, 0) * Number.EPSILON ** 2;
  for (let sweep = 0, turned = true; turned && sweep < MOST_SWEEPS; sweep += 1) {
    turned = false;
    for (const [i, p] of columns.entries()) {
      for (const [k, q] of columns.slice(i + 1).entries()) {
        const [pp, qq] = [lengthOf(p) ** 2, lengthOf(q) ** 2];
        const off = innerProduct(p, 0, q, 0, p.length / 2);
        if (Math.hypot(...off) > Math.max(noise, Number.EPSILON * Math.sqrt(pp * qq))) {
          const rotation = rotationOf(pp, qq, off);
          rotate(p, q, rotation);
          const [a, b] = [others[i], others[i + 1 + k]];
          if (a !== undefined && b !== undefined) {
            rotate(a, b, rotation);
          }
          turned = true;
        }
      }
    }
  }
}

/** Extends orthonormal vectors to `width` orthonormal vectors. */
function completed(given: readonly ComplexArray[], rows: number, width: number): ComplexArray[] {
  const all = given.map((vector) => vector.slice());
  const units = identityColumns(rows, rows);
  while (all.length < width) {
    const rests = units.map((unit) => {
      const rest = unit.slice();
      // Twice, since the first pass leaves rounding errors.
      for (const vector of [...all, ...all]) {
        const part = innerProduct(vector, 0, rest, 0, rows);
        addScaled(rest, 0, vector, 0, rows, scale(-1, part));
      }
      return rest;
    });
    const longest = rests.reduce((a, b) => (lengthOf(b) > lengthOf(a) ? b : a));
    all.push(longest.map((part) => part / lengthOf(longest)));
  }
  return all;
}

/** The singular values in descending order, with the requested number of vectors. */
export function complexSingularValues(
  matrix: readonly ComplexArray[],
  rows: number,
  widths: { readonly u: number; readonly v: number },
): { readonly values: number[]; readonly u: ComplexArray[]; readonly v: ComplexArray[] } {
  const columns = matrix.map((column) => column.slice());
  const others = identityColumns(columns.length, columns.length);
  makeOrthogonal(columns, others);
  const lengths = columns.map(lengthOf);
  const order = [...lengths.keys()]
    .sort((i, j) => (lengths[j] ?? 0) - (lengths[i] ?? 0))
    .slice(0, Math.min(rows, columns.length));
  const values = order.map((i) => lengths[i] ?? 0);
  const tiny = (values[0] ?? 0) * columns.length * Number.EPSILON;
  const u = order.flatMap((i, index) => {
    const length = values[index] ?? 0;
    return length > tiny ? [(columns[i] ?? new Float64Array(0)).map((part) => part / length)] : [];
  });
  const v = order.map((i) => others[i] ?? new Float64Array(0));
  return { values, u: completed(u, rows, widths.u), v: completed(v, columns.length, widths.v) };
}

/**
 * The eigenvalues of a Hermitian matrix in ascending order, and the eigenvectors: Jacobi's method. Only the lower
 * triangle is read.
 */
export function hermitianEigen(
  matrix: readonly ComplexArray[],
  size: number,
): { readonly values: number[]; readonly vectors: ComplexArray[] } {
  const columns = hermitianColumns(matrix, size);
  const vectors = identityColumns(size, size);
  const noise =
    (Number.EPSILON / 2) * Math.sqrt(columns.reduce((sum, column) => sum + lengthOf(column) ** 2, 0));
  for (let sweep = 0, turned = true; turned && sweep < MOST_SWEEPS; sweep += 1) {
    turned = false;
    for (let i = 0; i < size; i += 1) {
      for (let k = i + 1; k < size; k += 1) {
        turned = turn(columns, vectors, [i, k], noise) || turned;
      }
    }
  }
  const values = columns.map((column, i) => entryAt(column, i)[0]);
  const order = [...values.keys()].sort((i, j) => (values[i] ?? 0) - (values[j] ?? 0));
  return {
    values: order.map((i) => values[i] ?? 0),
    vectors: order.map((i) => vectors[i] ?? new Float64Array(0)),
  };
}

function hermitianColumns(matrix: readonly ComplexArray[], size: number): ComplexArray[] {
  const columns = matrix.map((column) => column.slice());
  for (const [j, column] of columns.entries()) {
    setEntry(column, j, [entryAt(column, j)[0], 0]);
    for (let i = j + 1; i < size; i += 1) {
      setEntry(columns[i] ?? column, j, conjugate(entryAt(column, i)));
    }
  }
  return columns;
}

/**
 * Makes entry (i, k) of a Hermitian matrix 0 by a rotation from both sides.
 * @param noise absolute values up to this count as 0.
 * @returns whether the matrix changed.
 */
function turn(
  columns: readonly ComplexArray[],
  vectors: readonly ComplexArray[],
  [i, k]: readonly [number, number],
  noise: number,
): boolean {
  const [p, q, a, b] = [columns[i], columns[k], vectors[i], vectors[k]];
  if (p === undefined || q === undefined || a === undefined || b === undefined) {
    return false;
  }
  const off = entryAt(q, i);
  const [pp, qq] = [entryAt(p, i)[0], entryAt(q, k)[0]];
  if (!(Math.hypot(...off) > noise)) {
    return false;
  }
  const rotation = rotationOf(pp, qq, off);
  rotate(p, q, rotation);
  rotate(a, b, rotation);
  // The rows are rotated by the conjugate transpose.
  const [cos, sin] = [rotation.cos, rotation.sin];
  for (const column of columns) {
    const [x, y] = entryAt(column, i);
    const [u, v] = entryAt(column, k);
    const [re, im] = [
      u * rotation.phase[0] - v * rotation.phase[1],
      u * rotation.phase[1] + v * rotation.phase[0],
    ];
    setEntry(column, i, [cos * x - sin * re, cos * y - sin * im]);
    setEntry(column, k, [sin * x + cos * re, sin * y + cos * im]);
  }
  return true;
}
