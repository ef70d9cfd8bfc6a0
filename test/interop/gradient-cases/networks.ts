/** Ops of neural networks. */
import { constant } from "../../../worker-runtime/graph/ops/index.js";
import { Tensor } from "../../../worker-runtime/protocol/tensor.js";
import { custom, flags, float32, type GradientCase, op } from "./case.js";

export const conv = { strides: [1, 2, 2, 1], padding: "SAME" } as const;
const pool = { ksize: [1, 2, 2, 1], strides: [1, 2, 2, 1], padding: "VALID" } as const;

/** Convolutions whose first and second derivatives are both compared. */
export const otherConvolutions = [
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

export const NETWORKS: readonly GradientCase[] = [
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
    op(type, [[1, 4, 4, 4, 2]], { ksize: [1, 2, 2, 2, 1], strides: [1, 2, 2, 2, 1], padding: "VALID" }, [], {
      ...float32,
      notSmooth: type === "MaxPool3D",
    }),
  ),
  ...["SAME", "VALID"].map((padding) =>
    custom(
      `MaxPoolWithArgmax ${padding}`,
      [[2, 5, 5, 2]],
      (graph, [x]) =>
        graph.op("MaxPoolWithArgmax", [x ?? 0], { ...pool, ksize: [1, 3, 3, 1], padding }).outputAt(0),
      // A change may make another pixel the largest.
      { ...float32, notSmooth: true },
    ),
  ),
  custom(
    "CTCLoss",
    [[5, 2, 4]],
    (graph, [x]) => {
      const labels = constant(
        graph,
        Tensor.of(
          [
            [0, 0],
            [0, 1],
            [1, 0],
          ],
          "int64",
        ),
      );
      return graph.op("CTCLoss", [x ?? 0, labels, [0, 2, 1], [5, 4]]).outputAt(0);
    },
    float32,
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
