import { type DType, dtypeKind } from "../../../../protocol/dtype.js";
import { Tensor } from "../../../../protocol/tensor.js";
import { isLong } from "../support/dtypes.js";
import { longsOf, type NumberArray, newLongs, newNumbers, numbersOf } from "../support/elements.js";
import { type MatrixView, rowMajor, transposed } from "./matrix.js";
import { multiplyComplex, multiplyFloats, multiplyInts, multiplyLongs } from "./multiply-plain.js";
import { multiplyWasm, wasmMultiplies } from "./multiply-wasm.js";

/** An operand of a product, and how it is read. */
export interface Operand {
  readonly tensor: Tensor;
  readonly transpose: boolean;
  /** Complex conjugate; no effect on real numbers. */
  readonly conjugate: boolean;
}

/** The offsets of one product's matrices, in elements, in the operands and in the result. */
export interface ProductOffsets {
  readonly a: number;
  readonly b: number;
  readonly out: number;
}

/** Sizes of the products: [rows, inner] × [inner, columns]. */
export interface ProductSize {
  readonly rows: number;
  readonly inner: number;
  readonly columns: number;
}

/**
 * Products of matrices at `offsets` of two operands. float32 is computed by wasm where that is faster, other floats in
 * double precision; integers wrap around.
 * @param dtype of the result and of both operands, except that an int32 result may have int8 and uint8 operands.
 */
export function multiplyAll(
  a: Operand,
  b: Operand,
  size: ProductSize,
  dtype: DType,
  shape: readonly number[],
  offsets: readonly ProductOffsets[],
): Tensor {
  if (isLong(dtype)) {
    const [x, y] = [longsOf(a.tensor), longsOf(b.tensor)];
    const out = newLongs(dtype, shape);
    for (const offset of offsets) {
      multiplyLongs(
        left(x, offset.a, size, a.transpose),
        right(y, offset.b, size, b.transpose),
        out,
        offset.out,
      );
    }
    return new Tensor(dtype, shape, out);
  }
  const [x, y] = [numbersOf(a.tensor), numbersOf(b.tensor)];
  const out = newNumbers(dtype, shape);
  const conjugate = { a: a.conjugate, b: b.conjugate };
  const multiply = multiplierOf(dtype, size);
  for (const offset of offsets) {
    const matrixA = left(x, offset.a, size, a.transpose);
    const matrixB = right(y, offset.b, size, b.transpose);
    multiply(matrixA, matrixB, out, offset.out, conjugate);
  }
  return new Tensor(dtype, shape, out);
}

/**
 * out = a × b for float32 or float64; `out` is row-major from `outOffset`. float32 is computed by wasm where that is
 * faster; otherwise sums are in double precision.
 */
export function multiplyFloatMatrices(
  dtype: DType,
  a: MatrixView<NumberArray>,
  b: MatrixView<NumberArray>,
  out: NumberArray,
  outOffset = 0,
): void {
  const inWasm = dtype === "float32" && wasmMultiplies(a.rows, a.columns, b.columns);
  (inWasm ? multiplyWasm : multiplyFloats)(a, b, out, outOffset);
}

function multiplierOf(dtype: DType, { rows, inner, columns }: ProductSize): typeof multiplyComplex {
  switch (dtypeKind(dtype)) {
    case "complex":
      return multiplyComplex;
    case "float":
      return dtype === "float32" && wasmMultiplies(rows, inner, columns) ? multiplyWasm : multiplyFloats;
    default:
      return multiplyInts;
  }
}

function left<T>(data: T, offset: number, { rows, inner }: ProductSize, transpose: boolean): MatrixView<T> {
  return transpose ? transposed(rowMajor(data, inner, rows, offset)) : rowMajor(data, rows, inner, offset);
}

function right<T>(
  data: T,
  offset: number,
  { inner, columns }: ProductSize,
  transpose: boolean,
): MatrixView<T> {
  return transpose
    ? transposed(rowMajor(data, columns, inner, offset))
    : rowMajor(data, inner, columns, offset);
}

/** Nanoseconds of one multiplication on a slow core. */
const WASM_NANOSECONDS = 0.1;
const PLAIN_NANOSECONDS = 2;
const LONG_NANOSECONDS = 80;

/** Overhead per product: views of its operands. */
const PRODUCT_NANOSECONDS = 150;

/** Elements are packed into wasm's memory, and results are copied back. */
const WASM_OPERAND_NANOSECONDS = 2;
const RESULT_NANOSECONDS = 5;

/** An estimate of the time of `count` products, in nanoseconds on one slow core. */
export function productCost(dtype: DType, { rows, inner, columns }: ProductSize, count = 1): number {
  const multiplications = rows * inner * columns;
  const results = rows * columns * RESULT_NANOSECONDS;
  if (dtype === "float32" && wasmMultiplies(rows, inner, columns)) {
    const operands = inner * (rows + columns) * WASM_OPERAND_NANOSECONDS;
    return count * (multiplications * WASM_NANOSECONDS + operands + results + PRODUCT_NANOSECONDS);
  }
  const nanos = isLong(dtype) ? LONG_NANOSECONDS : PLAIN_NANOSECONDS;
  return count * (multiplications * nanos + results + PRODUCT_NANOSECONDS);
}
