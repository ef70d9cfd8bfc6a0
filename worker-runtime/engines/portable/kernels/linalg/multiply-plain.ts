import type { LongArray, NumberArray } from "../support/elements.js";
import type { MatrixView } from "./matrix.js";

/** Columns of the product that are summed at once: their sums stay in the L1 cache. */
const COLUMN_BLOCK = 512;

/**
 * out = a × b for floats, summed in double precision. `out` is row-major from `outOffset`.
 * Every element is multiplied, even zeros, so that NaN and infinity propagate as in TensorFlow.
 */
export function multiplyFloats(
  a: MatrixView<NumberArray>,
  b: MatrixView<NumberArray>,
  out: NumberArray,
  outOffset: number,
): void {
  if (b.columnStride === 1 && b.columns > 1) {
    multiplyByRows(a, b, out, outOffset);
  } else {
    multiplyByDots(a, b, out, outOffset, dotOfFloats);
  }
}

/** For b with contiguous rows: adds up multiples of b's rows. */
function multiplyByRows(
  a: MatrixView<NumberArray>,
  b: MatrixView<NumberArray>,
  out: NumberArray,
  outOffset: number,
): void {
  const n = b.columns;
  const sums = new Float64Array(Math.min(n, COLUMN_BLOCK));
  const [x, y] = [a.data, b.data];
  for (let left = 0; left < n; left += COLUMN_BLOCK) {
    const width = Math.min(COLUMN_BLOCK, n - left);
    for (let i = 0; i < a.rows; i += 1) {
      sums.fill(0);
      let atA = a.offset + i * a.rowStride;
      let atB = b.offset + left;
      for (let k = 0; k < a.columns; k += 1) {
        const factor = x[atA] ?? 0;
        for (let j = 0; j < width; j += 1) {
          sums[j] = (sums[j] ?? 0) + factor * (y[atB + j] ?? 0);
        }
        atA += a.columnStride;
        atB += b.rowStride;
      }
      const start = outOffset + i * n + left;
      for (let j = 0; j < width; j += 1) {
        out[start + j] = sums[j] ?? 0;
      }
    }
  }
}

/** The sum of the products of two runs of elements, which are `stepX` and `stepY` apart. */
type Dot<Values, Element> = (
  x: Values,
  atX: number,
  stepX: number,
  y: Values,
  atY: number,
  stepY: number,
  count: number,
) => Element;

const dotOfFloats: Dot<NumberArray, number> = (x, atX, stepX, y, atY, stepY, count) => {
  let sum = 0;
  for (let k = 0; k < count; k += 1) {
    sum += (x[atX + k * stepX] ?? 0) * (y[atY + k * stepY] ?? 0);
  }
  return sum;
};

const dotOfInts: Dot<NumberArray, number> = (x, atX, stepX, y, atY, stepY, count) => {
  let sum = 0;
  for (let k = 0; k < count; k += 1) {
    sum = (sum + Math.imul(x[atX + k * stepX] ?? 0, y[atY + k * stepY] ?? 0)) | 0;
  }
  return sum;
};

const dotOfLongs: Dot<LongArray, bigint> = (x, atX, stepX, y, atY, stepY, count) => {
  let sum = 0n;
  for (let k = 0; k < count; k += 1) {
    sum += (x[atX + k * stepX] ?? 0n) * (y[atY + k * stepY] ?? 0n);
  }
  return sum;
};

/** For any a and b. */
function multiplyByDots<Element, Values extends { [index: number]: Element }>(
  a: MatrixView<Values>,
  b: MatrixView<Values>,
  out: Values,
  outOffset: number,
  dot: Dot<Values, Element>,
): void {
  forEachElement(a, b, outOffset, (rowOfA, columnOfB, at) => {
    out[at] = dot(
      a.data,
      rowOfA,
      a.columnStride,
      b.data,
      columnOfB,
      b.rowStride,
      a.columns,
    ) as Values[number];
  });
}

/** out = a × b for integers up to 32 bits; wraps around as in TensorFlow. */
export function multiplyInts(
  a: MatrixView<NumberArray>,
  b: MatrixView<NumberArray>,
  out: NumberArray,
  outOffset: number,
): void {
  multiplyByDots(a, b, out, outOffset, dotOfInts);
}

/** out = a × b for 64-bit integers; wraps around as in TensorFlow: the array keeps the lowest 64 bits. */
export function multiplyLongs(
  a: MatrixView<LongArray>,
  b: MatrixView<LongArray>,
  out: LongArray,
  outOffset: number,
): void {
  multiplyByDots(a, b, out, outOffset, dotOfLongs);
}

/** out = a × b for complex numbers in arrays of alternating real and imaginary parts; strides count complex numbers. */
export function multiplyComplex(
  a: MatrixView<NumberArray>,
  b: MatrixView<NumberArray>,
  out: NumberArray,
  outOffset: number,
  conjugate: { readonly a: boolean; readonly b: boolean },
): void {
  const [x, y] = [a.data, b.data];
  const signA = conjugate.a ? -1 : 1;
  const signB = conjugate.b ? -1 : 1;
  forEachElement(a, b, outOffset, (rowOfA, columnOfB, at) => {
    let [re, im] = [0, 0];
    for (let k = 0; k < a.columns; k += 1) {
      const atA = 2 * (rowOfA + k * a.columnStride);
      const atB = 2 * (columnOfB + k * b.rowStride);
      const [reA, imA] = [x[atA] ?? 0, signA * (x[atA + 1] ?? 0)];
      const [reB, imB] = [y[atB] ?? 0, signB * (y[atB + 1] ?? 0)];
      re += reA * reB - imA * imB;
      im += reA * imB + imA * reB;
    }
    out[2 * at] = re;
    out[2 * at + 1] = im;
  });
}

/**
 * Visits each element of a product, which is row-major from `outOffset`.
 * @param visit receives the offsets of the element's row of a and column of b, and its offset in the result.
 */
function forEachElement(
  a: MatrixView<unknown>,
  b: MatrixView<unknown>,
  outOffset: number,
  visit: (rowOfA: number, columnOfB: number, at: number) => void,
): void {
  let at = outOffset;
  for (let i = 0; i < a.rows; i += 1) {
    for (let j = 0; j < b.columns; j += 1) {
      visit(a.offset + i * a.rowStride, b.offset + j * b.columnStride, at);
      at += 1;
    }
  }
}
