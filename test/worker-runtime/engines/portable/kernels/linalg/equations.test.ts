import { describe, expect, test } from "vitest";
import type { DType } from "../../../../../../worker-runtime/protocol/dtype.js";
import { Tensor } from "../../../../../../worker-runtime/protocol/tensor.js";
import { peerMissing } from "../../../../../support/peers.js";
import { compareWithTensorflow, type OpCase } from "../against-tensorflow.js";

/** A tensor of values that look random, the same in each run, with a strong diagonal so that nothing is near singular. */
function matrices(dtype: DType, ...shape: number[]): Tensor {
  const size = shape.reduce((product, dim) => product * dim, 1);
  const [rows = 1, columns = 1] = shape.slice(-2);
  const values = Array.from({ length: size }, (_, i) => {
    const row = Math.floor(i / columns) % rows;
    return Math.sin((i + 1) * 12.9898) + (row === i % columns ? 3 : 0);
  });
  return Tensor.of(values, dtype, shape);
}

const tolerance = { ulps: 64, absolute: 1e-5 };
const floats = (...shape: number[]) => matrices("float32", ...shape);

describe.skipIf(peerMissing("tensorflow"))("equations against TensorFlow", () => {
  test("inverses and determinants: batches, adjoints, empty and singular matrices", async () => {
    const cases: OpCase[] = [];
    for (const dtype of ["float32", "float64"] as const) {
      for (const shape of [
        [1, 1],
        [5, 5],
        [2, 3, 4, 4],
        [0, 0],
        [0, 3, 3],
        [3, 0, 0],
      ]) {
        const input = matrices(dtype, ...shape);
        for (const op of ["MatrixInverse", "MatrixDeterminant", "LogMatrixDeterminant"]) {
          cases.push({ op, inputs: [input], ...tolerance });
        }
        cases.push({ op: "MatrixInverse", inputs: [input], attrs: { adjoint: true }, ...tolerance });
      }
    }
    const singular = Tensor.of([0, 1, 0, 2], "float32", [2, 2]);
    const swapped = Tensor.of([0, 1, 0, 1, 0, 0, 0, 0, 2], "float32", [3, 3]);
    for (const input of [singular, swapped, floats(2, 3), floats(3)]) {
      for (const op of ["MatrixInverse", "MatrixDeterminant", "LogMatrixDeterminant"]) {
        cases.push({ op, inputs: [input], ...tolerance });
      }
    }
    expect(await compareWithTensorflow(cases)).toEqual([]);
  });

  test("solving: whole and triangular matrices, adjoints, broadcasting, what does not fit", async () => {
    const cases: OpCase[] = [];
    for (const dtype of ["float32", "float64"] as const) {
      for (const adjoint of [false, true]) {
        const [a, b] = [matrices(dtype, 2, 4, 4), matrices(dtype, 2, 4, 3)];
        cases.push({ op: "MatrixSolve", inputs: [a, b], attrs: { adjoint }, ...tolerance });
        for (const lower of [false, true]) {
          cases.push({
            op: "MatrixTriangularSolve",
            inputs: [a, b],
            attrs: { lower, adjoint },
            ...tolerance,
          });
        }
      }
    }
    const zero = Tensor.of([0, 1, 0, 2], "float32", [2, 2]);
    for (const op of ["MatrixSolve", "MatrixTriangularSolve"]) {
      cases.push(
        { op, inputs: [zero, floats(2, 1)] },
        { op, inputs: [floats(3, 3), floats(2, 1)] },
        { op, inputs: [floats(2, 3), floats(2, 1)] },
        { op, inputs: [floats(3, 3), floats(3)] },
        { op, inputs: [floats(3), floats(3, 3)] },
        { op, inputs: [floats(0, 0), floats(0, 2)] },
        { op, inputs: [floats(3, 3), floats(3, 0)] },
      );
    }
    cases.push({ op: "MatrixSolve", inputs: [floats(2, 3, 3), floats(3, 3, 1)] });
    cases.push({
      op: "MatrixTriangularSolve",
      inputs: [floats(3, 1, 4, 4), floats(2, 4, 2)],
      ...tolerance,
    });
    expect(await compareWithTensorflow(cases)).toEqual([]);
  });

  test("Cholesky: batches, the lower triangle alone, matrices that are not positive definite", async () => {
    const positive = (dtype: DType) => Tensor.of([4, 99, 2, 3, 9, -99, 1, 6], dtype, [2, 2, 2]);
    const cases: OpCase[] = [];
    for (const dtype of ["float32", "float64"] as const) {
      cases.push({ op: "Cholesky", inputs: [positive(dtype)], ...tolerance });
      // A single element, since TensorFlow leaves what lies above the diagonal as it was in memory.
      cases.push({ op: "Cholesky", inputs: [Tensor.of([-1], dtype, [1, 1])] });
      cases.push({ op: "Cholesky", inputs: [matrices(dtype, 0, 0)] });
    }
    cases.push({ op: "Cholesky", inputs: [floats(2, 3)] }, { op: "Cholesky", inputs: [floats(3)] });
    expect(await compareWithTensorflow(cases)).toEqual([]);
  });
});
