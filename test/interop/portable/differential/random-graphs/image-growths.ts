/** Chains of convolutions, pools and normalizations, and their images. */
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import { integers } from "../arbitraries.js";
import type { DraftValue, GraphDraft } from "./graph-draft.js";
import { type Growth, rankOf, shapesOf, sizeAt } from "./growths.js";

/** Channels of which some fill a block of a vector register's size, and some do not. */
const CHANNELS = [1, 3, 8, 16, 16, 24, 32];

/** @param value of four dimensions whose last three are known */
const isImages = (value: DraftValue): boolean =>
  value.output.dtype === "float32" &&
  rankOf(value) === 4 &&
  [1, 2, 3].every((axis) => (sizeAt(value, axis) ?? 0) > 0);

function imagesOf(draft: GraphDraft): DraftValue | undefined {
  return draft.some(isImages);
}

const windowOf = (draft: GraphDraft) => {
  const { draw } = draft;
  const stride = 1 + draw.below(2);
  return { padding: draw.oneOf(["SAME", "VALID"]), strides: [1, stride, stride, 1] };
};

/** A convolution, and often what follows it in a network. */
const convolution: Growth = (draft) => {
  const { draw } = draft;
  const x = imagesOf(draft);
  if (!x) return;
  const [taken = 1, out] = [sizeAt(x, 3), draw.oneOf(CHANNELS)];
  // For an empty batch, TensorFlow leaves the gradient of a depthwise filter as its memory was.
  const isDepthwise = draw.isOneIn(5) && shapesOf(x).every(([batch]) => batch !== 0);
  const size = draw.oneOf([1, 2, 3, 3]);
  const shape = isDepthwise ? [size, size, taken, 1 + draw.below(2)] : [size, size, taken, out];
  const filter = draft.variable(draw.tensor("float32", shape, "fractions"), "fractions");
  const op = isDepthwise ? "DepthwiseConv2dNative" : "Conv2D";
  let [y] = draft.grow((graph) => graph.op(op, [x.output, filter.output], windowOf(draft)));
  const channels = y && sizeAt(y, 3);
  if (y && channels !== undefined && !draw.isOneIn(3)) {
    const before = y;
    const bias = draft.variable(draw.tensor("float32", [channels], "fractions"), "fractions");
    [y] = draft.grow((graph) => graph.op("BiasAdd", [before.output, bias.output]));
  }
  if (y && !draw.isOneIn(3)) {
    const before = y;
    const activation = draw.oneOf(["Relu", "Relu", "Relu6", "Tanh"]);
    [y] = draft.grow((graph) => graph.op(activation, [before.output]));
  }
  if (y && draw.isOneIn(2)) addPool(draft, y);
};

function addPool(draft: GraphDraft, x: DraftValue): void {
  const { draw } = draft;
  const size = 2 + draw.below(2);
  const attrs = { ...windowOf(draft), ksize: [1, size, size, 1] };
  draft.grow((graph) => graph.op(draw.oneOf(["MaxPool", "MaxPool", "AvgPool"]), [x.output], attrs));
}

const pool: Growth = (draft) => {
  const x = imagesOf(draft);
  if (x) addPool(draft, x);
};

const normalization: Growth = (draft) => {
  const { draw } = draft;
  const x = imagesOf(draft);
  const channels = x && sizeAt(x, 3);
  if (!x || channels === undefined) return;
  const isTraining = draw.isOneIn(2);
  const ofChannels = () =>
    draft.variable(draw.tensor("float32", [channels], "fractions"), "fractions").output;
  const [scale, offset] = [ofChannels(), ofChannels()];
  const statistics = isTraining
    ? [Tensor.of([], "float32", [0]), Tensor.of([], "float32", [0])]
    : [Tensor.of(0.25, "float32", [channels]), Tensor.of(1.5, "float32", [channels])];
  const attrs = { is_training: isTraining, epsilon: 0.01 };
  draft.grow((graph) =>
    graph.op("FusedBatchNormV3", [x.output, scale, offset, ...statistics], attrs).outputs.slice(0, 3),
  );
};

/** From images to vectors, as before the last layer of a network. */
const flattened: Growth = (draft) => {
  const x = imagesOf(draft);
  if (!x) return;
  const size = [1, 2, 3].reduce((product, axis) => product * (sizeAt(x, axis) ?? 0), 1);
  draft.grow((graph) =>
    draft.draw.isOneIn(2)
      ? graph.op("Reshape", [x.output, integers("int32", [-1, size])])
      : graph.op("Mean", [x.output, integers("int32", [1, 2])]),
  );
};

export const imageGrowths: readonly Growth[] = [
  convolution,
  convolution,
  convolution,
  pool,
  normalization,
  flattened,
];
