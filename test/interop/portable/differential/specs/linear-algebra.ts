/** Matrices as a whole: factors, inverses, diagonals, and sums by a formula. */
import fc from "fast-check";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import { floats, integers, scalar, tensor } from "../arbitraries.js";
import { attr, type Tolerance } from "../op-case.js";
import { type OpSpec, specsOf } from "../op-spec.js";

const solved: Tolerance = { ulps: 16, scale: "largest" };

/** Far from singular: a strong diagonal. */
const regular = [4, 1, 0.5, 1, 5, -1, 0.5, -1, 6];
/** Its diagonal is doubled for the second matrix of a batch. */
const batch = [...regular, ...regular.map((value, i) => (i % 4 === 0 ? value * 2 : value))];

export const linearAlgebraSpecs: readonly OpSpec[] = [
  ...specsOf(["Cholesky", "MatrixInverse", "MatrixDeterminant", "LogMatrixDeterminant"], {
    types: { T: floats },
    draw: ({ T = "float32" }) => fc.constant({ inputs: [Tensor.of(batch, T, [2, 3, 3])] }),
    edges: ({ T = "float32" }) => [{ inputs: [Tensor.of(1, T, [2, 3])] }],
    tolerance: solved,
  }),
  ...specsOf(["MatrixSolve", "MatrixTriangularSolve"], {
    types: { T: floats },
    draw: ({ T = "float32" }) =>
      tensor(T, [2, 3, 2], "unit").map((right) => ({ inputs: [Tensor.of(batch, T, [2, 3, 3]), right] })),
    tolerance: solved,
  }),
  {
    op: "Einsum",
    types: { T: floats },
    draw: ({ T = "float32" }) =>
      fc.constantFrom("ij,jk->ik", "ij,jk->ki", "ij,jk->", "ij,jk->ijk").chain((equation) =>
        fc.tuple(tensor(T, [2, 3], "unit"), tensor(T, [3, 4], "unit")).map((inputs) => ({
          inputs,
          attrs: { N: attr.int(2), equation: attr.text(equation) },
        })),
      ),
    tolerance: { ulps: 16, scale: 8 },
  },
  {
    op: "Cross",
    types: { T: ["float32", "float64", "int32"] },
    draw: ({ T = "float32" }) => fc.tuple(tensor(T, [2, 3]), tensor(T, [2, 3])).map((inputs) => ({ inputs })),
    tolerance: { ulps: 4, scale: 256 },
  },
  ...specsOf(["MatrixDiagV2", "MatrixDiagV3"], {
    types: { T: ["float32", "int32"] },
    draw: ({ T = "float32" }) =>
      tensor(T, [2, 3]).map((diagonals) => ({
        inputs: [diagonals, integers("int32", [0, 1]), scalar("int32", 3), scalar("int32", 4), scalar(T, 9)],
      })),
  }),
  ...specsOf(["MatrixDiagPartV2", "MatrixDiagPartV3"], {
    types: { T: ["float32", "int32"] },
    draw: ({ T = "float32" }) =>
      tensor(T, [2, 3, 4]).map((input) => ({ inputs: [input, integers("int32", [-1, 1]), scalar(T, 9)] })),
  }),
  ...specsOf(["MatrixSetDiagV2", "MatrixSetDiagV3"], {
    types: { T: ["float32", "int32"] },
    draw: ({ T = "float32" }) =>
      fc.tuple(tensor(T, [3, 4]), tensor(T, [3])).map(([input, diagonal]) => ({
        inputs: [input, diagonal, integers("int32", [0], [])],
      })),
  }),
];
