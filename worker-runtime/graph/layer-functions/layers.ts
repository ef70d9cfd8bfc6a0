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

function biased(sums: Output, units: number, variable: MakeVariable, options: WeightedLayerOptions): Output {
  const { useBias = true, biasInitializer = zerosInitializer() } = options;
  return useBias ? biasAdd(sums, variable("bias", [units], biasInitializer).value) : sums;
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

function windows(strides: Size2d, padding: Padding) {
  return { strides: [1, ...both(strides), 1], padding: padding.toUpperCase() };
}

export interface Conv2dOptions extends WeightedLayerOptions {
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
    const shape = [...both(kernelSize), sizeOf(inputs, -1, "conv2d"), filters];
    const kernel = variable("kernel", shape, options.kernelInitializer);
    const attrs = windows(options.strides ?? 1, options.padding ?? "valid");
    const sums = graph.op("Conv2D", [inputs, kernel.value], attrs).output;
    return activated(biased(sums, filters, variable, options), options);
  });
}

export interface PoolingOptions extends Pick<LayerOptions, "name"> {
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
  requireRank(inputs, 4, "maxPooling2d");
  const graph = Graph.of(inputs);
  return inLayer(graph, "max_pooling2d", options, () => {
    const attrs = { ksize: [1, ...both(poolSize), 1], ...windows(strides, options.padding ?? "valid") };
    return graph.op("MaxPool", [inputs], attrs).output;
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

/** Each channel, the last dimension, with mean 0 and variance 1; then scaled by gamma and shifted by beta. */
export function batchNormalization(inputs: Output, options: BatchNormalizationOptions = {}): Output {
  const { momentum = 0.99, epsilon = 1e-3, training = false } = options;
  const graph = Graph.of(inputs);
  return inLayer(graph, "batch_normalization", options, (variable) => {
    const sizes = [sizeOf(inputs, -1, "batchNormalization")];
    const gamma = variable("gamma", sizes, onesInitializer());
    const beta = variable("beta", sizes, zerosInitializer());
    const movingMean = variable("moving_mean", sizes, zerosInitializer(), { trainable: false });
    const movingVariance = variable("moving_variance", sizes, onesInitializer(), { trainable: false });
    const normalized = (mean: Output, variance: Output) => {
      const scale = multiply(graph.op("Rsqrt", [add(variance, epsilon)]).output, gamma.value);
      return add(multiply(subtract(inputs, mean), scale), beta.value);
    };
    if (!training) return normalized(movingMean.value, movingVariance.value);
    const axes = Array.from({ length: (inputs.shape?.length ?? 1) - 1 }, (_, axis) => axis);
    const mean = reduceMean(inputs, axes);
    const variance = reduceMean(squaredDifference(inputs, mean), axes);
    const moved = [
      [movingMean, mean],
      [movingVariance, unbiased(inputs, variance)],
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
function unbiased(inputs: Output, variance: Output): Output {
  if (inputs.shape?.length !== 4) return variance;
  const count = divide(
    cast(Graph.of(inputs).op("Size", [inputs]).output, inputs.dtype),
    sizeOf(inputs, -1, "batchNormalization"),
  );
  return multiply(variance, divide(count, subtract(count, 1)));
}
