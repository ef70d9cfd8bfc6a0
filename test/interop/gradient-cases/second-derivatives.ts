/** Derivatives of derivatives. */
import type { Output } from "../../../worker-runtime/graph/graph.js";
import { custom, each, float32, type GradientCase, op } from "./case.js";
import { conv, otherConvolutions } from "./networks.js";

/** The square of an op's result, of which the second derivative is not zero. */
function squared(one: GradientCase): GradientCase {
  return {
    ...one,
    name: `${one.name} squared`,
    build: (graph, xs) => graph.op("Square", [one.build(graph, xs) as Output]).output,
  };
}

/** Two derivatives, one of the other. */
export const SECOND: readonly GradientCase[] = [
  ...each("Sigmoid Tanh Sqrt Rsqrt Reciprocal Softplus Softmax Exp Log", { range: [0.5, 1.5] }),
  ...each("Relu Relu6 LeakyRelu Square Elu Selu").map(squared),
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
  ...[
    op("AvgPool", [[1, 4, 6, 2]], { ksize: [1, 2, 2, 1], strides: [1, 2, 2, 1], padding: "VALID" }),
    custom("BiasAdd", [[3]], (graph, [x]) => {
      const rows = graph.op("BroadcastTo", [x ?? 0, [2, 4, 3]]);
      return graph.op("Exp", [graph.op("BiasAdd", [rows, x ?? 0])]).output;
    }),
    op("BiasAddV1", [[2, 3], [3]]),
  ].map(squared),
  ...["MaxPool3D", "AvgPool3D"].map((type) =>
    squared(
      op(
        type,
        [[1, 4, 4, 4, 2]],
        { ksize: [1, 2, 2, 2, 1], strides: [1, 2, 2, 2, 1], padding: "VALID" },
        [],
        float32,
      ),
    ),
  ),
  op("Inv", [[2, 3]], {}, [], { range: [0.5, 1.5] }),
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
