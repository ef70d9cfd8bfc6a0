import type { NumberArray } from "../support/elements.js";

/** A matrix within an array: element (i, j) lies at `offset + i * rowStride + j * columnStride`. */
export interface MatrixView<T> {
  readonly data: T;
  readonly offset: number;
  readonly rows: number;
  readonly columns: number;
  readonly rowStride: number;
  readonly columnStride: number;
}

/** A row-major matrix of `rows` × `columns` that begins at `offset`. */
export function rowMajor<T>(data: T, rows: number, columns: number, offset = 0): MatrixView<T> {
  return { data, offset, rows, columns, rowStride: columns, columnStride: 1 };
}

/** The same memory read as the transposed matrix. */
export function transposed<T>(matrix: MatrixView<T>): MatrixView<T> {
  return {
    data: matrix.data,
    offset: matrix.offset,
    rows: matrix.columns,
    columns: matrix.rows,
    rowStride: matrix.columnStride,
    columnStride: matrix.rowStride,
  };
}

/** Edge of the square tiles in which a matrix is transposed: two of them fit into the L1 cache. */
const TRANSPOSE_TILE = 32;

/** Writes the matrix row by row to the beginning of `target`. */
export function packRowMajor(matrix: MatrixView<NumberArray>, target: NumberArray): void {
  const { data, offset, rows, columns, rowStride, columnStride } = matrix;
  if (columnStride === 1) {
    for (let i = 0; i < rows; i += 1) {
      const start = offset + i * rowStride;
      target.set(data.subarray(start, start + columns), i * columns);
    }
    return;
  }
  for (let top = 0; top < rows; top += TRANSPOSE_TILE) {
    const bottom = Math.min(top + TRANSPOSE_TILE, rows);
    for (let left = 0; left < columns; left += TRANSPOSE_TILE) {
      const right = Math.min(left + TRANSPOSE_TILE, columns);
      for (let i = top; i < bottom; i += 1) {
        for (let j = left; j < right; j += 1) {
          target[i * columns + j] = data[offset + i * rowStride + j * columnStride] ?? 0;
        }
      }
    }
  }
}
