/** One operation each, or a few, with what is fed to it: their gradients are compared with TensorFlow's. */
import type { AttrInput } from "../../worker-runtime/graph/attr-values.js";
import type { Graph, OpInput, Output } from "../../worker-runtime/graph/graph.js";
import type { DType } from "../../worker-runtime/protocol/dtype.js";

export interface GradientCase {
  readonly name: string;
  /** The shapes of what gradients are taken with respect to. */
  readonly shapes: readonly (readonly number[])[];
  /** The range of the random numbers fed; from -2 to 2 unless given. */
  readonly range?: readonly [number, number];
  readonly dtype?: DType;
  /** No comparison by numbers: the function is not smooth where it is fed, or its gradient is not its derivative. */
  readonly notSmooth?: boolean;
  build(graph: Graph, xs: readonly Output[]): Output | readonly Output[];
}

type Attrs = Readonly<Record<string, AttrInput>>;
type Rest = Partial<Pick<GradientCase, "range" | "dtype" | "notSmooth">>;

/** One op with the fed tensors as its first inputs and others behind them. */
function op(
  type: string,
  shapes: GradientCase["shapes"],
  attrs: Attrs = {},
  more: readonly OpInput[] = [],
  rest: Rest = {},
): GradientCase {
  const shown = [JSON.stringify(shapes), ...(Object.keys(attrs).length > 0 ? [JSON.stringify(attrs)] : [])];
  return {
    name: [type, ...shown, ...(more.length > 0 ? [JSON.stringify(more)] : [])].join(" "),
    shapes,
    ...rest,
    build: (graph, xs) => graph.op(type, [...xs, ...more], attrs).output,
  };
}

function custom(
  name: string,
  shapes: GradientCase["shapes"],
  build: GradientCase["build"],
  rest: Rest = {},
): GradientCase {
  return { name, shapes, build, ...rest };
}

const each = (types: string, rest: Rest = {}) =>
  types.split(" ").map((type) => op(type, [[2, 3]], {}, [], rest));

const UNARY: readonly GradientCase[] = [
  ...each("Neg Square Exp Expm1 Sin Cos Sinh Cosh Tanh Atan Asinh Sigmoid Erf Erfc Softplus Softsign"),
  ...each("Abs Relu Relu6 LeakyRelu Elu Selu", { range: [0.2, 3] }),
  ...each("Abs Relu Relu6 LeakyRelu Elu Selu", { range: [-3, -0.2] }).map((one) => ({
    ...one,
    name: `${one.name} below zero`,
  })),
  ...each("Sqrt Rsqrt Reciprocal Inv Log Log1p Lgamma", { range: [0.5, 3] }),
  ...each("Tan Asin Acos Atanh Erfinv", { range: [-0.8, 0.8] }),
  ...each("Acosh", { range: [1.2, 3] }),
  op("Cast", [[2, 3]], { DstT: "float32" }, [], { notSmooth: true }),
];

const BROADCASTS: readonly (readonly [readonly number[], readonly number[]])[] = [
  [
    [2, 3],
    [2, 3],
  ],
  [[2, 3], [3]],
  [
    [2, 1],
    [1, 3],
  ],
  [[], [2, 2]],
];

const BINARY: readonly GradientCase[] = [
  ...["Add", "AddV2", "Sub", "Mul", "Maximum", "Minimum", "SquaredDifference", "MulNoNan"].flatMap((type) =>
    BROADCASTS.map((shapes) => op(type, shapes)),
  ),
  ...["Div", "RealDiv", "DivNoNan", "Pow", "Atan2", "Xlogy", "Xdivy", "Xlog1py", "FloorMod"].flatMap((type) =>
    BROADCASTS.map((shapes) => op(type, shapes, {}, [], { range: [0.4, 2], notSmooth: type === "FloorMod" })),
  ),
  custom("a batch of unknown size", [[4, 3], [3]], (graph, [x, b]) => {
    const any = graph.op("PlaceholderWithDefault", [x ?? 0], { shape: [-1, 3] }).output;
    return graph.op("Mul", [graph.op("AddV2", [any, b ?? 0]), any]).output;
  }),
  custom(
    "shapes known only in a run",
    [
      [4, 1],
      [1, 3],
    ],
    (graph, [x, b]) => {
      const any = graph.op("PlaceholderWithDefault", [x ?? 0], { shape: "unknown rank" }).output;
      return graph.op("Mul", [any, b ?? 0]).output;
    },
  ),
  custom(
    "AddN",
    [
      [2, 3],
      [2, 3],
    ],
    (graph, [x, y]) => graph.op("AddN", [[x ?? 0, y ?? 0, x ?? 0]]).output,
  ),
  custom(
    "Select",
    [
      [2, 3],
      [2, 3],
    ],
    (graph, [x, y]) => graph.op("Select", [graph.op("Greater", [x ?? 0, y ?? 0]), x ?? 0, y ?? 0]).output,
  ),
  custom(
    "SelectV2",
    [[2, 3], [3], [2, 1]],
    (graph, [x, y, z]) => graph.op("SelectV2", [graph.op("Greater", [z ?? 0, 0]), x ?? 0, y ?? 0]).output,
  ),
  op("ClipByValue", [[3, 4]], {}, [-1, 1]),
  custom(
    "ClipByValue with bounds",
    [[3, 4], [], []],
    (graph, [x, low, high]) =>
      graph.op("ClipByValue", [x ?? 0, graph.op("Sub", [low ?? 0, 2]), graph.op("AddV2", [high ?? 0, 2])])
        .output,
  ),
];

const REDUCED: readonly Attrs[] = [{ keep_dims: false }, { keep_dims: true }];

const REDUCTIONS: readonly GradientCase[] = [
  ...["Sum", "Mean", "Max", "Min", "Prod", "EuclideanNorm"].flatMap((type) =>
    REDUCED.flatMap((attrs) => [
      op(type, [[2, 3, 4]], attrs, [[1]]),
      op(type, [[2, 3, 4]], attrs, [[0, -1]]),
      op(type, [[3]], attrs, [0]),
    ]),
  ),
  ...["Sum", "Mean", "Max"].map((type) =>
    custom(`${type} of a shape known only in a run`, [[2, 3]], (graph, [x]) => {
      const any = graph.op("PlaceholderWithDefault", [x ?? 0], { shape: "unknown rank" }).output;
      return graph.op(type, [any, [-1]]).output;
    }),
  ),
  op("L2Loss", [[2, 3]]),
  ...[false, true].flatMap((exclusive) =>
    [false, true].flatMap((reverse) => [
      op("Cumsum", [[2, 3]], { exclusive, reverse }, [1]),
      op("Cumprod", [[2, 3]], { exclusive, reverse }, [1], { range: [0.3, 2] }),
    ]),
  ),
];

const flags = [false, true] as const;

const MATRICES: readonly GradientCase[] = [
  ...flags.flatMap((transpose_a) =>
    flags.map((transpose_b) =>
      op("MatMul", [transpose_a ? [3, 2] : [2, 3], transpose_b ? [4, 3] : [3, 4]], {
        transpose_a,
        transpose_b,
      }),
    ),
  ),
  ...flags.flatMap((adj_x) =>
    flags.map((adj_y) =>
      op("BatchMatMulV2", [adj_x ? [2, 3, 2] : [2, 2, 3], adj_y ? [1, 4, 3] : [1, 3, 4]], { adj_x, adj_y }),
    ),
  ),
  op("BatchMatMul", [
    [2, 2, 3],
    [2, 3, 2],
  ]),
  op("BatchMatMulV2", [
    [2, 3],
    [2, 3, 2],
  ]),
  ...(
    [
      ["ij,jk->ik", [2, 3], [3, 4]],
      ["abc,cd->abd", [2, 3, 4], [4, 2]],
      ["bqhd,bkhd->bhqk", [2, 3, 2, 4], [2, 5, 2, 4]],
      ["...x,xy->...y", [2, 3, 4], [4, 2]],
      ["ijk,k->i", [2, 3, 4], [4]],
    ] as const
  ).map(([equation, a, b]) =>
    custom(
      `Einsum ${equation}`,
      [a, b],
      (graph, [x, y]) => graph.op("Einsum", [[x ?? 0, y ?? 0]], { equation }).output,
    ),
  ),
];

const ARRAYS: readonly GradientCase[] = [
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
  custom(
    "DynamicStitch",
    [
      [2, 2],
      [2, 2],
    ],
    (graph, xs) =>
      graph.op("DynamicStitch", [
        [
          [0, 2],
          [1, 3],
        ],
        xs,
      ]).output,
  ),
];

const GATHERS: readonly GradientCase[] = [
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
];

const float32: Rest = { dtype: "float32" };
const conv = { strides: [1, 2, 2, 1], padding: "SAME" } as const;
const pool = { ksize: [1, 2, 2, 1], strides: [1, 2, 2, 1], padding: "VALID" } as const;

/** Convolutions whose first and second derivatives are both compared. */
const otherConvolutions = [
  op(
    "DepthwiseConv2dNative",
    [
      [1, 5, 5, 2],
      [3, 3, 2, 2],
    ],
    { strides: [1, 2, 2, 1], padding: "SAME" },
  ),
  op(
    "Conv3D",
    [
      [1, 3, 4, 4, 2],
      [2, 2, 2, 2, 3],
    ],
    { strides: [1, 1, 1, 1, 1], padding: "SAME" },
  ),
];

const NETWORKS: readonly GradientCase[] = [
  op("Softmax", [[2, 3]]),
  op("LogSoftmax", [[2, 3]]),
  op("BiasAdd", [[2, 3, 4], [4]]),
  op("BiasAdd", [[2, 3, 4, 2], [3]], { data_format: "NCHW" }, [], float32),
  custom(
    "SoftmaxCrossEntropyWithLogits",
    [
      [2, 3],
      [2, 3],
    ],
    (graph, [x, y]) =>
      graph.op("SoftmaxCrossEntropyWithLogits", [x ?? 0, graph.op("Softmax", [y ?? 0])]).outputAt(0),
  ),
  op("SparseSoftmaxCrossEntropyWithLogits", [[2, 3]], { Tlabels: "int32" }, [[2, 0]]),
  op(
    "Conv2D",
    [
      [1, 5, 6, 2],
      [3, 3, 2, 4],
    ],
    conv,
  ),
  op(
    "Conv2D",
    [
      [1, 5, 6, 2],
      [3, 3, 2, 4],
    ],
    { strides: [1, 1, 1, 1], padding: "VALID", dilations: [1, 2, 2, 1] },
    [],
    float32,
  ),
  ...otherConvolutions,
  op("MaxPool", [[1, 4, 6, 2]], pool),
  op("MaxPool", [[1, 5, 5, 2]], { ...pool, ksize: [1, 3, 3, 1], padding: "SAME" }),
  op("AvgPool", [[1, 5, 5, 2]], { ...pool, ksize: [1, 3, 3, 1], padding: "SAME" }),
  ...["MaxPool3D", "AvgPool3D"].map((type) =>
    op(
      type,
      [[1, 4, 4, 4, 2]],
      { ksize: [1, 2, 2, 2, 1], strides: [1, 2, 2, 2, 1], padding: "VALID" },
      [],
      float32,
    ),
  ),
  op("LRN", [[1, 2, 2, 7]], { depth_radius: 2 }, [], float32),
  ...flags.flatMap((is_training) =>
    ["FusedBatchNormV3", "FusedBatchNormV2", "FusedBatchNorm"].map((type) =>
      op(
        type,
        [[3, 2, 2, 4], [4], [4]],
        { is_training },
        is_training
          ? [[], []]
          : [
              [0.1, 0.2, 0.3, 0.4],
              [1, 2, 1.5, 0.5],
            ],
        float32,
      ),
    ),
  ),
  op("ResizeBilinear", [[1, 3, 3, 2]], { half_pixel_centers: true }, [[5, 4]], float32),
  op("ResizeNearestNeighbor", [[1, 3, 3, 2]], {}, [[5, 4]]),
];

/** The square of an op's result, of which the second derivative is not zero. */
function squared(one: GradientCase): GradientCase {
  return {
    ...one,
    name: `${one.name} squared`,
    build: (graph, xs) => graph.op("Square", [one.build(graph, xs) as Output]).output,
  };
}

/** Two derivatives, one of the other. */
const SECOND: readonly GradientCase[] = [
  ...each("Sigmoid Tanh Sqrt Rsqrt Reciprocal Softplus Softmax Exp Log", { range: [0.5, 1.5] }),
  ...each("Relu Relu6 LeakyRelu Square").map(squared),
  op("MatMul", [
    [2, 3],
    [3, 4],
  ]),
  op(
    "Conv2D",
    [
      [1, 5, 6, 2],
      [3, 3, 2, 4],
    ],
    conv,
  ),
  ...otherConvolutions,
  squared(op("StridedSlice", [[4, 5]], {}, [[1], [3], [1]])),
  squared(
    op("MirrorPad", [[3, 3]], { mode: "REFLECT" }, [
      [
        [1, 1],
        [0, 2],
      ],
    ]),
  ),
  custom("SoftmaxCrossEntropyWithLogits", [[2, 3]], (graph, [x]) =>
    graph
      .op("SoftmaxCrossEntropyWithLogits", [
        x ?? 0,
        [
          [0.2, 0.3, 0.5],
          [1, 0, 0],
        ],
      ])
      .outputAt(0),
  ),
  op("SparseSoftmaxCrossEntropyWithLogits", [[2, 3]], { Tlabels: "int32" }, [[2, 0]]),
].map((one) => ({ ...one, name: `${one.name} twice` }));

const BEHAVIOUR: readonly GradientCase[] = [
  custom("a tensor used several times", [[2, 3]], (graph, [x]) => {
    const square = graph.op("Square", [x ?? 0]);
    return graph.op("AddV2", [graph.op("Mul", [square, x ?? 0]), square]).output;
  }),
  custom(
    "StopGradient",
    [[2, 3]],
    (graph, [x]) => graph.op("Mul", [graph.op("StopGradient", [x ?? 0]), x ?? 0]).output,
    { notSmooth: true },
  ),
  custom("one side of Switch and Merge", [[], [2]], (graph, [x, y]) => {
    const predicate = graph.op("Greater", [x ?? 0, 0]);
    const taken = graph.op("Switch", [y ?? 0, predicate]);
    const merged = graph.op("Merge", [
      [graph.op("Square", [taken.outputAt(0)]), graph.op("Exp", [taken.outputAt(1)])],
    ]);
    return graph.op("Mul", [merged.outputAt(0), x ?? 0]).output;
  }),
  custom("a branch that leaves its input unused", [[], [2]], (graph, [x, y]) => {
    const predicate = graph.op("Less", [x ?? 0, 100]);
    const taken = graph.op("Switch", [y ?? 0, predicate]);
    const other = graph.op("Switch", [x ?? 0, predicate]);
    const wide = graph.op("BroadcastTo", [other.outputAt(1), [2]]);
    const merged = graph.op("Merge", [[graph.op("Exp", [taken.outputAt(0)]), wide]]);
    return merged.outputAt(0);
  }),
];

export const CASES: readonly GradientCase[] = [
  ...UNARY,
  ...BINARY,
  ...REDUCTIONS,
  ...MATRICES,
  ...ARRAYS,
  ...GATHERS,
  ...NETWORKS,
  ...BEHAVIOUR,
];
export const TWICE: readonly GradientCase[] = SECOND;
