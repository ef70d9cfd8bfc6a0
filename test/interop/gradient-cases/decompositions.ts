/** Decompositions of matrices, and systems of equations. */
import type { Graph, Output } from "../../../worker-runtime/graph/graph.js";
import { constant } from "../../../worker-runtime/graph/ops/index.js";
import { custom, flags, type GradientCase, op, type Rest } from "./case.js";

/** Different enough numbers that singular values and eigenvalues of matrices near it are apart. */
const apart = [
  [4, 0.5, -1, 0.3],
  [1, -7, 0.25, 0.5],
  [0.5, 1, 11, -0.75],
  [0.2, -0.4, 0.6, 16],
];

const near: Rest = { range: [-0.5, 0.5] };

function matrix(rows: number, columns: number): number[][] {
  return Array.from({ length: rows }, (_, row) =>
    Array.from({ length: columns }, (_column, column) => apart[row]?.[column] ?? 0),
  );
}

/** A decomposition of a matrix of which all outputs are used, in ways that do not depend on the signs of vectors. */
function decomposition(
  name: string,
  [rows, columns]: readonly [number, number],
  attrs: Readonly<Record<string, boolean>>,
): GradientCase {
  return custom(
    `${name} ${rows} by ${columns} ${JSON.stringify(attrs)}`,
    [[2, rows, columns]],
    (graph, [x]) => {
      const { outputs } = graph.op(name, [graph.op("AddV2", [x ?? 0, matrix(rows, columns)])], attrs);
      return outputs
        .filter((output) => output.shape?.[0] !== 0)
        .map((output) => graph.op(output.shape?.length === 2 ? "Identity" : "Square", [output]).output);
    },
    near,
  );
}

function leastSquares(rows: number, columns: number): GradientCase {
  return custom(
    `MatrixSolveLs ${rows} by ${columns}`,
    [
      [2, rows, columns],
      [2, rows, 2],
    ],
    (graph, [x, y]) => {
      const regularizer = constant(graph, 0.5, { dtype: "float64" });
      const a = graph.op("AddV2", [x ?? 0, matrix(rows, columns)]);
      return graph.op("MatrixSolveLs", [a, y ?? 0, regularizer], { fast: true }).output;
    },
    near,
  );
}

/** Far from 0, as the diagonal has to be. */
const far = (graph: Graph, x: Output | undefined) => graph.op("AddV2", [x ?? 0, 4]).output;

export const DECOMPOSITIONS: readonly GradientCase[] = [
  ...flags.map((compute_v) => decomposition("SelfAdjointEigV2", [3, 3], { compute_v })),
  ...(
    [
      [3, 3],
      [4, 3],
      [2, 4],
    ] as const
  ).flatMap((size) => [
    decomposition("Svd", size, { compute_uv: true, full_matrices: false }),
    decomposition("Svd", size, { compute_uv: false, full_matrices: false }),
  ]),
  decomposition("Svd", [3, 4], { compute_uv: true, full_matrices: true }),
  ...(
    [
      [3, 3],
      [4, 3],
      [2, 4],
    ] as const
  ).map((size) => decomposition("Qr", size, { full_matrices: false })),
  decomposition("Qr", [2, 4], { full_matrices: true }),
  leastSquares(4, 3),
  leastSquares(2, 4),
  ...flags.flatMap((adjoint) =>
    flags.map((lower) =>
      custom(
        `BandedTriangularSolve ${adjoint} ${lower}`,
        [
          [2, 4],
          [2, 4, 3],
        ],
        (graph, [x, y]) =>
          graph.op("BandedTriangularSolve", [far(graph, x), y ?? 0], { adjoint, lower }).output,
      ),
    ),
  ),
  op("TridiagonalMatMul", [
    [2, 1, 4],
    [2, 1, 4],
    [2, 1, 4],
    [2, 4, 3],
  ]),
  custom(
    "TridiagonalSolve",
    [
      [2, 3, 4],
      [2, 4, 2],
    ],
    (graph, [x, y]) => {
      const diagonals = graph.op("AddV2", [x ?? 0, [[0], [4], [0]]]);
      return graph.op("TridiagonalSolve", [diagonals, y ?? 0], {}).output;
    },
    near,
  ),
];
