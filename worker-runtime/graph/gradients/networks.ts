/** Gradients of the ops of neural networks: activations, losses, convolutions, pools, normalization. */
import type { AttrInput } from "../attr-values.js";
import type { Output } from "../operation.js";
import type { GradientRule, GradientRules, OpGradient } from "./gradient.js";

/** An activation's gradient by an op of TensorFlow's that takes the gradient and the output. */
function withOutput(type: string): GradientRule {
  return ({ call, g, y }) => [call(type, [g, y])];
}

/** The same with the input. */
function withInput(type: string, ...attrs: readonly string[]): GradientRule {
  return (at) => [at.call(type, [at.g, at.x], at.attrs(...attrs))];
}

/** The gradient of such an op with respect to the gradient that it took: the same op once more. */
function again(type: string, ...attrs: readonly string[]): GradientRule {
  return (at) => [at.call(type, [at.g, at.input(1)], at.attrs(...attrs)), undefined];
}

/** The gradient of activations that are exponential where their output is negative. */
function exponential(type: string): GradientRule {
  return (at) => {
    const { call, g } = at;
    const [dy, y] = [at.input(0), at.input(1)];
    const zero = call("ZerosLike", [y]);
    const curved = call("SelectV2", [call("Less", [y, zero]), call("Mul", [g, dy]), zero]);
    return [call(type, [g, y]), curved];
  };
}

function sumOfClasses(at: OpGradient, x: Output): Output {
  return at.call("Sum", [x, at.ints(-1)], { keep_dims: true });
}

const ACTIVATIONS: GradientRules = {
  Relu: withOutput("ReluGrad"),
  ReluGrad: again("ReluGrad"),
  Relu6: withOutput("Relu6Grad"),
  Relu6Grad: again("Relu6Grad"),
  LeakyRelu: withInput("LeakyReluGrad", "alpha"),
  LeakyReluGrad: again("LeakyReluGrad", "alpha"),
  Elu: withOutput("EluGrad"),
  EluGrad: exponential("EluGrad"),
  Selu: withOutput("SeluGrad"),
  SeluGrad: exponential("SeluGrad"),
  Softplus: withInput("SoftplusGrad"),
  SoftplusGrad: (at) => {
    const { call, g } = at;
    const [dy, x] = [at.input(0), at.input(1)];
    const spread = call("AddV2", [call("AddV2", [call("Exp", [call("Neg", [x])]), 2]), call("Exp", [x])]);
    return [call("SoftplusGrad", [g, x]), call("RealDiv", [call("Mul", [g, dy]), spread])];
  },
  Softsign: withInput("SoftsignGrad"),
  Softmax: (at) => {
    const { call, g, y } = at;
    return [call("Mul", [call("Sub", [g, sumOfClasses(at, call("Mul", [g, y]))]), y])];
  },
  LogSoftmax: (at) => {
    const { call, g, y } = at;
    return [call("Sub", [g, call("Mul", [sumOfClasses(at, g), call("Exp", [y])])])];
  },
};

/** The second output of a cross entropy is itself a gradient; this is what its own gradient adds to that of the logits. */
function secondOrder(at: OpGradient, first: Output): Output {
  const { call } = at;
  if (!at.gradients[1]) return first;
  const gg = at.gradient(1);
  const probabilities = call("Softmax", [at.x]);
  const mean = sumOfClasses(at, call("Mul", [gg, probabilities]));
  return call("AddV2", [first, call("Mul", [call("Sub", [gg, mean]), probabilities])]);
}

const crossEntropy: GradientRule = (at) => {
  const { call } = at;
  const perExample = call("ExpandDims", [at.g, -1]);
  const logits = () => secondOrder(at, call("Mul", [perExample, at.op.outputAt(1)]));
  const labels = () => call("Mul", [perExample, call("Neg", [call("LogSoftmax", [at.x])])]);
  return [at.wants(0) ? logits() : undefined, at.wants(1) ? labels() : undefined];
};

const sparseCrossEntropy: GradientRule = (at) => {
  const { call } = at;
  const first = call("Mul", [call("ExpandDims", [at.g, -1]), at.op.outputAt(1)]);
  return [secondOrder(at, first), undefined];
};

interface Convolution {
  readonly forward: string;
  readonly backpropInput: string;
  readonly backpropFilter: string;
  readonly attrs: readonly string[];
}

/** Gradients of a convolution, and of both of its gradients. */
function convolution({ forward, backpropInput, backpropFilter, attrs }: Convolution): GradientRules {
  const options = (at: OpGradient): Record<string, AttrInput> => at.attrs(...attrs);
  const toInput = (at: OpGradient, x: Output, filter: Output, g: Output) =>
    at.call(backpropInput, [at.shapeOf(x), filter, g], options(at));
  const toFilter = (at: OpGradient, x: Output, filter: Output, g: Output) =>
    at.call(backpropFilter, [x, at.shapeOf(filter), g], options(at));
  return {
    [forward]: (at) => {
      const filter = at.input(1);
      return [
        at.wants(0) ? toInput(at, at.x, filter, at.g) : undefined,
        at.wants(1) ? toFilter(at, at.x, filter, at.g) : undefined,
      ];
    },
    [backpropInput]: (at) => {
      const [filter, dy] = [at.input(1), at.input(2)];
      return [undefined, toFilter(at, at.g, filter, dy), at.call(forward, [at.g, filter], options(at))];
    },
    [backpropFilter]: (at) => {
      const [x, dy] = [at.input(0), at.input(2)];
      return [toInput(at, x, at.g, dy), undefined, at.call(forward, [x, at.g], options(at))];
    },
  };
}

const CONV_ATTRS = ["strides", "padding", "explicit_paddings", "data_format", "dilations"];
const POOL_ATTRS = ["ksize", "strides", "padding", "explicit_paddings", "data_format"];

function maxPool(type: string): GradientRule {
  return (at) => [at.call(type, [at.x, at.y, at.g], at.attrs(...POOL_ATTRS))];
}

/** Which pixel is the maximum does not change with the gradient that is passed to it. */
function secondMaxPool(type: string): GradientRule {
  return (at) => [
    undefined,
    undefined,
    at.call(type, [at.input(0), at.input(1), at.g], at.attrs(...POOL_ATTRS)),
  ];
}

function averagePool(type: string): GradientRule {
  return (at) => [at.call(type, [at.shapeOf(at.x), at.g], at.attrs(...POOL_ATTRS))];
}

/** The statistics of the batch in training, otherwise the given ones. */
function batchNorm(type: string, reserved: number): GradientRule {
  return (at) => {
    const { op } = at;
    const training = at.flag("is_training");
    const [scale, mean, variance] = [at.input(1), at.input(3), at.input(4)];
    const first = training ? op.outputAt(3) : mean;
    const second = training ? op.outputAt(4) : variance;
    const third = reserved > 2 ? [op.outputAt(5)] : [];
    const attrs = at.attrs("epsilon", "data_format", "is_training");
    const made = at.graph.op(type, [at.g, at.x, scale, first, second, ...third], attrs);
    return [made.outputAt(0), made.outputAt(1), made.outputAt(2), undefined, undefined];
  };
}

export const NETWORKS: GradientRules = {
  ...ACTIVATIONS,
  ...convolution({
    ...{ forward: "Conv2D", backpropInput: "Conv2DBackpropInput", backpropFilter: "Conv2DBackpropFilter" },
    attrs: CONV_ATTRS,
  }),
  ...convolution({
    forward: "DepthwiseConv2dNative",
    backpropInput: "DepthwiseConv2dNativeBackpropInput",
    backpropFilter: "DepthwiseConv2dNativeBackpropFilter",
    attrs: CONV_ATTRS,
  }),
  ...convolution({
    ...{
      forward: "Conv3D",
      backpropInput: "Conv3DBackpropInputV2",
      backpropFilter: "Conv3DBackpropFilterV2",
    },
    attrs: ["strides", "padding", "data_format", "dilations"],
  }),
  SoftmaxCrossEntropyWithLogits: crossEntropy,
  SparseSoftmaxCrossEntropyWithLogits: sparseCrossEntropy,
  BiasAdd: (at) => [at.g, at.call("BiasAddGrad", [at.g], at.attrs("data_format"))],
  MaxPool: maxPool("MaxPoolGrad"),
  MaxPool3D: maxPool("MaxPool3DGrad"),
  AvgPool: averagePool("AvgPoolGrad"),
  AvgPool3D: averagePool("AvgPool3DGrad"),
  LRN: (at) => {
    const attrs = at.attrs("depth_radius", "bias", "alpha", "beta");
    return [at.call("LRNGrad", [at.g, at.x, at.y], attrs)];
  },
  FusedBatchNorm: batchNorm("FusedBatchNormGrad", 2),
  FusedBatchNormV2: batchNorm("FusedBatchNormGradV2", 2),
  FusedBatchNormV3: batchNorm("FusedBatchNormGradV3", 3),
  BiasAddGrad: (at) => {
    const { call, g, x } = at;
    const channelsFirst = at.text("data_format") === "NCHW";
    const added = channelsFirst ? at.rankOf(0) - 2 : 0;
    const column = call("Reshape", [g, at.ints([-1, ...Array.from({ length: added }, () => 1)])]);
    return [call("BroadcastTo", [column, at.shapeOf(x)])];
  },
  BiasAddV1: (at) => [at.g, at.call("BiasAddGrad", [at.g])],
  // TensorFlow's loss has its own gradient as its second output, of which there is none.
  CTCLoss: (at) => {
    const own = at.call("PreventGradient", [at.op.outputAt(1)], {
      message: "CTCLoss has no second derivative.",
    });
    const perExample = at.call("ExpandDims", [at.call("ExpandDims", [at.g, 0]), 2]);
    return [at.call("Mul", [perExample, own]), undefined, undefined, undefined];
  },
  MaxPoolWithArgmax: (at) => {
    const attrs = at.attrs("ksize", "strides", "padding", "include_batch_in_index");
    return [at.call("MaxPoolGradWithArgmax", [at.x, at.g, at.op.outputAt(1)], attrs)];
  },
  MaxPool3DGrad: secondMaxPool("MaxPool3DGradGrad"),
  MaxPool3DGradGrad: secondMaxPool("MaxPool3DGrad"),
  AvgPool3DGrad: (at) => [undefined, at.call("AvgPool3D", [at.g], at.attrs(...POOL_ATTRS))],
  AvgPoolGrad: (at) => [undefined, at.call("AvgPool", [at.g], at.attrs(...POOL_ATTRS))],
};
