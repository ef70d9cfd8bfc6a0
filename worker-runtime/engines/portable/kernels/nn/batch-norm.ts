import { invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import type { PureKernelDefinition } from "../kernel.js";
import type { KernelNode } from "../kernel-node.js";
import { type Compute, type KernelOptions, perElement, pureKernel } from "../support/define.js";
import { isSmallFloat } from "../support/dtypes.js";
import { inputAt, type NumberArray, newNumbers, numbersOf } from "../support/elements.js";
import { cppShapeText, sameShape } from "../support/shapes.js";
import { fromFloat32, toFloat32 } from "../support/small-floats.js";
import { relu } from "./activations.js";
import { fromChannelsLast, toChannelsLast } from "./windows.js";

/** Per element of the images: mean, variance and result are a pass each. 15 to 25 ns were measured. */
const NANOSECONDS_PER_ELEMENT = 20;

export interface Normalization {
  readonly channelsFirst: boolean;
  readonly training: boolean;
  readonly epsilon: number;
  /** The weight of this batch in the running mean and variance; 1 if the op has none. */
  readonly averageFactor: number;
}

export function normalizationOf(node: KernelNode): Normalization {
  const format = node.string("data_format");
  if (format !== "NHWC" && format !== "NCHW") {
    throw invalidArgument(`Invalid data format: ${format}`);
  }
  return {
    channelsFirst: format === "NCHW",
    training: node.bool("is_training"),
    epsilon: node.float("epsilon"),
    averageFactor: node.has("exponential_avg_factor") ? node.float("exponential_avg_factor") : 1,
  };
}

/** A vector with one element per channel. @throws TensorFlowError INVALID_ARGUMENT */
function channelVector(tensor: Tensor, channels: number, what: string): NumberArray {
  if (tensor.shape.length !== 1 || tensor.shape[0] !== channels) {
    throw invalidArgument(`${what} must have ${channels} elements, not shape ${cppShapeText(tensor.shape)}`);
  }
  return numbersOf(tensor);
}

function vector(values: ArrayLike<number>): Tensor {
  return new Tensor("float32", [values.length], Float32Array.from(values));
}

/** The mean of each channel, and the mean of the squared differences from it. */
function moments(x: NumberArray, channels: number): { mean: Float64Array; variance: Float64Array } {
  const count = x.length / Math.max(1, channels);
  const mean = new Float64Array(channels);
  const variance = new Float64Array(channels);
  for (let i = 0; i < x.length; i += 1) {
    mean[i % channels] = (mean[i % channels] as number) + (x[i] as number) / count;
  }
  for (let i = 0; i < x.length; i += 1) {
    const rest = (x[i] as number) - (mean[i % channels] as number);
    variance[i % channels] = (variance[i % channels] as number) + (rest * rest) / count;
  }
  return { mean, variance };
}

/**
 * Ioffe and Szegedy, "Batch Normalization" (2015).
 * @returns y, the running mean and variance (an unbiased estimate), and the tensors that the gradient needs: while
 *   training, the mean and variance of the batch. As in TensorFlow, those of an empty batch are NaN whatever is given.
 */
function normalize(normalization: Normalization, inputs: readonly Tensor[]): readonly Tensor[] {
  const { channelsFirst, training, epsilon } = normalization;
  const images = toChannelsLast(inputAt(inputs, 0), channelsFirst, "input");
  const channels = images.shape[3] ?? 0;
  const x = numbersOf(images);
  const scale = channelVector(inputAt(inputs, 1), channels, "scale");
  const offset = channelVector(inputAt(inputs, 2), channels, "offset");
  const given = [inputAt(inputs, 3), inputAt(inputs, 4)] as const;
  const batch = training
    ? moments(x, channels)
    : {
        mean: channelVector(given[0], channels, "mean"),
        variance: channelVector(given[1], channels, "variance"),
      };
  const out = newNumbers(images.dtype, images.shape);
  const factors = Float64Array.from(
    scale,
    (value, i) => value / Math.sqrt((batch.variance[i] ?? 0) + epsilon),
  );
  for (let i = 0; i < x.length; i += 1) {
    const channel = i % channels;
    out[i] =
      ((x[i] as number) - (batch.mean[channel] as number)) * (factors[channel] as number) +
      (offset[channel] as number);
  }
  const y = fromChannelsLast(new Tensor(images.dtype, images.shape, out), channelsFirst);
  if (x.length === 0) {
    const nothing = vector(new Float64Array(channels).fill(Number.NaN));
    return [y, nothing, nothing, vector(batch.mean), vector(batch.variance)];
  }
  if (!training) {
    return [y, ...given, ...given];
  }
  const count = x.length / Math.max(1, channels);
  const unbiased = count > 1 ? count / (count - 1) : 1;
  return [
    y,
    vector(running(normalization, given[0], batch.mean)),
    vector(running(normalization, given[1], batch.variance, unbiased)),
    vector(batch.mean),
    vector(batch.variance),
  ];
}

/** The running average after this batch. With a factor of 1 the old one is not read: V1 and V2 pass an empty tensor. */
function running(
  { averageFactor }: Normalization,
  before: Tensor,
  batch: ArrayLike<number>,
  correction = 1,
): Float64Array {
  const values = Float64Array.from(batch, (value) => value * correction);
  if (averageFactor === 1) {
    return values;
  }
  const old = channelVector(before, values.length, "estimated mean and variance");
  return values.map((value, i) => (1 - averageFactor) * (old[i] as number) + averageFactor * value);
}

/** The gradients of x, scale and offset. */
function gradients(normalization: Normalization, inputs: readonly Tensor[]): readonly Tensor[] {
  const { channelsFirst, training, epsilon } = normalization;
  const gradients = toChannelsLast(inputAt(inputs, 0), channelsFirst, "y_backprop");
  const images = toChannelsLast(inputAt(inputs, 1), channelsFirst, "x");
  const channels = images.shape[3] ?? 0;
  if (!sameShape(gradients.shape, images.shape)) {
    throw invalidArgument(
      `x and y_backprop must have same shape, but x has shape ${cppShapeText(images.shape)} and y_backprop has shape ${cppShapeText(gradients.shape)}`,
    );
  }
  const scale = channelVector(inputAt(inputs, 2), channels, "scale");
  const mean = channelVector(inputAt(inputs, 3), channels, "reserve_space_1");
  const variance = channelVector(inputAt(inputs, 4), channels, "reserve_space_2");
  const [dy, x] = [numbersOf(gradients), numbersOf(images)];
  const inverse = Float64Array.from(variance, (value) => 1 / Math.sqrt(value + epsilon));
  const scaleGradient = new Float64Array(channels);
  const offsetGradient = new Float64Array(channels);
  for (let i = 0; i < x.length; i += 1) {
    const channel = i % channels;
    const normalized = ((x[i] as number) - (mean[channel] as number)) * (inverse[channel] as number);
    scaleGradient[channel] = (scaleGradient[channel] as number) + (dy[i] as number) * normalized;
    offsetGradient[channel] = (offsetGradient[channel] as number) + (dy[i] as number);
  }
  const count = x.length / Math.max(1, channels);
  const out = newNumbers(images.dtype, images.shape);
  for (let i = 0; i < x.length; i += 1) {
    const channel = i % channels;
    const factor = (scale[channel] as number) * (inverse[channel] as number);
    const normalized = ((x[i] as number) - (mean[channel] as number)) * (inverse[channel] as number);
    // While training, the mean and variance also depend on x.
    const share = training
      ? ((offsetGradient[channel] as number) + normalized * (scaleGradient[channel] as number)) / count
      : 0;
    out[i] = factor * ((dy[i] as number) - share);
  }
  const dx = fromChannelsLast(new Tensor(images.dtype, images.shape, out), channelsFirst);
  return [dx, vector(scaleGradient), vector(offsetGradient)];
}

/** Reserved outputs that are never read: the forward op has them for GPUs, the gradient as placeholders. */
const empty = vector([]);
const unused = new Tensor("float32", [], new Float32Array(1));
const options = {
  types: { T: ["float32", "float16", "bfloat16"], U: ["float32"] },
  cost: perElement(NANOSECONDS_PER_ELEMENT),
} as const;

/**
 * Accepts float16 or bfloat16 images while everything per channel stays float32.
 * @param count how many of the first inputs are images. Of the outputs, only the first one is.
 */
function withSmallImages(count: number, compute: Compute): Compute {
  return (inputs) => {
    const { dtype } = inputAt(inputs, 0);
    if (!isSmallFloat(dtype)) {
      return compute(inputs);
    }
    const [images, ...others] = compute(inputs.map((input, i) => (i < count ? toFloat32(input) : input)));
    return images === undefined ? others : [fromFloat32(dtype, images), ...others];
  };
}

/** The first version of the op has no separate type attribute for the tensors per channel. */
function optionsOf(op: string): KernelOptions {
  return op.endsWith("V2") || op.endsWith("V3") ? options : { ...options, types: { T: options.types.T } };
}

function forwardKernel(op: string, reserved: readonly Tensor[]): PureKernelDefinition {
  return pureKernel(
    op,
    (node) => {
      const normalization = normalizationOf(node);
      return withSmallImages(1, (inputs) => [...normalize(normalization, inputs), ...reserved]);
    },
    optionsOf(op),
  );
}

function gradientKernel(op: string): PureKernelDefinition {
  return pureKernel(
    op,
    (node) => {
      const normalization = normalizationOf(node);
      return withSmallImages(2, (inputs) => [...gradients(normalization, inputs), unused, unused]);
    },
    optionsOf(op),
  );
}

/**
 * The op into which TensorFlow's optimizer fuses FusedBatchNorm and Relu. With a side input, or without Relu,
 * TensorFlow 2.21 supports it on GPUs only (on a CPU the result is empty).
 */
const fusedBatchNormExKernel = pureKernel(
  "_FusedBatchNormEx",
  (node) => {
    const normalization = normalizationOf(node);
    return withSmallImages(1, (inputs) => {
      const outputs = normalize(normalization, inputs);
      const y = inputAt(outputs, 0);
      const out = numbersOf(y).map(relu);
      return [new Tensor(y.dtype, y.shape, out), ...outputs.slice(1), empty];
    });
  },
  {
    ...options,
    fits: (node) => node.string("activation_mode") === "Relu" && node.int("num_side_inputs") === 0,
  },
);

export const batchNormKernels: readonly PureKernelDefinition[] = [
  forwardKernel("FusedBatchNorm", []),
  forwardKernel("FusedBatchNormV2", []),
  forwardKernel("FusedBatchNormV3", [empty]),
  fusedBatchNormExKernel,
  gradientKernel("FusedBatchNormGrad"),
  gradientKernel("FusedBatchNormGradV2"),
  gradientKernel("FusedBatchNormGradV3"),
];
