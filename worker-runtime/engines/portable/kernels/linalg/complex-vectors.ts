import type { Tensor } from "../../../../protocol/tensor.js";
import type { Complex } from "../math/complex-numbers.js";
import { numbersOf } from "../support/elements.js";

/** Interleaved complex numbers, real part first; entry i has the indexes 2i and 2i + 1. */
export type ComplexArray = Float64Array;

export function entryAt(numbers: ComplexArray, index: number): Complex {
  return [numbers[2 * index] as number, numbers[2 * index + 1] as number];
}

export function setEntry(numbers: ComplexArray, index: number, [re, im]: Complex): void {
  numbers[2 * index] = re;
  numbers[2 * index + 1] = im;
}

/** Adds a multiple of `count` entries of `source`, starting at `from`, to those of `target`, starting at `to`. */
export function addScaled(
  target: ComplexArray,
  to: number,
  source: ComplexArray,
  from: number,
  count: number,
  [re, im]: Complex,
): void {
  for (let i = 0; i < count; i += 1) {
    const x = source[2 * (from + i)] as number;
    const y = source[2 * (from + i) + 1] as number;
    const at = 2 * (to + i);
    target[at] = (target[at] as number) + re * x - im * y;
    target[at + 1] = (target[at + 1] as number) + re * y + im * x;
  }
}

/** The sum of conj(a[i]) b[i] over `count` entries, starting at `from` and at `other`. */
export function innerProduct(
  a: ComplexArray,
  from: number,
  b: ComplexArray,
  other: number,
  count: number,
): Complex {
  let [re, im] = [0, 0];
  for (let i = 0; i < count; i += 1) {
    const [x, y] = [a[2 * (from + i)] as number, a[2 * (from + i) + 1] as number];
    const [u, v] = [b[2 * (other + i)] as number, b[2 * (other + i) + 1] as number];
    re += x * u + y * v;
    im += x * v - y * u;
  }
  return [re, im];
}

/** The columns of matrix `index` of a complex tensor of matrices, in double precision. */
export function columnsAt(tensor: Tensor, index: number): ComplexArray[] {
  const [rows = 0, columns = 0] = tensor.shape.slice(-2);
  const start = 2 * index * rows * columns;
  const data = numbersOf(tensor);
  return Array.from({ length: columns }, (_, j) => {
    const column = new Float64Array(2 * rows);
    for (let i = 0; i < rows; i += 1) {
      const at = start + 2 * (i * columns + j);
      column[2 * i] = data[at] as number;
      column[2 * i + 1] = data[at + 1] as number;
    }
    return column;
  });
}

/** Matrix `index` of a complex tensor, row by row, in double precision. @param adjoint its conjugate transpose. */
export function complexMatrixAt(tensor: Tensor, index: number, adjoint = false): ComplexArray {
  const [rows = 0, columns = 0] = tensor.shape.slice(-2);
  const size = 2 * rows * columns;
  const matrix = Float64Array.from(numbersOf(tensor).subarray(index * size, (index + 1) * size));
  if (!adjoint) {
    return matrix;
  }
  const result = new Float64Array(size);
  for (let i = 0; i < rows; i += 1) {
    for (let j = 0; j < columns; j += 1) {
      const [re, im] = entryAt(matrix, i * columns + j);
      setEntry(result, j * rows + i, [re, -im]);
    }
  }
  return result;
}

/** Columns as a matrix, row by row. */
export function matrixOfColumns(columns: readonly ComplexArray[], rows: number): ComplexArray {
  const matrix = new Float64Array(2 * rows * columns.length);
  for (const [j, column] of columns.entries()) {
    for (let i = 0; i < rows; i += 1) {
      setEntry(matrix, i * columns.length + j, entryAt(column, i));
    }
  }
  return matrix;
}

/** The first columns of an identity matrix with this many rows. */
export function identityColumns(rows: number, count: number): ComplexArray[] {
  return Array.from({ length: count }, (_, j) => {
    const column = new Float64Array(2 * rows);
    column[2 * j] = 1;
    return column;
  });
}
