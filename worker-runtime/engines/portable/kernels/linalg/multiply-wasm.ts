/** Products of float32 matrices by WebAssembly's vectors of 128 bits. */
import type { NumberArray } from "../support/elements.js";
import type { MatrixView } from "./matrix.js";
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
        packRows(part(a, i, rows, k, inner), memory);
        packColumns(part(b, k, inner, j, columns), memory);
        multiply(
          BLOCK_OF_A * bytes,
          BLOCK_OF_B * bytes,
          BLOCK_OF_PRODUCT * bytes,
          ...([rowPanels, columnPanels, inner] as const),
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

/** Packs a block of a into panels of rows; the last panel is filled up with zeros. */
function packRows(block: MatrixView<NumberArray>, memory: Float32Array): void {
  const { rows, columns: inner, rowStride, columnStride } = block;
  let panel = BLOCK_OF_A;
  for (let top = 0; top < rows; top += PANEL_ROWS) {
    const end = panel + inner * PANEL_ROWS;
    for (let row = 0; row < PANEL_ROWS; row += 1) {
      if (top + row < rows) {
        packLine(block, (top + row) * rowStride, columnStride, memory, panel + row, PANEL_ROWS, end);
      } else {
        zeroLine(memory, panel + row, PANEL_ROWS, end);
      }
    }
    panel = end;
  }
}

/** Packs a block of b into panels of columns; the last panel is filled up with zeros. */
function packColumns(block: MatrixView<NumberArray>, memory: Float32Array): void {
  const { columns, rows: inner, rowStride, columnStride } = block;
  let panel = BLOCK_OF_B;
  for (let left = 0; left < columns; left += PANEL_COLUMNS) {
    const end = panel + inner * PANEL_COLUMNS;
    if (columnStride === 1 && left + PANEL_COLUMNS <= columns) {
      packWholeRows(block, left, memory, panel, end);
    } else {
      for (let column = 0; column < PANEL_COLUMNS; column += 1) {
        if (left + column < columns) {
          packLine(
            block,
            (left + column) * columnStride,
            rowStride,
            memory,
            panel + column,
            PANEL_COLUMNS,
            end,
          );
        } else {
          zeroLine(memory, panel + column, PANEL_COLUMNS, end);
        }
      }
    }
    panel = end;
  }
}

/** Eight columns whose elements are side by side, row by row. */
function packWholeRows(
  { data, offset, rowStride }: MatrixView<NumberArray>,
  left: number,
  memory: Float32Array,
  panel: number,
  end: number,
): void {
  for (let to = panel, from = offset + left; to < end; to += PANEL_COLUMNS, from += rowStride) {
    for (let column = 0; column < PANEL_COLUMNS; column += 1) {
      memory[to + column] = data[from + column] as number;
    }
  }
}

/** Copies every `step`-th element from `start` of the block to every `stepTo`-th of the memory. */
function packLine(
  { data, offset }: MatrixView<NumberArray>,
  start: number,
  step: number,
  memory: Float32Array,
  to: number,
  stepTo: number,
  end: number,
): void {
  for (let from = offset + start; to < end; to += stepTo, from += step) {
    memory[to] = data[from] as number;
  }
}

function zeroLine(memory: Float32Array, to: number, step: number, end: number): void {
  for (; to < end; to += step) memory[to] = 0;
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
