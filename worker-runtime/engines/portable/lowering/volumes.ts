/** Convolutions and pools of volumes. */
import { Tensor } from "../../../protocol/tensor.js";
import type { KernelNode } from "../kernels/kernel-node.js";
import { pixelsUnder } from "../kernels/nn/pooling.js";
import { type VolumeAttributes, volumeAttributes } from "../kernels/nn/volume-convolution.js";
import {
  positionsOver,
  SAME_PIXEL,
  type VolumePooling,
  volumePoolingOf,
} from "../kernels/nn/volume-pooling.js";
import { type WindowDimension, windowDimension } from "../kernels/nn/windows.js";
import { sameShape } from "../kernels/support/shapes.js";
import type { OnnxAttributes } from "../onnx/attributes.js";
import { ints, string } from "../onnx/attributes.js";
import type { ModelBuilder, OnnxValue } from "../onnx/model-builder.js";
import { filterGradient, fixedWindow, imageGradient } from "./convolution-gradients.js";
import { indices } from "./dtypes.js";
import { accepts } from "./fits.js";
import { fromChannelsFirst, reshape, toChannelsFirst, transpose } from "./layout.js";
import type { Lowering, LoweringContext } from "./lowering.js";
import { paddingsOf, pixelsLeft } from "./windows.js";
import { inputAt, numbersOf, Writer } from "./writer.js";

/** On the CPU, ONNX Runtime convolves and averages float32 only. */
const T = ["float32"] as const;

/** From TensorFlow's filters [planes, rows, columns, in, out] to ONNX's. */
const FILTER_ORDER = [4, 3, 0, 1, 2];

const RANK = 5;

/** Sizes in NDHWC order. */
function channelsLast(sizes: readonly number[], channelsFirst: boolean): readonly number[] {
  const [batch = 0, ...rest] = sizes;
  return channelsFirst ? [batch, ...rest.slice(1), rest[0] ?? 0] : sizes;
}

/** The sizes of volumes in NDHWC order; undefined if they are unknown or one of them is 0. */
function volumeSizes(
  context: LoweringContext,
  volumes: OnnxValue,
  channelsFirst: boolean,
): readonly number[] | undefined {
  const sizes = context.shape(volumes);
  return sizes?.length === RANK && !sizes.includes(0) ? channelsLast(sizes, channelsFirst) : undefined;
}

/** As `volumeSizes`, of sizes that are an input. */
function givenSizes(
  context: LoweringContext,
  sizes: OnnxValue,
  channelsFirst: boolean,
): readonly number[] | undefined {
  const given = context.rank(sizes) === 1 ? numbersOf(context, sizes) : undefined;
  return given?.length === RANK && given.every((size) => size > 0)
    ? channelsLast(given, channelsFirst)
    : undefined;
}

/** Volumes with their channels last. */
function toChannelsLast(model: ModelBuilder, volumes: OnnxValue, channelsFirst: boolean): OnnxValue {
  return channelsFirst ? transpose(model, volumes, [0, 2, 3, 4, 1]) : volumes;
}

interface Steps {
  readonly strides: readonly number[];
  readonly dilations: readonly number[];
}

function stepsOf({ stride, dilation, image }: VolumeAttributes): Steps {
  return {
    strides: [stride, ...image.strides.slice(1, 3)],
    dilations: [dilation, ...image.dilations.slice(1, 3)],
  };
}

/** How a filter moves over volumes of a size; undefined if the kernel rejects it or the result is empty. */
function dimensionsOf(
  attributes: VolumeAttributes,
  volumes: readonly number[] | undefined,
  filter: readonly number[] | undefined,
): readonly WindowDimension[] | undefined {
  if (volumes === undefined || filter?.length !== RANK || volumes[4] !== filter[3]) {
    return undefined;
  }
  const { strides, dilations } = stepsOf(attributes);
  const dimensions = strides.map((stride, i) =>
    windowDimension({
      input: volumes[i + 1] ?? 0,
      window: filter[i] ?? 0,
      stride,
      dilation: dilations[i] ?? 1,
      scheme: attributes.padding,
    }),
  );
  return dimensions.every(({ output }) => output > 0) ? dimensions : undefined;
}

/** The attributes of a Conv; undefined if they depend on sizes, which ONNX Runtime does not compute if dilated. */
function windowOf(attributes: VolumeAttributes): OnnxAttributes | undefined {
  const { strides, dilations } = stepsOf(attributes);
  if (attributes.padding !== "VALID" && dilations.some((dilation) => dilation !== 1)) {
    return undefined;
  }
  return {
    strides: ints(strides),
    dilations: ints(dilations),
    auto_pad: string(attributes.padding === "VALID" ? "VALID" : "SAME_UPPER"),
  };
}

const convolution: Lowering = {
  op: "Conv3D",
  types: { T },
  fits: accepts(volumeAttributes),
  lower: (node, inputs, context) => {
    const { model } = context;
    const [x, filter] = [inputAt(inputs, 0), inputAt(inputs, 1)];
    if (context.rank(x) !== RANK || context.rank(filter) !== RANK) {
      return undefined;
    }
    const attributes = volumeAttributes(node);
    const { channelsFirst } = attributes;
    let window = windowOf(attributes);
    if (window === undefined) {
      const sizes = volumeSizes(context, x, channelsFirst);
      const dimensions = dimensionsOf(attributes, sizes, context.shape(filter));
      if (dimensions === undefined) {
        return undefined;
      }
      window = fixedWindow(dimensions);
    }
    const volumes = toChannelsFirst(model, x, RANK, channelsFirst);
    const result = model.node("Conv", [volumes, transpose(model, filter, FILTER_ORDER)], x.dtype, {
      attributes: window,
      rank: RANK,
    });
    return [fromChannelsFirst(model, result, RANK, channelsFirst)];
  },
};

function isResult(
  gradient: readonly number[] | undefined,
  volumes: readonly number[],
  dimensions: readonly WindowDimension[],
  channels: number,
): boolean {
  const expected = [volumes[0] ?? 0, ...dimensions.map(({ output }) => output), channels];
  return gradient !== undefined && sameShape(gradient, expected);
}

const volumeGradient: Lowering = {
  op: "Conv3DBackpropInputV2",
  types: { T, Tshape: indices },
  fits: accepts(volumeAttributes),
  shapeInputs: [0],
  lower: (node, inputs, context) => {
    const { model } = context;
    const [sizes, filter, gradient] = [inputAt(inputs, 0), inputAt(inputs, 1), inputAt(inputs, 2)];
    const attributes = volumeAttributes(node);
    const { channelsFirst } = attributes;
    const volumes = givenSizes(context, sizes, channelsFirst);
    const filterSizes = context.shape(filter);
    const dimensions = dimensionsOf(attributes, volumes, filterSizes);
    const own = volumeSizes(context, gradient, channelsFirst);
    if (
      volumes === undefined ||
      dimensions === undefined ||
      !isResult(own, volumes, dimensions, filterSizes?.[4] ?? 0)
    ) {
      return undefined;
    }
    const dy = toChannelsFirst(model, gradient, RANK, channelsFirst);
    const weights = transpose(model, filter, FILTER_ORDER);
    const result = imageGradient(model, [weights, dy], { dimensions, channels: volumes[4] ?? 0, groups: 1 });
    return [fromChannelsFirst(model, result, RANK, channelsFirst)];
  },
};

const volumeFilterGradient: Lowering = {
  op: "Conv3DBackpropFilterV2",
  types: { T },
  fits: accepts(volumeAttributes),
  shapeInputs: [1],
  lower: (node, inputs, context) => {
    const { model } = context;
    const [x, sizes, gradient] = [inputAt(inputs, 0), inputAt(inputs, 1), inputAt(inputs, 2)];
    const attributes = volumeAttributes(node);
    const { channelsFirst } = attributes;
    const volumes = volumeSizes(context, x, channelsFirst);
    const filter = givenSizes(context, sizes, false);
    const dimensions = dimensionsOf(attributes, volumes, filter);
    const own = volumeSizes(context, gradient, channelsFirst);
    if (
      volumes === undefined ||
      filter === undefined ||
      dimensions === undefined ||
      !isResult(own, volumes, dimensions, filter[4] ?? 0)
    ) {
      return undefined;
    }
    const [batch = 0] = volumes;
    const images = toChannelsLast(model, x, channelsFirst);
    const dy = toChannelsLast(model, gradient, channelsFirst);
    return [filterGradient(model, images, dy, { shape: filter, dimensions, batch, groups: 1 })];
  },
};

function pool(op: string, onnx: string): Lowering {
  return {
    op,
    types: { T },
    fits: accepts(volumePoolingOf),
    lower: (node, inputs, context) => {
      const { model } = context;
      const x = inputAt(inputs, 0);
      const pooling = volumePoolingOf(node);
      const attributes = context.rank(x) === RANK ? poolWindow(pooling, context, x) : undefined;
      if (attributes === undefined) {
        return undefined;
      }
      const volumes = toChannelsFirst(model, x, RANK, pooling.channelsFirst);
      const result = model.node(onnx, [volumes], x.dtype, { attributes, rank: RANK });
      return [fromChannelsFirst(model, result, RANK, pooling.channelsFirst)];
    },
  };
}

/** The attributes of an ONNX pool; undefined if they depend on sizes that are not known. */
function poolWindow(
  pooling: VolumePooling,
  context: LoweringContext,
  x: OnnxValue,
): OnnxAttributes | undefined {
  const { window, strides, padding, channelsFirst } = pooling;
  const moves = { kernel_shape: ints(window), strides: ints(strides) };
  if (padding === "VALID" || window.every((size) => size === 1)) {
    return { ...moves, auto_pad: string("VALID") };
  }
  if (window.every((size, i) => size >= (strides[i] ?? 1))) {
    return { ...moves, auto_pad: string("SAME_UPPER") };
  }
  // ONNX Runtime would compute negative paddings.
  const sizes = volumeSizes(context, x, channelsFirst);
  return sizes && { ...moves, pads: ints(paddingsOf(positionsOver(sizes, pooling).dimensions)) };
}

/** Each window's gradient is divided equally among its voxels; the sum over the windows is a ConvTranspose with ones. */
const averageGradient: Lowering = {
  op: "AvgPool3DGrad",
  types: { T },
  fits: accepts(volumePoolingOf),
  shapeInputs: [0],
  lower: (node, inputs, context) => {
    const { model } = context;
    const [sizes, gradient] = [inputAt(inputs, 0), inputAt(inputs, 1)];
    const pooling = volumePoolingOf(node);
    const { channelsFirst, window } = pooling;
    const volumes = givenSizes(context, sizes, channelsFirst);
    const positions = volumes && positionsOver(volumes, pooling);
    const own = volumeSizes(context, gradient, channelsFirst);
    if (
      volumes === undefined ||
      positions === undefined ||
      own === undefined ||
      !sameShape(own, positions.outputShape)
    ) {
      return undefined;
    }
    const { dimensions } = positions;
    const outputs = dimensions.map(({ output }) => output);
    const counts = dimensions
      .map((dimension) => Array.from({ length: dimension.output }, (_, i) => voxelsUnder(dimension, i)))
      .reduce((all, along) => all.flatMap((count) => along.map((one) => count * one)), [1]);
    const planes = reshape(model, toChannelsFirst(model, gradient, RANK, channelsFirst), [-1, 1, ...outputs]);
    const count = model.constant(Tensor.of(Float32Array.from(counts), "float32", outputs));
    const parts = model.node("Div", [planes, count], gradient.dtype);
    const ones = model.constant(Tensor.of(1, "float32", [1, 1, ...window]));
    const sums = imageGradient(model, [ones, parts], { dimensions, channels: 1, groups: 1 });
    const [batch = 0, ...rest] = volumes;
    const result = reshape(model, sums, [batch, rest[3] ?? 0, ...rest.slice(0, 3)]);
    return [fromChannelsFirst(model, result, RANK, channelsFirst)];
  },
};

function voxelsUnder(dimension: WindowDimension, position: number): number {
  const [first, end] = pixelsUnder(dimension, position);
  return end - first;
}

/**
 * Each window's gradient goes to all its voxels that are the maximum, for windows that do not overlap: in them, each
 * dimension of the volumes is one of windows and one of voxels.
 */
const maxGradient: Lowering = {
  op: "MaxPool3DGrad",
  types: { T, TInput: T },
  fits: (node) => accepts(volumePoolingOf)(node) && isTiling(node),
  lower: (node, inputs, context) => {
    const { model } = context;
    const write = new Writer(context);
    const pooling = volumePoolingOf(node);
    const { channelsFirst, window } = pooling;
    const [x, y, dy] = [inputAt(inputs, 0), inputAt(inputs, 1), inputAt(inputs, 2)];
    const [sizes, ...results] = [x, y, dy].map((value) => volumeSizes(context, value, channelsFirst));
    const positions = sizes && positionsOver(sizes, pooling);
    if (
      sizes === undefined ||
      positions === undefined ||
      results.some((shape) => shape === undefined || !sameShape(shape, positions.outputShape))
    ) {
      return undefined;
    }
    const { dimensions, outputShape } = positions;
    const [batch = 0] = outputShape;
    const channels = outputShape[4] ?? 0;
    const tiles = dimensions.flatMap(({ output }, i) => [output, window[i] ?? 1]);
    const single = dimensions.flatMap(({ output }) => [output, 1]);
    const whole = dimensions.map(({ output }, i) => output * (window[i] ?? 1));
    const before = dimensions.map(({ padding }) => padding);
    const after = dimensions.map((dimension) => -pixelsLeft(dimension));
    const resize = (value: OnnxValue, sign: 1 | -1, filling: number) => {
      // Negative paddings remove voxels.
      const pads = [0, ...before, 0, 0, ...after, 0].map((voxels) => voxels * sign);
      return write.same("Pad", [value, write.longs(pads), write.scalar("float32", filling)]);
    };
    const last = (value: OnnxValue) => toChannelsLast(model, value, channelsFirst);
    const spread = (value: OnnxValue) => reshape(model, last(value), [batch, ...single, channels]);
    const voxels = reshape(model, resize(last(x), 1, Number.POSITIVE_INFINITY), [batch, ...tiles, channels]);
    const distance = write.same("Abs", [write.sub(voxels, spread(y))]);
    const isLargest = write.test("Less", distance, write.scalar("float32", SAME_PIXEL));
    const parts = write.where(isLargest, spread(dy), write.scalar("float32", 0));
    const result = resize(reshape(model, parts, [batch, ...whole, channels]), -1, 0);
    return [channelsFirst ? transpose(model, result, [0, 4, 1, 2, 3]) : result];
  },
};

function isTiling(node: KernelNode): boolean {
  const { window, strides } = volumePoolingOf(node);
  return sameShape(window, strides);
}

export const volumeLowerings: readonly Lowering[] = [
  convolution,
  volumeGradient,
  volumeFilterGradient,
  pool("MaxPool3D", "MaxPool"),
  pool("AvgPool3D", "AveragePool"),
  averageGradient,
  maxGradient,
];
