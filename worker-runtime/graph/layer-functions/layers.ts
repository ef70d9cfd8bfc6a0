import { invalidArgument } from "../../protocol/status.js";
import { Graph } from "../graph.js";
import type { Output } from "../operation.js";
import { identity, reshape, shape } from "../ops/array.js";
import { type Initializer, onesInitializer, zerosInitializer } from "../ops/initializers.js";
import {
  add,
  cast,
  divide,
  greaterEqual,
  matMul,
  multiply,
  reduceMean,
  squaredDifference,
  subtract,
} from "../ops/math.js";
import { biasAdd } from "../ops/nn.js";
import { randomUniform } from "../ops/random.js";
import { assignSub, GraphKeys } from "../ops/state.js";
import { inLayer, type LayerOptions, type MakeVariable, requireRank, sizeOf } from "./layer-scope.js";

export interface WeightedLayerOptions extends LayerOptions {
  /** Applied at the end, for example `ops.relu`; left out: none. */
  readonly activation?: ((x: Output) => Output) | undefined;
  /** Whether the layer has a bias; defaults to true. */
  readonly useBias?: boolean | undefined;
  /** Defaults to Glorot's uniform numbers. */
  readonly kernelInitializer?: Initializer | undefined;
  /** Defaults to zeros. */
  readonly biasInitializer?: Initializer | undefined;
}

/** Each unit is a weighted sum of the last dimension: [batch, …, n] gives [batch, …, units]. */
export function dense(inputs: Output, units: number, options: WeightedLayerOptions = {}): Output {
  const graph = Graph.of(inputs);
  return inLayer(graph, "dense", options, (variable) => {
    const size = sizeOf(inputs, -1, "dense");
    const kernel = variable("kernel", [size, units], options.kernelInitializer);
    const rows = inputs.shape?.length === 2 ? inputs : reshape(inputs, [-1, size]);
    const sums = matMul(rows, kernel.value);
    const made = biased(sums, units, variable, options);
    const outer = inputs.shape?.slice(0, -1) ?? [];
    if (outer.filter((one) => one < 0).length > 1) {
      throw invalidArgument(`dense must know all but one dimension of ${inputs.name}.`);
    }
    return activated(rows === inputs ? made : reshape(made, [...outer, units]), options);
  });
}

function biased(
  sums: Output,
  units: number,
  variable: MakeVariable,
  options: WeightedLayerOptions & ImageLayerOptions,
): Output {
  const { useBias = true, biasInitializer = zerosInitializer() } = options;
  if (!useBias) return sums;
  const { value } = variable("bias", [units], biasInitializer);
  return biasAdd(sums, value, { channelsFirst: formatOf(options).channels === 1 });
}

function activated(sums: Output, { activation }: WeightedLayerOptions): Output {
  return activation ? activation(sums) : sums;
}

/** One size for height and width, or both. */
export type Size2d = number | readonly [height: number, width: number];

function both(size: Size2d): readonly [number, number] {
  return typeof size === "number" ? [size, size] : size;
}

/** "same": borders are filled with zeros; "valid": the window stays within the image. */
export type Padding = "same" | "valid";

/**
 * Where the channels of images are: "channels_last", [batch, height, width, channels], or "channels_first", [batch,
 * channels, height, width]. TensorFlow convolves images with channels first on GPUs only, the portable engine anywhere.
 */
export type DataFormat = "channels_last" | "channels_first";

interface ImageLayerOptions {
  /** Defaults to "channels_last". */
  readonly dataFormat?: DataFormat | undefined;
}

/** The attribute of ops, and which dimension has the channels. */
function formatOf({ dataFormat = "channels_last" }: ImageLayerOptions) {
  if (dataFormat === "channels_first") return { data_format: "NCHW", channels: 1 };
  if (dataFormat === "channels_last") return { data_format: "NHWC", channels: -1 };
  throw invalidArgument(
    `The data format is "channels_last" or "channels_first", not "${String(dataFormat)}".`,
  );
}

function ofImage(size: Size2d, options: ImageLayerOptions): readonly number[] {
  return formatOf(options).channels === 1 ? [1, 1, ...both(size)] : [1, ...both(size), 1];
}

function windows(strides: Size2d, padding: Padding, options: ImageLayerOptions) {
  const { data_format } = formatOf(options);
  return { strides: ofImage(strides, options), padding: padding.toUpperCase(), data_format };
}

export interface Conv2dOptions extends WeightedLayerOptions, ImageLayerOptions {
  /** Defaults to 1. */
  readonly strides?: Size2d | undefined;
  /** Defaults to "valid". */
  readonly padding?: Padding | undefined;
}

/** Filters that slide over images [batch, height, width, channels]; each sees all channels. */
export function conv2d(
  inputs: Output,
  filters: number,
  kernelSize: Size2d,
  options: Conv2dOptions = {},
): Output {
  requireRank(inputs, 4, "conv2d");
  const graph = Graph.of(inputs);
  return inLayer(graph, "conv2d", options, (variable) => {
    const { channels } = formatOf(options);
    const shape = [...both(kernelSize), sizeOf(inputs, channels, "conv2d"), filters];
    const kernel = variable("kernel", shape, options.kernelInitializer);
    const attrs = windows(options.strides ?? 1, options.padding ?? "valid", options);
    const sums = graph.op("Conv2D", [inputs, kernel.value], attrs).output;
    return activated(biased(sums, filters, variable, options), options);
  });
}

export interface PoolingOptions extends Pick<LayerOptions, "name">, ImageLayerOptions {
  /** Defaults to "valid". */
  readonly padding?: Padding | undefined;
}

/** The largest value of each pool of pixels and each channel. */
export function maxPooling2d(
  inputs: Output,
  poolSize: Size2d,
  strides: Size2d,
  options: PoolingOptions = {},
): Output {
  return pooled("MaxPool", "max_pooling2d", inputs, poolSize, strides, options);
}

/** The mean of each pool of pixels and each channel; pixels beyond the border do not count. */
export function averagePooling2d(
  inputs: Output,
  poolSize: Size2d,
  strides: Size2d,
  options: PoolingOptions = {},
): Output {
  return pooled("AvgPool", "average_pooling2d", inputs, poolSize, strides, options);
}

function pooled(
  type: "MaxPool" | "AvgPool",
  kind: string,
  inputs: Output,
  poolSize: Size2d,
  strides: Size2d,
  options: PoolingOptions,
): Output {
  requireRank(inputs, 4, type === "MaxPool" ? "maxPooling2d" : "averagePooling2d");
  const graph = Graph.of(inputs);
  return inLayer(graph, kind, options, () => {
    const attrs = {
      ksize: ofImage(poolSize, options),
      ...windows(strides, options.padding ?? "valid", options),
    };
    return graph.op(type, [inputs], attrs).output;
  });
}

/** Each example as a vector. */
export function flatten(inputs: Output, options: Pick<LayerOptions, "name"> = {}): Output {
  return inLayer(Graph.of(inputs), "flatten", options, () => {
    const sizes = inputs.shape?.slice(1);
    if (!sizes) throw invalidArgument(`flatten must know the number of dimensions of ${inputs.name}.`);
    const isKnown = sizes.every((size) => size >= 0);
    if (isKnown) return reshape(inputs, [-1, sizes.reduce((product, size) => product * size, 1)]);
    const rows = Graph.of(inputs).op("StridedSlice", [shape(inputs), [0], [1], [1]], { shrink_axis_mask: 1 });
    return reshape(inputs, Graph.of(inputs).op("Pack", [[rows, -1]]).output);
  });
}

export interface DropoutOptions extends Pick<LayerOptions, "name"> {
  /** The share of elements that become 0; defaults to 0.5. The others are scaled up. */
  readonly rate?: number | undefined;
  readonly seed?: number | undefined;
  /** Whether any do; defaults to false, as for predictions. */
  readonly training?: boolean | undefined;
}

/** In training, sets elements to 0 by chance, so that units do not rely on each other. */
export function dropout(inputs: Output, options: DropoutOptions = {}): Output {
  const { rate = 0.5, seed, training = false } = options;
  if (!(rate >= 0 && rate < 1))
    throw invalidArgument(`The rate of dropout is from 0 to below 1, not ${rate}.`);
  const graph = Graph.of(inputs);
  return inLayer(graph, "dropout", options, () => {
    if (!training || rate === 0) return identity(inputs);
    const random = randomUniform(graph, shape(inputs), { dtype: inputs.dtype, seed });
    const kept = cast(greaterEqual(random, rate), inputs.dtype);
    return multiply(multiply(inputs, 1 / (1 - rate)), kept);
  });
}

export interface BatchNormalizationOptions extends LayerOptions {
  /** The dimension of the channels: -1, the last one, unless given; 1 of images with channels first. */
  readonly axis?: number | undefined;
  /** How much of the moving statistics stays in a step; defaults to 0.99. */
  readonly momentum?: number | undefined;
  /** Added to the variance; defaults to 0.001. */
  readonly epsilon?: number | undefined;
  /**
   * Whether the statistics are those of the batch; defaults to false: the moving ones. In training, the operations in
   * the collection "update_ops" move them: the training operation has to depend on these.
   */
  readonly training?: boolean | undefined;
}

/** Each channel, the last dimension unless `axis` is another one, with mean 0 and variance 1; then scaled by gamma and shifted by beta. */
export function batchNormalization(inputs: Output, options: BatchNormalizationOptions = {}): Output {
  const { momentum = 0.99, epsilon = 1e-3, training = false, axis = -1 } = options;
  const graph = Graph.of(inputs);
  return inLayer(graph, "batch_normalization", options, (variable) => {
    const channels = sizeOf(inputs, axis, "batchNormalization");
    const sizes = [channels];
    const rank = inputs.shape?.length ?? 1;
    const position = axis < 0 ? axis + rank : axis;
    const alongChannels = (x: Output) =>
      position === rank - 1
        ? x
        : reshape(
            x,
            Array.from({ length: rank }, (_, i) => (i === position ? channels : 1)),
          );
    const gamma = variable("gamma", sizes, onesInitializer());
    const beta = variable("beta", sizes, zerosInitializer());
    const movingMean = variable("moving_mean", sizes, zerosInitializer(), { trainable: false });
    const movingVariance = variable("moving_variance", sizes, onesInitializer(), { trainable: false });
    const normalized = (mean: Output, variance: Output) => {
      const scale = multiply(graph.op("Rsqrt", [add(variance, epsilon)]).output, gamma.value);
      const centred = subtract(inputs, alongChannels(mean));
      return add(multiply(centred, alongChannels(scale)), alongChannels(beta.value));
    };
    if (!training) return normalized(movingMean.value, movingVariance.value);
    const axes = Array.from({ length: rank }, (_, i) => i).filter((i) => i !== position);
    const mean = reduceMean(inputs, axes);
    const variance = reduceMean(squaredDifference(inputs, alongChannels(mean)), axes);
    const moved = [
      [movingMean, mean],
      [movingVariance, unbiased(inputs, variance, channels)],
    ] as const;
    for (const [moving, ofBatch] of moved) {
      const step = multiply(subtract(moving.value, ofBatch), 1 - momentum);
      graph.addToCollection(GraphKeys.UPDATE_OPS, assignSub(moving, step).op);
    }
    return normalized(mean, variance);
  });
}

/**
 * The variance that the moving one takes in: of images, TensorFlow's fused operation divides by one less than the
 * number of pixels.
 */
function unbiased(inputs: Output, variance: Output, channels: number): Output {
  if (inputs.shape?.length !== 4) return variance;
  const count = divide(cast(Graph.of(inputs).op("Size", [inputs]).output, inputs.dtype), channels);
  return multiply(variance, divide(count, subtract(count, 1)));
}
