/** Products of float32 matrices by WebAssembly's vectors of 128 bits. */
import type { NumberArray } from "../support/elements.js";
import { type MatrixView, transposed } from "./matrix.js";
import { PRODUCTS_MODULE } from "./products-module.js";

/** Multiplications in a product below which packing and the call cost more than a plain loop: 8×8×8 is twice as fast. */
const MIN_MULTIPLICATIONS = 500;

/** A plain loop multiplies a single row as fast as b is packed. */
const MIN_ROWS = 2;

/** Blocks of a and b that are multiplied at once: with the product's block they fit into most L2 caches. */
const BLOCK_ROWS = 256;
const BLOCK_INNER = 256;
const BLOCK_COLUMNS = 512;

/** Rows of a, and columns of b, that the module multiplies at once. */
const PANEL_ROWS = 4;
const PANEL_COLUMNS = 8;

/** Where the blocks begin in the module's memory, in elements. */
const BLOCK_OF_A = 0;
const BLOCK_OF_B = BLOCK_OF_A + BLOCK_ROWS * BLOCK_INNER;
const BLOCK_OF_PRODUCT = BLOCK_OF_B + BLOCK_INNER * BLOCK_COLUMNS;

interface Products {
  /** The module's memory, 1.25 MiB; it never grows. */
  readonly memory: Float32Array;
  /** See products.wat. Offsets are in bytes. */
  readonly multiply: (
    a: number,
    b: number,
    out: number,
    rowPanels: number,
    columnPanels: number,
    inner: number,
  ) => void;
}

/** The part of WebAssembly's interface that is used here: TypeScript declares it with the DOM, which Node lacks. */
interface WithWebAssembly {
  readonly WebAssembly: {
    readonly Module: new (bytes: Uint8Array) => object;
    readonly Instance: new (
      module: object,
    ) => {
      readonly exports: { readonly memory: { readonly buffer: ArrayBuffer } } & Pick<Products, "multiply">;
    };
  };
}

let loaded: Products | null | undefined;

/** The module in this thread; null where WebAssembly, or its vectors, do not work: with --jitless, on old processors. */
function products(): Products | null {
  if (loaded === undefined) {
    try {
      const { Module, Instance } = (globalThis as unknown as WithWebAssembly).WebAssembly;
      const { memory, multiply } = new Instance(new Module(Buffer.from(PRODUCTS_MODULE, "base64"))).exports;
      loaded = { memory: new Float32Array(memory.buffer), multiply };
    } catch {
      loaded = null;
    }
  }
  return loaded;
}

/** True if `multiplyWasm` is available and faster for a product of `rows` × `inner` and `inner` × `columns`. */
export function wasmMultiplies(rows: number, inner: number, columns: number): boolean {
  return (
    rows >= MIN_ROWS && columns > 1 && rows * inner * columns >= MIN_MULTIPLICATIONS && products() !== null
  );
}

/**
 * out = a × b for float32, summed in single precision in the order of a's columns. `out` is row-major from `outOffset`.
 * Every element is multiplied, even zeros, so that NaN and infinity propagate as in TensorFlow.
 */
export function multiplyWasm(
  a: MatrixView<NumberArray>,
  b: MatrixView<NumberArray>,
  out: NumberArray,
  outOffset: number,
): void {
  const module = products();
  if (module === null) throw new Error("WebAssembly does not work in this process.");
  const { memory, multiply } = module;
  const bytes = Float32Array.BYTES_PER_ELEMENT;
  for (let i = 0; i < a.rows; i += BLOCK_ROWS) {
    const rows = Math.min(BLOCK_ROWS, a.rows - i);
    const rowPanels = Math.ceil(rows / PANEL_ROWS);
    for (let j = 0; j < b.columns; j += BLOCK_COLUMNS) {
      const columns = Math.min(BLOCK_COLUMNS, b.columns - j);
      const columnPanels = Math.ceil(columns / PANEL_COLUMNS);
      const stride = columnPanels * PANEL_COLUMNS;
      memory.fill(0, BLOCK_OF_PRODUCT, BLOCK_OF_PRODUCT + rowPanels * PANEL_ROWS * stride);
      for (let k = 0; k < a.columns; k += BLOCK_INNER) {
        const inner = Math.min(BLOCK_INNER, a.columns - k);
        packLines(part(a, i, rows, k, inner), memory, BLOCK_OF_A, PANEL_ROWS);
        packLines(transposed(part(b, k, inner, j, columns)), memory, BLOCK_OF_B, PANEL_COLUMNS);
        multiply(
          BLOCK_OF_A * bytes,
          BLOCK_OF_B * bytes,
          BLOCK_OF_PRODUCT * bytes,
          rowPanels,
          columnPanels,
          inner,
        );
      }
      copyRows(memory, stride, out, outOffset + i * b.columns + j, b.columns, { rows, columns });
    }
  }
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

/** Packs a block's rows into panels of `size`, each column by column; the last panel is filled up with zeros. */
function packLines(
  { data, offset, rows, columns, rowStride, columnStride }: MatrixView<NumberArray>,
  memory: Float32Array,
  start: number,
  size: number,
): void {
  let panel = start;
  for (let top = 0; top < rows; top += size) {
    const end = panel + columns * size;
    const first = offset + top * rowStride;
    const count = Math.min(size, rows - top);
    if (count < size) memory.fill(0, panel, end);
    if (rowStride === 1) {
      for (let to = panel, from = first; to < end; to += size, from += columnStride) {
        for (let row = 0; row < count; row += 1) memory[to + row] = data[from + row] as number;
      }
    } else {
      for (let row = 0; row < count; row += 1) {
        for (
          let to = panel + row, from = first + row * rowStride;
          to < end;
          to += size, from += columnStride
        ) {
          memory[to] = data[from] as number;
        }
      }
    }
    panel = end;
  }
}

/** Copies the product's block to rows of `out` that are `strideTo` apart. */
function copyRows(
  memory: Float32Array,
  stride: number,
  out: NumberArray,
  offset: number,
  strideTo: number,
  { rows, columns }: { readonly rows: number; readonly columns: number },
): void {
  for (let row = 0; row < rows; row += 1) {
    const [from, to] = [BLOCK_OF_PRODUCT + row * stride, offset + row * strideTo];
    for (let column = 0; column < columns; column += 1) {
      out[to + column] = memory[from + column] as number;
    }
  }
}
