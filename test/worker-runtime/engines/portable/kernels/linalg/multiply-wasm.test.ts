/** The module's products against plain sums of the same order. Products of ops are compared with TensorFlow's elsewhere. */
import { once } from "node:events";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type MatrixView,
  rowMajor,
  transposed,
} from "../../../../../../worker-runtime/engines/portable/kernels/linalg/matrix.js";
import {
  multiplyWasm,
  wasmMultiplies,
} from "../../../../../../worker-runtime/engines/portable/kernels/linalg/multiply-wasm.js";
import { repositoryRoot } from "../../../../../support/peers.js";

type Matrix = MatrixView<Float32Array>;

function random(length: number, seed: number): Float32Array {
  return Float32Array.from({ length }, (_, i) => Math.sin((i + seed) * 12.9898) * 7);
}

/** Sums in single precision in the order of a's columns, as the module does. */
function expected(a: Matrix, b: Matrix): number[] {
  const { fround } = Math;
  const at = ({ data, offset, rowStride, columnStride }: Matrix, row: number, column: number) =>
    data[offset + row * rowStride + column * columnStride] ?? Number.NaN;
  return Array.from({ length: a.rows * b.columns }, (_, i) => {
    let sum = 0;
    for (let k = 0; k < a.columns; k += 1) {
      sum = fround(sum + fround(at(a, Math.floor(i / b.columns), k) * at(b, k, i % b.columns)));
    }
    return sum;
  });
}

/** The product at offset 3 of an array, whose other elements must stay. */
function product(a: Matrix, b: Matrix): number[] {
  const size = a.rows * b.columns;
  const out = new Float32Array(size + 5).fill(-99);
  multiplyWasm(a, b, out, 3);
  expect([...out.subarray(0, 3), ...out.subarray(size + 3)]).toEqual([-99, -99, -99, -99, -99]);
  return [...out.subarray(3, size + 3)];
}

/** A matrix, the transpose of one, or a part of a wider one. */
function matrix(kind: "rows" | "columns" | "part", rows: number, columns: number, seed: number): Matrix {
  if (kind === "columns") return transposed(rowMajor(random(rows * columns, seed), columns, rows));
  const width = kind === "part" ? columns + 3 : columns;
  return { ...rowMajor(random(rows * width + 2, seed), rows, columns, 2), rowStride: width };
}

describe("products in WebAssembly", () => {
  test("are the sums of plain loops, for every way in which the operands are stored", () => {
    const size = fc.integer({ min: 1, max: 21 });
    const kind = fc.constantFrom("rows", "columns", "part");
    fc.assert(
      fc.property(size, size, size, kind, kind, (rows, inner, columns, first, second) => {
        const [a, b] = [matrix(first, rows, inner, 1), matrix(second, inner, columns, 5)];
        expect(product(a, b)).toEqual(expected(a, b));
      }),
      { numRuns: 300 },
    );
  });

  test.each([
    [257, 3, 9],
    [5, 517, 4],
    [3, 2, 1027],
    [258, 259, 515],
  ])("go beyond one block: %i × %i × %i", (rows, inner, columns) => {
    const [a, b] = [matrix("rows", rows, inner, 3), matrix("columns", inner, columns, 4)];
    expect(product(a, b)).toEqual(expected(a, b));
  });

  test("keep NaN and infinity to their own rows and columns", () => {
    const a = rowMajor(random(5 * 6, 2), 5, 6);
    const b = rowMajor(random(6 * 9, 3), 6, 9);
    a.data[7] = Number.NaN;
    b.data[8] = Number.POSITIVE_INFINITY;
    expect(product(a, b)).toEqual(expected(a, b));
  });

  test("are chosen where they are faster, and never where WebAssembly does not work", async () => {
    expect(wasmMultiplies(32, 32, 32)).toBe(true);
    expect([wasmMultiplies(1, 1000, 1000), wasmMultiplies(1000, 1000, 1), wasmMultiplies(2, 2, 2)]).toEqual([
      false,
      false,
      false,
    ]);
    const folder = join(repositoryRoot, "build", "out", "worker-runtime", "engines", "portable", "kernels");
    const built = pathToFileURL(join(folder, "linalg", "multiply-wasm.js")).href;
    const worker = new Worker(
      `delete globalThis.WebAssembly;
      import(${JSON.stringify(built)}).then(({ wasmMultiplies }) =>
        require("node:worker_threads").parentPort.postMessage(wasmMultiplies(32, 32, 32)));`,
      { eval: true },
    );
    const [answer] = await once(worker, "message");
    await worker.terminate();
    expect(answer).toBe(false);
  });
});
