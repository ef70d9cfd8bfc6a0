import { describe, expect, test } from "vitest";
import {
  factorizeHouseholder,
  orthogonalFactor,
  triangularFactor,
} from "../../../../../../worker-runtime/engines/portable/kernels/linalg/householder.js";
import { singularValues } from "../../../../../../worker-runtime/engines/portable/kernels/linalg/singular-values.js";
import { symmetricEigen } from "../../../../../../worker-runtime/engines/portable/kernels/linalg/symmetric-eigen.js";

/** Numbers that look random, the same in each run. */
const matrix = (rows: number, columns: number) =>
  Float64Array.from({ length: rows * columns }, (_, i) => Math.sin((i + 1) * 12.9898) * 3);

function product(a: Float64Array, b: Float64Array, rows: number, inner: number, columns: number) {
  return Float64Array.from({ length: rows * columns }, (_, at) => {
    const [i, j] = [Math.floor(at / columns), at % columns];
    let sum = 0;
    for (let k = 0; k < inner; k += 1) {
      sum += (a[i * inner + k] ?? 0) * (b[k * columns + j] ?? 0);
    }
    return sum;
  });
}

const transposed = (a: Float64Array, rows: number, columns: number) =>
  Float64Array.from({ length: a.length }, (_, at) => a[(at % rows) * columns + Math.floor(at / rows)] ?? 0);

/** vectors · diag(values) · othersᵀ */
function composed(
  vectors: Float64Array,
  values: Float64Array,
  others: Float64Array,
  rows: number,
  columns: number,
) {
  const count = values.length;
  const scaled = vectors.map((value, at) => value * (values[at % count] ?? 0));
  return product(scaled, transposed(others, columns, count), rows, count, columns);
}

function expectSame(a: ArrayLike<number>, b: ArrayLike<number>, what: string): void {
  const difference = Array.from(a).reduce(
    (most, x, i) => Math.max(most, Math.abs(x - (b[i] ?? Number.NaN))),
    0,
  );
  expect(difference, what).toBeLessThan(1e-12 * Math.max(1, a.length));
}

const identity = (size: number) =>
  Float64Array.from({ length: size * size }, (_, i) => (i % (size + 1) === 0 ? 1 : 0));

const sizes = [
  [1, 1],
  [3, 2],
  [2, 3],
  [7, 7],
  [30, 12],
  [12, 30],
  [40, 40],
] as const;

describe("factors of matrices multiply to the matrix", () => {
  test("Q and R", () => {
    for (const [rows, columns] of sizes) {
      const a = matrix(rows, columns);
      const factors = factorizeHouseholder(a, rows, columns);
      const q = orthogonalFactor(factors, rows);
      expectSame(a, product(q, triangularFactor(factors, rows), rows, rows, columns), `${rows}x${columns}`);
      expectSame(identity(rows), product(transposed(q, rows, rows), q, rows, rows, rows), "QᵀQ");
    }
  });

  test("singular values and vectors, also of a matrix of lower rank", () => {
    for (const [rows, columns] of sizes) {
      const flat = product(matrix(rows, 1), matrix(1, columns), rows, 1, columns);
      for (const a of [matrix(rows, columns), flat, new Float64Array(rows * columns)]) {
        const { values, u, v } = singularValues(a, rows, columns);
        expectSame(a, composed(u, values, v, rows, columns), `${rows}x${columns}`);
        const count = values.length;
        expectSame(identity(count), product(transposed(u, rows, count), u, count, rows, count), "UᵀU");
        expectSame(identity(count), product(transposed(v, columns, count), v, count, columns, count), "VᵀV");
        expect([...values]).toEqual([...values].sort((x, y) => y - x));
      }
    }
  });

  test("eigenvalues and eigenvectors of symmetric matrices", () => {
    for (const size of [1, 2, 5, 40]) {
      const half = matrix(size, size);
      const a = half.map((value, at) => value + (half[(at % size) * size + Math.floor(at / size)] ?? 0));
      for (const one of [a, identity(size), new Float64Array(size * size)]) {
        const found = symmetricEigen(one, size);
        expect(found).toBeDefined();
        if (found !== undefined) {
          expectSame(one, composed(found.vectors, found.values, found.vectors, size, size), `${size}`);
          expect([...found.values]).toEqual([...found.values].sort((x, y) => x - y));
        }
      }
    }
  });

  test("what is no number has no eigenvalues, and singular values that are none", () => {
    const broken = Float64Array.of(1, Number.NaN, 2, 3);
    expect(symmetricEigen(broken, 2)).toBeUndefined();
    expect([...singularValues(broken, 2, 2).values]).toEqual([Number.NaN, Number.NaN]);
  });
});
