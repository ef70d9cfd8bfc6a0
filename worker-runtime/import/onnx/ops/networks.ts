/**
 * Operators of networks. ONNX has the channels of images first; what TensorFlow computes only with the channels last
 * is transposed before and after.
 */

import { TensorProto_DataType } from "../../../../protos/generated/onnx/onnx.js";
import type { Output } from "../../../graph/operation.js";
import type { DType } from "../../../protocol/dtype.js";
import type { OnnxCall, OnnxOp } from "../onnx-call.js";

/** The dimensions of images [batch, channels, …] with the channels last, and back. */
const channelsLast = (call: OnnxCall, x: Output) => call.transpose(x, [0, 2, 3, 1]);
const channelsFirst = (call: OnnxCall, x: Output) => call.transpose(x, [0, 3, 1, 2]);

interface Window {
  readonly sides: readonly number[];
  readonly strides: readonly number[];
  readonly dilations: readonly number[];
  /** Before and after height and width. */
  readonly pads: readonly number[];
  /** Behind the padding: what the last window has if sizes are rounded up. */
  readonly over: readonly number[];
  /** TensorFlow pads by itself, since the sizes are known in a run only. */
  readonly isSame: boolean;
}

/** @param sizes of the images, behind batch and channels; -1 for what is not known */
function windowOf(call: OnnxCall, sides: readonly number[], sizes: readonly number[]): Window {
  const each = (value: number) => sides.map(() => value);
  const [strides, dilations] = [call.listed("strides") ?? each(1), call.listed("dilations") ?? each(1)];
  const auto = call.text("auto_pad", "NOTSET");
  const reach = sides.map((side, at) => (side - 1) * (dilations[at] ?? 1) + 1);
  const window = { sides, strides, dilations, over: each(0), isSame: false };
  if (auto.startsWith("SAME")) {
    if (sizes.some((size) => size < 0)) {
      if (auto === "SAME_LOWER")
        throw call.unsupported("pads more before than after, as much as sizes ask that are not known");
      return { ...window, pads: [...each(0), ...each(0)], isSame: true };
    }
    const both = sizes.map((size, at) => {
      const stride = strides[at] ?? 1;
      return Math.max(0, (Math.ceil(size / stride) - 1) * stride + (reach[at] ?? 1) - size);
    });
    const less = both.map((pad) => Math.floor(pad / 2));
    const more = both.map((pad) => Math.ceil(pad / 2));
    return { ...window, pads: auto === "SAME_UPPER" ? [...less, ...more] : [...more, ...less] };
  }
  const given = auto === "NOTSET" ? (call.listed("pads") ?? []) : [];
  const pads = given.length === 2 * sides.length ? given : [...each(0), ...each(0)];
  if (call.int("ceil_mode", 0) === 0) return { ...window, pads };
  if (sizes.some((size) => size < 0)) throw call.unsupported("rounds a size up that is not known");
  const over = sizes.map((size, at) => {
    const [stride, before = 0, after = 0] = [strides[at] ?? 1, pads[at], pads[at + sides.length]];
    const room = size + before + after - (reach[at] ?? 1);
    // A window that begins behind the elements and their first border is none.
    const last = Math.ceil(room / stride) * stride;
    return last >= size + before ? 0 : Math.max(0, last - room);
  });
  return { ...window, pads, over };
}

/** Images with the channels last, with borders of a value. */
function padded(
  call: OnnxCall,
  images: Output,
  [top = 0, left = 0, bottom = 0, right = 0]: readonly number[],
  value: number,
) {
  if (top + left + bottom + right === 0) return images;
  const pads = call.ints([0, 0, top, bottom, left, right, 0, 0], "paddings", [4, 2]);
  return call.op("PadV2", [images, pads, call.like(images, value, "border")]);
}

/** Runs with images; sequences [batch, channels, time] become images of one row. */
function withImages(call: OnnxCall, make: (x: Output, isSequence: boolean) => Output): Output {
  const x = call.input();
  const rank = call.rank(x);
  if (rank === 4) return make(x, false);
  if (rank !== 3) throw call.unsupported(`takes tensors of ${rank} dimensions`);
  const rows = make(call.op("ExpandDims", [x, call.ints(2, "row")]), true);
  return call.op("Squeeze", [rows], { squeeze_dims: [2] });
}

/** The settings of a window over sequences as of one over images of one row. */
function inRow(window: Window, isSequence: boolean): Window {
  if (!isSequence) return window;
  const { sides, strides, dilations, pads, over, isSame } = window;
  const [before = 0, after = 0] = pads;
  return {
    ...{ sides: [1, ...sides], strides: [1, ...strides], dilations: [1, ...dilations], isSame },
    ...{ pads: [0, before, 0, after], over: [0, ...over] },
  };
}

function conv(call: OnnxCall): Output {
  return withImages(call, (x, isSequence) => {
    const weights = isSequence
      ? call.op("ExpandDims", [call.input(1), call.ints(2, "height")])
      : call.input(1);
    const sides = [2, 3].map((axis) => call.size(weights, axis)).slice(isSequence ? 1 : 0);
    const window = inRow(windowOf(call, sides, call.input().shape?.slice(2) ?? []), isSequence);
    const groups = call.int("group", 1);
    const channels = call.size(x, 1);
    const images = padded(call, channelsLast(call, x), window.pads, 0);
    const [high = 1, wide = 1] = window.strides;
    const padding = window.isSame ? "SAME" : "VALID";
    const isDepthwise =
      groups > 1 && groups === channels && high === wide && window.dilations.every((rate) => rate === 1);
    const sums = isDepthwise
      ? call.op("DepthwiseConv2dNative", [images, depthwiseKernel(call, weights, channels)], {
          strides: [1, high, wide, 1],
          padding,
        })
      : call.op("Conv2D", [images, call.transpose(weights, [2, 3, 1, 0])], {
          strides: [1, high, wide, 1],
          padding,
          dilations: [1, ...window.dilations, 1],
        });
    const bias = call.optional(2);
    return channelsFirst(call, bias ? call.op("BiasAdd", [sums, bias]) : sums);
  });
}

/** [channels · multiplier, 1, height, width] as [height, width, channels, multiplier]. */
function depthwiseKernel(call: OnnxCall, weights: Output, channels: number): Output {
  const [all, high, wide] = [0, 2, 3].map((axis) => call.size(weights, axis));
  const shape = [high ?? 1, wide ?? 1, channels, (all ?? channels) / channels];
  return call.op("Reshape", [call.transpose(weights, [2, 3, 0, 1]), call.ints(shape, "shape")]);
}

/** The lowest numbers: no element of a border is the largest. */
const LOWEST: Partial<Record<DType, number>> = {
  float16: -65504,
  float32: -3.4028234663852886e38,
  float64: -Number.MAX_VALUE,
};

function pool(op: "MaxPool" | "AvgPool"): OnnxOp {
  return (call) => {
    if (call.outputs > 1) throw call.unsupported("also gives the positions of its results");
    return withImages(call, (x, isSequence) => {
      const sizes = call.input().shape?.slice(2) ?? [];
      const window = inRow(windowOf(call, call.listed("kernel_shape") ?? [], sizes), isSequence);
      if (window.isSame && isDilated(window))
        throw call.unsupported("is dilated, and pads as much as sizes ask that are not known");
      // TensorFlow pools floats only.
      const images = channelsLast(call, x.dtype.startsWith("float") ? x : call.cast(x, "float32"));
      const pooled = op === "MaxPool" ? maxPool(call, images, window) : averagePool(call, images, window);
      return call.cast(channelsFirst(call, pooled), x.dtype);
    });
  };
}

const isDilated = ({ dilations }: Window) => dilations.some((rate) => rate !== 1);

/** Pools images with their borders. TensorFlow's kernels pool without gaps, so pixels between are left out before. */
function poolBordered(call: OnnxCall, op: "MaxPool" | "AvgPool", images: Output, window: Window): Output {
  const { sides, strides, isSame } = window;
  if (!isDilated(window)) {
    const attrs = { ksize: [1, ...sides, 1], strides: [1, ...strides, 1] };
    return call.op(op, [images], { ...attrs, padding: isSame ? "SAME" : "VALID" });
  }
  const apart = sides.reduce(
    (parts, _, at) =>
      call.op("GatherV2", [parts, windowPixels(call, images, window, at), call.ints(at + 1, "axis")]),
    images,
  );
  const attrs = { ksize: [1, ...sides, 1], strides: [1, ...sides, 1] };
  return call.op(op, [apart], { ...attrs, padding: "VALID" });
}

/** Places along rows or columns of the pixels under each window, one window after the other. */
function windowPixels(
  call: OnnxCall,
  images: Output,
  { sides, strides, dilations }: Window,
  at: number,
): Output {
  const [side, stride, rate] = [sides[at] ?? 1, strides[at] ?? 1, dilations[at] ?? 1];
  const reach = (side - 1) * rate + 1;
  const steps = Array.from({ length: side }, (_, tap) => tap * rate);
  const size = images.shape?.[at + 1] ?? -1;
  if (size >= 0) {
    const count = Math.max(0, Math.floor((size - reach) / stride) + 1);
    const pixels = Array.from({ length: count }, (_, index) => steps.map((step) => index * stride + step));
    return call.ints(pixels.flat(), "pixels");
  }
  const sizes = call.op("Shape", [images]);
  const all = call.op("GatherV2", [sizes, call.ints(at + 1, "dimension"), call.ints(0, "first")]);
  const end = call.op("Maximum", [
    call.op("Sub", [all, call.ints(reach - 1, "reach")]),
    call.ints(0, "zero"),
  ]);
  const starts = call.op("Range", [call.ints(0, "start"), end, call.ints(stride, "stride")]);
  const pixels = call.op("AddV2", [
    call.op("ExpandDims", [starts, call.ints(1, "column")]),
    call.ints(steps, "steps"),
  ]);
  return call.op("Reshape", [pixels, call.ints([-1], "list")]);
}

function maxPool(call: OnnxCall, images: Output, window: Window): Output {
  const bordered = padded(call, images, sum(window.pads, window.over), LOWEST[images.dtype] ?? 0);
  return poolBordered(call, "MaxPool", bordered, window);
}

/** Padding counts if the model says so; what rounding up adds behind it does not. */
function averagePool(call: OnnxCall, images: Output, window: Window): Output {
  const countsPads = call.int("count_include_pad", 0) === 1;
  if (countsPads && window.isSame)
    throw call.unsupported("counts as much padding as sizes ask that are not known");
  const [all, hasOver] = [sum(window.pads, window.over), window.over.some((size) => size > 0)];
  const means = poolBordered(call, "AvgPool", padded(call, images, all, 0), window);
  if (!hasOver && (countsPads || window.pads.every((size) => size === 0))) return means;
  const ones = call.op("OnesLike", [images]);
  const counted = countsPads
    ? padded(call, padded(call, ones, window.pads, 1), sum([0, 0, 0, 0], window.over), 0)
    : padded(call, ones, all, 0);
  return call.op("RealDiv", [means, poolBordered(call, "AvgPool", counted, window)]);
}

/** @param over behind height and width */
function sum(
  [top = 0, left = 0, bottom = 0, right = 0]: readonly number[],
  [high = 0, wide = 0]: readonly number[],
) {
  return [top, left, bottom + high, right + wide];
}

function globalPool(op: "Max" | "Mean"): OnnxOp {
  return (call) => {
    const axes = Array.from({ length: call.rank(call.input()) - 2 }, (_, at) => at + 2);
    return call.op(op, [call.input(), call.ints(axes, "axes")], { keep_dims: true });
  };
}

function batchNormalization(call: OnnxCall): Output {
  if (call.int("training_mode", 0) !== 0) throw call.unsupported("is in training");
  const x = call.input();
  const shape = [-1, ...Array<number>(call.rank(x) - 2).fill(1)];
  const alongside = (at: number) => call.op("Reshape", [call.input(at), call.ints(shape, "shape")]);
  const [gamma, beta, mean, variance] = [1, 2, 3, 4].map(alongside);
  if (!mean || !variance) throw call.unsupported("has no statistics");
  return call.normalize(x, { mean, variance, gamma, beta, epsilon: call.float("epsilon", 1e-5) });
}

/** The result, its means, and the inverses of its deviations. The statistics are of float32, whatever the input is. */
function layerNormalization(call: OnnxCall): readonly Output[] {
  if (call.int("stash_type", TensorProto_DataType.FLOAT) !== TensorProto_DataType.FLOAT)
    throw call.unsupported("has statistics of another dtype than float32");
  const x = call.input();
  const rank = call.rank(x);
  const first = call.axis(call.int("axis", -1), rank);
  const axes = Array.from({ length: rank - first }, (_, at) => first + at);
  const floats = call.cast(x, "float32");
  const { mean, variance } = call.moments(floats, axes);
  const epsilon = call.like(variance, call.float("epsilon", 1e-5), "epsilon");
  const inverse = call.op("Rsqrt", [call.op("AddV2", [variance, epsilon])]);
  const centred = call.op("Mul", [call.op("Sub", [floats, mean]), inverse]);
  const scaled = call.op("Mul", [call.cast(centred, x.dtype), call.input(1)]);
  const beta = call.optional(2);
  return [beta ? call.op("AddV2", [scaled, beta]) : scaled, mean, inverse].slice(0, call.outputs);
}

/** alpha · A · B + beta · C */
function gemm(call: OnnxCall): Output {
  const attrs = { transpose_a: call.int("transA", 0) === 1, transpose_b: call.int("transB", 0) === 1 };
  const product = call.op("MatMul", [call.input(0), call.input(1)], attrs);
  const scaled = (tensor: Output, factor: number, name: string) =>
    factor === 1 ? tensor : call.op("Mul", [tensor, call.like(tensor, factor, name)]);
  const sums = scaled(product, call.float("alpha", 1), "alpha");
  const added = call.optional(2);
  return added ? call.op("AddV2", [sums, scaled(added, call.float("beta", 1), "beta")]) : sums;
}

/** A vector is a row on the left and a column on the right, whose dimension the result does not have. */
function matMul(call: OnnxCall): Output {
  const [isRow, isColumn] = [call.rank(call.input(0)) === 1, call.rank(call.input(1)) === 1];
  const left = isRow ? call.op("ExpandDims", [call.input(0), call.ints(0, "row")]) : call.input(0);
  const right = isColumn ? call.op("ExpandDims", [call.input(1), call.ints(1, "column")]) : call.input(1);
  const product = call.op("BatchMatMulV2", [left, right]);
  if (!isRow && !isColumn) return product;
  return call.op("Squeeze", [product], { squeeze_dims: [...(isRow ? [-2] : []), ...(isColumn ? [-1] : [])] });
}

function softmax(op: "Softmax" | "LogSoftmax"): OnnxOp {
  return (call) => {
    const x = call.input();
    const rank = call.rank(x);
    const axis = call.axis(call.int("axis", -1), rank);
    if (axis === rank - 1) return call.op(op, [x]);
    const order = Array.from({ length: rank }, (_, at) => at);
    [order[axis], order[rank - 1]] = [rank - 1, axis];
    return call.transpose(call.op(op, [call.transpose(x, order)]), order);
  };
}

export const NETWORK_OPS: Readonly<Record<string, OnnxOp>> = {
  ...{ Conv: conv, MaxPool: pool("MaxPool"), AveragePool: pool("AvgPool") },
  ...{ GlobalMaxPool: globalPool("Max"), GlobalAveragePool: globalPool("Mean") },
  ...{ BatchNormalization: batchNormalization, LayerNormalization: layerNormalization },
  ...{ Gemm: gemm, Softmax: softmax("Softmax"), LogSoftmax: softmax("LogSoftmax") },
  MatMul: matMul,
};
