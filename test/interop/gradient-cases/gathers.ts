/** Ops that take rows, put them, and combine them. */
import { custom, type GradientCase, op, zerosOf } from "./case.js";

export const GATHERS: readonly GradientCase[] = [
  op("Gather", [[4, 2]], {}, [[1, 3, 1]]),
  op("GatherV2", [[4, 2]], {}, [[1, 3, 1], 0]),
  op("GatherV2", [[2, 4, 3]], {}, [
    [
      [1, 3],
      [1, 0],
    ],
    1,
  ]),
  op("GatherV2", [[2, 4, 3]], {}, [[2, 0], -1]),
  op("GatherV2", [[2, 4, 3]], { batch_dims: 1 }, [
    [
      [1, 3],
      [1, 0],
    ],
    1,
  ]),
  op("GatherNd", [[3, 4]], {}, [
    [
      [1, 2],
      [0, 0],
      [1, 2],
    ],
  ]),
  custom(
    "ScatterNd",
    [[3, 2]],
    (graph, [x]) => graph.op("ScatterNd", [[[1], [3], [1]], x ?? 0, [5, 2]]).output,
  ),
  ...["TensorScatterAdd", "TensorScatterSub", "TensorScatterUpdate"].map((type) =>
    custom(
      type,
      [
        [4, 2],
        [2, 2],
      ],
      (graph, [x, u]) => graph.op(type, [x ?? 0, [[3], [0]], u ?? 0]).output,
    ),
  ),
  ...["TensorScatterMax", "TensorScatterMin"].flatMap((type) => [
    custom(
      type,
      [
        [4, 2],
        [3, 2],
      ],
      (graph, [x, u]) => graph.op(type, [x ?? 0, [[3], [0], [3]], u ?? 0]).output,
    ),
    custom(
      `${type} of equal elements`,
      [[4]],
      (graph, [x]) => graph.op(type, [zerosOf(graph, x), [[3], [0]], [0, 0]]).output,
      { notSmooth: true },
    ),
  ]),
  ...["SegmentSum", "SegmentMean", "SegmentMax", "SegmentMin"].map((type) =>
    op(type, [[4, 2]], {}, [[0, 0, 1, 2]]),
  ),
  ...["UnsortedSegmentSum", "UnsortedSegmentMax", "UnsortedSegmentMin"].map((type) =>
    op(type, [[5, 2]], {}, [[2, 0, -1, 0, 1], 3]),
  ),
  ...["SparseSegmentSum", "SparseSegmentMean", "SparseSegmentSqrtN"].map((type) =>
    op(type, [[4, 2]], {}, [
      [1, 3, 1],
      [0, 0, 1],
    ]),
  ),
  op("SegmentProd", [[4, 2]], {}, [[0, 0, 1, 2]]),
  op("UnsortedSegmentProd", [[5, 2]], {}, [[2, 0, -1, 0, 2], 3]),
  ...(["Sum", "Mean", "SqrtN"] as const).map((kind) =>
    op(`SparseSegment${kind}WithNumSegments`, [[4, 2]], {}, [[0, 2, 3], [0, 0, 2], 4]),
  ),
  custom("UnsortedSegmentProd with zeros", [[5, 2]], (graph, [x]) => {
    const some = graph.op("Relu", [x ?? 0]);
    return graph.op("UnsortedSegmentProd", [some, [0, 0, 0, 1, 1], 2]).output;
  }),
];
