import type { DType } from "../../../protocol/dtype.js";
import { Tensor } from "../../../protocol/tensor.js";
import type { KernelTypes } from "../kernels/kernel.js";
import type { KernelNode } from "../kernels/kernel-node.js";
import { type Normalization, normalizationOf } from "../kernels/nn/batch-norm.js";
import { float, int } from "../onnx/attributes.js";
import type { ModelBuilder, OnnxValue } from "../onnx/model-builder.js";
import { channelSums } from "./channel-sums.js";
import { scalar } from "./constants.js";
import { accepts } from "./fits.js";
import { alongAxis, fromChannelsFirst, toChannelsFirst } from "./layout.js";
import type { Lowering, LoweringContext } from "./lowering.js";

const T = "float32" satisfies DType;
const empty = new Tensor(T, [0], new Float32Array(0));
const unused = new Tensor(T, [], new Float32Array(1));

interface ChannelStatistics {
  readonly scale: OnnxValue;
  readonly offset: OnnxValue;
  readonly mean: OnnxValue;
  readonly variance: OnnxValue;
  readonly epsilon: number;
}

/** A normalization as a factor and an offset per channel. */
export function channelFactors(
  model: ModelBuilder,
  { scale, offset, mean, variance, epsilon }: ChannelStatistics,
): { readonly factors: OnnxValue; readonly offsets: OnnxValue } {
  const factors = model.node("Div", [scale, deviation(model, variance, epsilon)], T);
  const shift = model.node("Mul", [mean, factors], T);
  return { factors, offsets: model.node("Sub", [offset, shift], T) };
}

function deviation(model: ModelBuilder, variance: OnnxValue, epsilon: number): OnnxValue {
  const sum = model.node("Add", [variance, scalar(model, T, epsilon)], T);
  return model.node("Sqrt", [sum], T);
}

/** Images and their sums over all dimensions except the channels. */
class ChannelSums {
  readonly #model: ModelBuilder;
  readonly #axis: number;
  readonly #rank: number;
  /** The number of pixels of a channel as a float, at least 1. */
  readonly count: OnnxValue;

  constructor(
    model: ModelBuilder,
    images: OnnxValue,
    vector: OnnxValue,
    rank: number,
    channelsFirst: boolean,
  ) {
    this.#model = model;
    this.#rank = rank;
    this.#axis = channelsFirst ? 1 : rank - 1;
    const [elements, channels] = [images, vector].map((value) => model.node("Size", [value], "int64"));
    const one = scalar(model, "int64", 1);
    const most = model.node("Max", [channels, one], "int64");
    const pixels = model.node("Max", [model.node("Div", [elements, most], "int64"), one], "int64");
    this.count = model.node("Cast", [pixels], T, { attributes: { to: int(1) } });
  }

  /** A vector with one element per channel. */
  sum(value: OnnxValue): OnnxValue {
    return channelSums(this.#model, value, this.#rank, this.#axis);
  }

  mean(value: OnnxValue): OnnxValue {
    return this.#model.node("Div", [this.sum(value), this.count], T);
  }

  /** A vector in a shape that broadcasts against the images. */
  vector(value: OnnxValue): OnnxValue {
    return alongAxis(this.#model, value, this.#rank, this.#axis);
  }

  /** Adds a vector to every pixel of the images, or subtracts or multiplies by it. */
  apply(op: "Add" | "Sub" | "Mul", images: OnnxValue, value: OnnxValue): OnnxValue {
    return this.#model.node(op, [images, this.vector(value)], T);
  }
}

/** The op's outputs of mean and variance: NaN for an empty batch. */
function unlessEmpty(
  model: ModelBuilder,
  images: OnnxValue,
  statistics: readonly OnnxValue[],
): readonly OnnxValue[] {
  const size = model.node("Size", [images], "int64");
  const isEmpty = model.node("Equal", [size, scalar(model, "int64", 0)], "bool");
  const nothing = scalar(model, T, Number.NaN);
  return statistics.map((value) => model.node("Where", [isEmpty, nothing, value], T));
}

/** Normalizes with the given mean and variance. */
function infer(
  { channelsFirst, epsilon }: Normalization,
  [x, scale, offset, mean, variance]: readonly OnnxValue[],
  { model, rank }: LoweringContext,
): readonly OnnxValue[] | undefined {
  if (x === undefined || mean === undefined || variance === undefined) {
    return undefined;
  }
  const images = toChannelsFirst(model, x, rank(x), channelsFirst);
  const y = model.node("BatchNormalization", [images, scale, offset, mean, variance], T, {
    attributes: { epsilon: float(epsilon) },
    rank: 4,
  });
  return [
    fromChannelsFirst(model, y, rank(x), channelsFirst),
    ...unlessEmpty(model, x, [mean, variance]),
    mean,
    variance,
  ];
}

/** Normalizes with the mean and variance of the batch. The running variance is an unbiased estimate. */
function train(
  { channelsFirst, epsilon, averageFactor }: Normalization,
  [x, scale, offset, oldMean, oldVariance]: readonly OnnxValue[],
  { model, rank }: LoweringContext,
): readonly OnnxValue[] | undefined {
  if (
    x === undefined ||
    scale === undefined ||
    offset === undefined ||
    oldMean === undefined ||
    oldVariance === undefined
  ) {
    return undefined;
  }
  const sums = new ChannelSums(model, x, scale, rank(x), channelsFirst);
  const mean = sums.mean(x);
  const rest = sums.apply("Sub", x, mean);
  const variance = sums.mean(model.node("Mul", [rest, rest], T));
  const factors = model.node("Div", [scale, deviation(model, variance, epsilon)], T);
  const y = sums.apply("Add", sums.apply("Mul", rest, factors), offset);

  const fewer = model.node("Sub", [sums.count, scalar(model, T, 1)], T);
  const atLeast1 = model.node("Max", [fewer, scalar(model, T, 1)], T);
  const correction = model.node("Div", [sums.count, atLeast1], T);
  const unbiased = model.node("Mul", [variance, correction], T);
  const running = (old: OnnxValue, value: OnnxValue) => {
    if (averageFactor === 1) {
      return value;
    }
    const kept = model.node("Mul", [old, scalar(model, T, 1 - averageFactor)], T);
    const added = model.node("Mul", [value, scalar(model, T, averageFactor)], T);
    return model.node("Add", [kept, added], T);
  };
  const averages = [running(oldMean, mean), running(oldVariance, unbiased)];
  return [y, ...unlessEmpty(model, x, averages), mean, variance];
}

/** The gradients of x, scale and offset. In training, the mean and variance also depend on x. */
function gradients(
  { channelsFirst, training, epsilon }: Normalization,
  [dy, x, scale, mean, variance]: readonly OnnxValue[],
  { model, rank }: LoweringContext,
): readonly OnnxValue[] | undefined {
  if (dy === undefined || x === undefined || scale === undefined || mean === undefined) {
    return undefined;
  }
  if (variance === undefined || rank(dy) !== rank(x)) {
    return undefined;
  }
  const node = (op: string, ...inputs: OnnxValue[]) => model.node(op, inputs, T);
  const sums = new ChannelSums(model, x, scale, rank(x), channelsFirst);
  const rest = sums.apply("Sub", x, mean);
  const inverse = node("Reciprocal", deviation(model, variance, epsilon));
  const dOffset = sums.sum(dy);
  const dScale = node("Mul", sums.sum(node("Mul", dy, rest)), inverse);
  const factors = node("Mul", scale, inverse);
  if (!training) {
    return [sums.apply("Mul", dy, factors), dScale, dOffset];
  }
  // dx = factor * (dy - (dOffset + rest * inverse * dScale) / count), computed per channel as far as possible.
  const slope = node("Div", node("Mul", inverse, dScale), sums.count);
  const share = sums.apply("Add", sums.apply("Mul", rest, slope), node("Div", dOffset, sums.count));
  return [sums.apply("Mul", node("Sub", dy, share), factors), dScale, dOffset];
}

/** The first version of an op has no separate type for the values per channel. */
function typesOf(op: string): KernelTypes {
  return op.endsWith("V2") || op.endsWith("V3") ? { T: [T], U: [T] } : { T: [T] };
}

/** @param count the number of inputs that are images; the others are vectors. */
function hasRanks(count: number, inputs: readonly OnnxValue[], { rank }: LoweringContext): boolean {
  return inputs.every((input, i) => rank(input) === (i < count ? 4 : 1));
}

function normalize(node: KernelNode, inputs: readonly OnnxValue[], context: LoweringContext) {
  if (!hasRanks(1, inputs.slice(0, 5), context)) {
    return undefined;
  }
  const normalization = normalizationOf(node);
  return normalization.training
    ? train(normalization, inputs, context)
    : infer(normalization, inputs, context);
}

function forward(op: string, reserved: readonly Tensor[]): Lowering {
  return {
    op,
    types: typesOf(op),
    fits: accepts(normalizationOf),
    lower: (node, inputs, context) => {
      const outputs = normalize(node, inputs, context);
      return outputs && [...outputs, ...reserved.map((tensor) => context.model.constant(tensor))];
    },
  };
}

function backward(op: string): Lowering {
  return {
    op,
    types: typesOf(op),
    fits: accepts(normalizationOf),
    lower: (node, inputs, context) => {
      const used = inputs.slice(0, 5);
      const outputs = hasRanks(2, used, context)
        ? gradients(normalizationOf(node), used, context)
        : undefined;
      return outputs && [...outputs, context.model.constant(unused), context.model.constant(unused)];
    },
  };
}

export const batchNormLowerings: readonly Lowering[] = [
  forward("FusedBatchNorm", []),
  forward("FusedBatchNormV2", []),
  forward("FusedBatchNormV3", [empty]),
  backward("FusedBatchNormGrad"),
  backward("FusedBatchNormGradV2"),
  backward("FusedBatchNormGradV3"),
];
