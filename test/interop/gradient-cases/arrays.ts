/** Ops that arrange elements. */
import { custom, type GradientCase, op } from "./case.js";

export const ARRAYS: readonly GradientCase[] = [
  op("Identity", [[2]]),
  op("EnsureShape", [[2, 3]], { shape: [-1, 3] }),
  op("CheckNumerics", [[2]], { message: "bad" }),
  custom("IdentityN", [[2], [3]], (graph, xs) => graph.op("IdentityN", [xs]).outputs),
  op("Print", [[2]], {}, [[]], {}),
  op("Reshape", [[2, 3]], {}, [[3, 2]]),
  op("ExpandDims", [[2, 3]], {}, [1]),
  op("Squeeze", [[2, 1, 3]]),
  op("Transpose", [[2, 3, 4]], {}, [[2, 0, 1]]),
  op("ReverseV2", [[2, 3]], {}, [[1]]),
  op("ReverseSequence", [[2, 3]], { seq_dim: 1 }, [[2, 3]]),
  op("Roll", [[2, 3]], {}, [[1], [1]]),
  op("SpaceToDepth", [[1, 4, 4, 2]], { block_size: 2 }),
  op("DepthToSpace", [[1, 2, 2, 8]], { block_size: 2 }),
  op("SpaceToBatchND", [[1, 4, 4, 1]], {}, [
    [2, 2],
    [
      [0, 0],
      [0, 0],
    ],
  ]),
  op("BatchToSpaceND", [[4, 2, 2, 1]], {}, [
    [2, 2],
    [
      [0, 0],
      [0, 0],
    ],
  ]),
  op("Diag", [[3]]),
  op("DiagPart", [[3, 3]]),
  op("MatrixDiag", [[2, 3]]),
  op("MatrixBandPart", [[2, 3, 3]], {}, [1, 0]),
  custom(
    "ConcatV2",
    [
      [2, 3],
      [2, 1],
    ],
    (graph, [x, y]) => graph.op("ConcatV2", [[x ?? 0, y ?? 0, x ?? 0], -1]).output,
  ),
  custom(
    "Concat",
    [
      [2, 3],
      [1, 3],
    ],
    (graph, [x, y]) => graph.op("Concat", [0, [x ?? 0, y ?? 0]]).output,
  ),
  custom(
    "ConcatV2 of sizes known only in a run",
    [
      [2, 3],
      [2, 1],
    ],
    (graph, [x, y]) => {
      const any = graph.op("PlaceholderWithDefault", [x ?? 0], { shape: [2, -1] }).output;
      return graph.op("ConcatV2", [[any, y ?? 0], 1]).output;
    },
  ),
  custom("Split, of which one part is used", [[4, 3]], (graph, [x]) => {
    const [first, second] = graph.op("Split", [0, x ?? 0], { num_split: 2 }).outputs;
    return second ?? first ?? [];
  }),
  custom(
    "SplitV",
    [[5, 3]],
    (graph, [x]) => graph.op("SplitV", [x ?? 0, [2, 3], 0], { num_split: 2 }).outputs,
  ),
  custom(
    "Pack",
    [
      [2, 3],
      [2, 3],
    ],
    (graph, xs) => graph.op("Pack", [xs], { axis: 1 }).output,
  ),
  custom("Unpack", [[2, 3]], (graph, [x]) =>
    graph.op("Unpack", [x ?? 0], { axis: 1, num: 3 }).outputs.slice(1),
  ),
  op("Slice", [[3, 4]], {}, [
    [1, 0],
    [2, 3],
  ]),
  op("StridedSlice", [[4, 5]], { shrink_axis_mask: 1 }, [
    [1, 4],
    [2, 0],
    [1, -2],
  ]),
  op("StridedSlice", [[4, 5]], { begin_mask: 1, new_axis_mask: 2, ellipsis_mask: 4 }, [
    [0, 0, 0],
    [3, 0, 0],
    [2, 1, 1],
  ]),
  op("Pad", [[2, 3]], {}, [
    [
      [1, 0],
      [0, 2],
    ],
  ]),
  op("PadV2", [[2, 3]], {}, [
    [
      [1, 0],
      [0, 2],
    ],
    5,
  ]),
  ...["REFLECT", "SYMMETRIC"].map((mode) =>
    op("MirrorPad", [[3, 3]], { mode }, [
      [
        [1, 1],
        [0, 2],
      ],
    ]),
  ),
  op("Tile", [[2, 3]], {}, [[2, 3]]),
  op("BroadcastTo", [[1, 3]], {}, [[2, 4, 3]]),
  custom("Fill", [[]], (graph, [x]) => graph.op("Fill", [[2, 3], x ?? 0]).output),
  op("TopKV2", [[3, 5]], {}, [2]),
  custom("DynamicPartition", [[4, 2]], (graph, [x]) =>
    graph.op("DynamicPartition", [x ?? 0, [1, 0, 1, 0]], { num_partitions: 2 }).outputs.slice(0, 1),
  ),
  ...(["DynamicStitch", "ParallelDynamicStitch"] as const).map((type) =>
    custom(
      type,
      [
        [2, 2],
        [2, 2],
      ],
      (graph, xs) =>
        graph.op(type, [
          [
            [0, 2],
            [1, 3],
          ],
          xs,
        ]).output,
    ),
  ),
];
