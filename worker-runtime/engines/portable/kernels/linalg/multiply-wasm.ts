import { Tensor } from "../../../../protocol/tensor.js";
import type { NumberArray } from "../support/elements.js";
import { numbersOf } from "../support/elements.js";
import { hasTfjs, runTfjsKernel } from "../tfjs/backend.js";
import { type MatrixView, packRowMajor } from "./matrix.js";

/**
 * Multiplications in a product below which a wasm call (3 µs, plus copies) costs more than a plain loop (0.9 ns each):
 * they break even between 16×16×16 and 32×32×32.
 */
const MIN_MULTIPLICATIONS = 5000;

/** Below this number of rows wasm's repacking of b costs more than it saves: 3.7 ms against 1.9 ms for 1×1024×1024. */
const MIN_ROWS = 4;

/**
 * Maximum elements of one operand per wasm call. Its heap grows to the largest call and never shrinks, and a call
 * beyond 2 GB would end the whole process.
 */
const MAX_ELEMENTS = 8 * 1024 * 1024;

/** Whether `multiplyWasm` is available and faster for a product of `rows` × `inner` and `inner` × `columns`. */
export function wasmMultiplies(rows: number, inner: number, columns: number): boolean {
  return rows >= MIN_ROWS && columns > 1 && rows * inner * columns >= MIN_MULTIPLICATIONS && hasTfjs();
}

/**
 * out = a × b for float32 in wasm (XNNPACK), in pieces of bounded size. `out` is row-major from `outOffset`.
 * Transposed operands are copied first, since wasm's own handling of them is ten times slower.
 */
export function multiplyWasm(
  a: MatrixView<NumberArray>,
  b: MatrixView<NumberArray>,
  out: NumberArray,
  outOffset: number,
): void {
  const inner = a.columns;
  const innerStep = Math.min(inner, MAX_ELEMENTS / 1024);
  const columnStep = Math.min(b.columns, Math.floor(MAX_ELEMENTS / innerStep));
  const rowStep = Math.min(a.rows, Math.floor(MAX_ELEMENTS / Math.max(innerStep, columnStep)));
  for (let k = 0; k < inner; k += innerStep) {
    const depth = Math.min(innerStep, inner - k);
    for (let j = 0; j < b.columns; j += columnStep) {
      const width = Math.min(columnStep, b.columns - j);
      const right = float32Matrix(part(b, k, depth, j, width));
      for (let i = 0; i < a.rows; i += rowStep) {
        const height = Math.min(rowStep, a.rows - i);
        const left = float32Matrix(part(a, i, height, k, depth));
        const product = multiplyPiece(left, right);
        put(product, out, outOffset + i * b.columns + j, b.columns, width, k > 0);
      }
    }
  }
}

function multiplyPiece(a: Tensor, b: Tensor): NumberArray {
  const [product] = runTfjsKernel("BatchMatMul", { a, b }, { transposeA: false, transposeB: false });
  return product === undefined ? new Float32Array(0) : numbersOf(product);
}

function part<T>(
  matrix: MatrixView<T>,
  row: number,
  rows: number,
  column: number,
  columns: number,
): MatrixView<T> {
  const offset = matrix.offset + row * matrix.rowStride + column * matrix.columnStride;
  return { ...matrix, offset, rows, columns };
}

/** As a tensor [1, rows, columns]; not copied if the matrix is row-major without gaps. */
function float32Matrix(matrix: MatrixView<NumberArray>): Tensor {
  const { data, offset, rows, columns, rowStride, columnStride } = matrix;
  const shape = [1, rows, columns];
  if (data instanceof Float32Array && columnStride === 1 && rowStride === columns) {
    return new Tensor("float32", shape, data.subarray(offset, offset + rows * columns));
  }
  const packed = new Float32Array(rows * columns);
  packRowMajor(matrix, packed);
  return new Tensor("float32", shape, packed);
}

/** Writes (or adds, for later parts of the inner dimension) a product of `width` columns into rows `stride` apart. */
function put(
  product: NumberArray,
  out: NumberArray,
  offset: number,
  stride: number,
  width: number,
  add: boolean,
): void {
  if (!add && width === stride) {
    out.set(product, offset);
    return;
  }
  for (let from = 0, to = offset; from < product.length; from += width, to += stride) {
    for (let j = 0; j < width; j += 1) {
      out[to + j] = (add ? (out[to + j] ?? 0) : 0) + (product[from + j] ?? 0);
    }
  }
}
