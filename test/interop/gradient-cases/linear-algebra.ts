/** Ops of linear algebra. */
import { custom, flags, type GradientCase, op } from "./case.js";

/** A matrix that has an inverse: its diagonal is larger than the rest. */
const regular = [
  [4, 0.5, -1],
  [1, -5, 0.25],
  [0.5, 1, 6],
];

const plusRegular = (name: string, attrs: Readonly<Record<string, boolean>> = {}): GradientCase =>
  custom(
    `${name} ${JSON.stringify(attrs)}`,
    [[2, 3, 3]],
    (graph, [x]) => graph.op(name, [graph.op("AddV2", [x ?? 0, regular])], attrs).output,
  );

export const LINEAR_ALGEBRA: readonly GradientCase[] = [
  ...flags.map((adjoint) => plusRegular("MatrixInverse", { adjoint })),
  plusRegular("MatrixDeterminant"),
  custom("LogMatrixDeterminant", [[2, 3, 3]], (graph, [x]) =>
    graph.op("LogMatrixDeterminant", [graph.op("AddV2", [x ?? 0, regular])]).outputAt(1),
  ),
  custom("Cholesky", [[2, 3, 3]], (graph, [x]) => {
    const square = graph.op("BatchMatMulV2", [x ?? 0, x ?? 0], { adj_y: true });
    const unit = [
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
    ];
    return graph.op("Cholesky", [graph.op("AddV2", [square, unit])]).output;
  }),
  ...flags.map((adjoint) =>
    custom(
      `MatrixSolve ${adjoint}`,
      [
        [2, 3, 3],
        [2, 3, 2],
      ],
      (graph, [x, y]) =>
        graph.op("MatrixSolve", [graph.op("AddV2", [x ?? 0, regular]), y ?? 0], { adjoint }).output,
    ),
  ),
  ...flags.flatMap((adjoint) =>
    flags.map((lower) =>
      custom(
        `MatrixTriangularSolve ${adjoint} ${lower}`,
        [
          [3, 3],
          [2, 3, 2],
        ],
        (graph, [x, y]) =>
          graph.op("MatrixTriangularSolve", [graph.op("AddV2", [x ?? 0, regular]), y ?? 0], {
            adjoint,
            lower,
          }).output,
      ),
    ),
  ),
  op("MatrixDiagPart", [[2, 3, 4]]),
  op("MatrixSetDiag", [
    [2, 3, 4],
    [2, 3],
  ]),
  ...(["V2", "V3"] as const).flatMap((version) => [
    op(`MatrixDiag${version}`, [[2, 2, 3]], {}, [[-1, 0], 3, 3, 0]),
    // With several diagonals, TensorFlow's gradient of the second version aligns them as the third one does.
    op(`MatrixDiagPart${version}`, [[2, 3, 3]], {}, [version === "V2" ? 1 : [0, 1], 0]),
    op(
      `MatrixSetDiag${version}`,
      [
        [2, 3, 3],
        [2, 2, 3],
      ],
      {},
      [[-1, 0]],
    ),
  ]),
  op("Cross", [
    [2, 3],
    [2, 3],
  ]),
  op("ConjugateTranspose", [[2, 3, 4]], {}, [[2, 0, 1]]),
  op(
    "BatchMatMulV3",
    [
      [2, 2, 3],
      [1, 3, 4],
    ],
    { Tout: "float64" },
  ),
];
