/** Matrices as a whole: factors, inverses, diagonals, and sums by a formula. */
import fc from "fast-check";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import { floats, integers, scalar, tensor } from "../arbitraries.js";
import { type Attrs, attr, type Tolerance } from "../op-case.js";
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
    edges: ({ T = "float32" }) => [
      { inputs: [integers(T, [1, 2, 3]), integers(T, [1, 2, 3], [1, 3])] },
      { inputs: [integers(T, [1, 2, 3, 4]), integers(T, [1, 2, 3, 4])] },
      { inputs: [integers(T, [1, 2, 3], [1, 3]), integers(T, [1, 2, 3, 4, 5, 6], [2, 3])] },
    ],
    tolerance: { ulps: 4, scale: 256 },
  },
  ...["V2", "V3"].flatMap((version): OpSpec[] => [
    {
      op: `MatrixDiag${version}`,
      types: { T: ["float32", "int32"] },
      draw: ({ T = "float32" }) =>
        fc.tuple(tensor(T, [2, 3]), alignment(version)).map(([diagonals, attrs]) => ({
          inputs: [
            diagonals,
            integers("int32", [0, 1]),
            scalar("int32", 3),
            scalar("int32", 4),
            scalar(T, 9),
          ],
          attrs,
        })),
      edges: ({ T = "float32" }) => {
        const vectors = integers(T, [1, 2, 3, 4, 5, 6], [2, 3]);
        const square = [scalar("int32", -1), scalar("int32", -1), scalar(T, 0)];
        return [
          { inputs: [vectors, scalar("int32", 0), ...square] },
          { inputs: [vectors, scalar("int32", -2), ...square] },
          { inputs: [integers(T, [], [2, 0]), scalar("int32", 0), ...square] },
          {
            inputs: [
              vectors,
              integers("int32", [0, 1]),
              scalar("int32", 2),
              scalar("int32", -1),
              scalar(T, 7),
            ],
          },
          { inputs: [vectors, scalar("int32", 0), scalar("int32", 5), scalar("int32", 7), scalar(T, 0)] },
        ];
      },
    },
    {
      op: `MatrixDiagPart${version}`,
      types: { T: ["float32", "int32"] },
      draw: ({ T = "float32" }) =>
        fc
          .tuple(
            tensor(T, [2, 3, 4]),
            fc.constantFrom([-1, 1], [-2, 3], [1, 3], [-2, -1]),
            alignment(version),
          )
          .map(([input, k, attrs]) => ({ inputs: [input, integers("int32", k), scalar(T, 9)], attrs })),
      edges: ({ T = "float32" }) => {
        const matrix = integers(T, [1, 2, 3, 4, 5, 6], [3, 2]);
        return [0, -1, 1, 3].map((k) => ({ inputs: [matrix, scalar("int32", k), scalar(T, 0)] }));
      },
    },
    {
      op: `MatrixSetDiag${version}`,
      types: { T: ["float32", "int32"] },
      draw: ({ T = "float32" }) =>
        fc
          .tuple(tensor(T, [2, 3, 4]), fc.constantFrom([-1, 1], [0, 1], [-1, 0]), alignment(version))
          .chain(([input, k, attrs]) =>
            tensor(T, [2, (k[1] ?? 0) - (k[0] ?? 0) + 1, 3]).map((diagonals) => ({
              inputs: [input, diagonals, integers("int32", k)],
              attrs,
            })),
          ),
      edges: ({ T = "float32" }) => {
        const matrix = integers(T, [1, 2, 3, 4, 5, 6], [3, 2]);
        return [
          { inputs: [matrix, integers(T, [8, 9]), integers("int32", [0], [])] },
          { inputs: [matrix, integers(T, [8]), integers("int32", [-2], [])] },
          { inputs: [matrix, integers(T, [8, 9, 7]), integers("int32", [0], [])] },
        ];
      },
    },
  ]),
];

/** How shorter diagonals are packed, which V3 ops have an attribute for. */
function alignment(version: string): fc.Arbitrary<Attrs> {
  return version === "V2"
    ? fc.constant({})
    : fc
        .constantFrom("LEFT_RIGHT", "RIGHT_LEFT", "LEFT_LEFT", "RIGHT_RIGHT")
        .map((align) => ({ align: attr.text(align) }));
}
