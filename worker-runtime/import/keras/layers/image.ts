/** Convolutions and pooling, of images [batch, height, width, channels] and of sequences [batch, time, channels]. */
import type { Output } from "../../../graph/operation.js";
import { type KerasLayer, kernelAndBias, type LayerCall } from "../layer-call.js";
import type { LayerConfig } from "../layer-config.js";
import { weightsOfSteps } from "../masks.js";

const IMAGES = "images [batch, height, width, channels]";
const SEQUENCES = "sequences [batch, time, channels]";

function paddingOf(config: LayerConfig): "SAME" | "VALID" {
  const padding = config.text("padding", "valid");
  if (padding === "same") return "SAME";
  if (padding === "valid") return "VALID";
  throw config.unsupported(`pads by "${padding}"`);
}

const ofImage = (sizes: readonly number[]) => [1, ...sizes, 1];

function conv2d(layer: LayerCall): Output {
  const { input, config } = layer;
  config.requireChannelsLast();
  layer.requireRank(input, 4, IMAGES);
  const channels = layer.size(input, -1);
  const filters = config.int("filters");
  const groups = config.int("groups", 1);
  const sides = config.sizes("kernel_size", 2);
  const kernel = layer.weight("kernel", [...sides, channels / groups, filters]);
  const sums = layer.op("Conv2D", [input, kernel], {
    strides: ofImage(config.sizes("strides", 2, 1)),
    padding: paddingOf(config),
    dilations: ofImage(config.sizes("dilation_rate", 2, 1)),
  });
  return layer.finish(sums, filters);
}

/** Convolves sequences as images of one row. */
function conv1d(layer: LayerCall): Output {
  const { config } = layer;
  config.requireChannelsLast();
  layer.requireRank(layer.input, 3, SEQUENCES);
  const channels = layer.size(layer.input, -1);
  const [filters, groups] = [config.int("filters"), config.int("groups", 1)];
  const [width = 1] = config.sizes("kernel_size", 1);
  const [stride = 1] = config.sizes("strides", 1, 1);
  const [dilation = 1] = config.sizes("dilation_rate", 1, 1);
  const isCausal = config.text("padding", "valid") === "causal";
  const input = isCausal ? paddedBefore(layer, (width - 1) * dilation) : layer.input;
  const row = layer.ints(1, "row");
  const kernel = layer.weight("kernel", [width, channels / groups, filters]);
  const sums = layer.op(
    "Conv2D",
    [layer.op("ExpandDims", [input, row]), layer.op("ExpandDims", [kernel, layer.ints(0, "height")])],
    {
      strides: [1, 1, stride, 1],
      padding: isCausal ? "VALID" : paddingOf(config),
      dilations: [1, 1, dilation, 1],
    },
  );
  return layer.finish(layer.op("Squeeze", [sums], { squeeze_dims: [1] }), filters);
}

function paddedBefore(layer: LayerCall, steps: number): Output {
  const pads = layer.ints([0, 0, steps, 0, 0, 0], "paddings", [3, 2]);
  return layer.op("Pad", [layer.input, pads]);
}

/** A convolution with filters of its own for each channel. */
function depthwise(layer: LayerCall, weight: string): Output {
  const { input, config } = layer;
  config.requireChannelsLast();
  layer.requireRank(input, 4, IMAGES);
  const channels = layer.size(input, -1);
  const [high = 1, wide = 1] = config.sizes("strides", 2, 1);
  if (high !== wide) throw config.unsupported("has strides that differ");
  if (config.sizes("dilation_rate", 2, 1).some((rate) => rate !== 1)) throw config.unsupported("is dilated");
  const sides = config.sizes("kernel_size", 2);
  const kernel = layer.weight(weight, [...sides, channels, config.int("depth_multiplier", 1)]);
  return layer.op("DepthwiseConv2dNative", [input, kernel], {
    strides: [1, high, wide, 1],
    padding: paddingOf(config),
  });
}

function depthwiseConv2d(layer: LayerCall): Output {
  const sums = depthwise(layer, "kernel");
  return layer.finish(sums, layer.size(sums, -1));
}

function separableConv2d(layer: LayerCall): Output {
  const filters = layer.config.int("filters");
  const each = depthwise(layer, "depthwise_kernel");
  const kernel = layer.weight("pointwise_kernel", [1, 1, layer.size(each, -1), filters]);
  const sums = layer.op("Conv2D", [each, kernel], { strides: [1, 1, 1, 1], padding: "VALID" });
  return layer.finish(sums, filters);
}

function conv2dTranspose(layer: LayerCall): Output {
  const { input, config } = layer;
  config.requireChannelsLast();
  layer.requireRank(input, 4, IMAGES);
  if (config.has("output_padding")) throw config.unsupported("has an output padding");
  if (config.sizes("dilation_rate", 2, 1).some((rate) => rate !== 1)) throw config.unsupported("is dilated");
  const filters = config.int("filters");
  const sides = config.sizes("kernel_size", 2);
  const strides = config.sizes("strides", 2, 1);
  const padding = paddingOf(config);
  const kernel = layer.weight("kernel", [...sides, filters, layer.size(input, -1)]);
  const grown = sides.map((side, at) => {
    const stride = strides[at] ?? 1;
    const size = layer.size(input, at + 1) * stride;
    return padding === "SAME" ? size : size + Math.max(side - stride, 0);
  });
  const batch = layer.op("GatherV2", [
    layer.op("Shape", [input]),
    layer.ints([0], "first"),
    layer.ints(0, "axis"),
  ]);
  const shape = layer.op("ConcatV2", [
    [batch, layer.ints([...grown, filters], "image")],
    layer.ints(0, "axis"),
  ]);
  const sums = layer.op("Conv2DBackpropInput", [shape, kernel, input], {
    strides: ofImage(strides),
    padding,
  });
  return layer.finish(layer.shaped(sums, [input.shape?.[0] ?? -1, ...grown, filters]), filters);
}

/** @param sequences of sequences as images of one row; otherwise of images */
function pooling(op: "MaxPool" | "AvgPool", sequences: boolean): KerasLayer {
  return {
    call(layer) {
      const { input, config } = layer;
      config.requireChannelsLast();
      layer.requireRank(input, sequences ? 3 : 4, sequences ? SEQUENCES : IMAGES);
      const count = sequences ? 1 : 2;
      const pool = config.sizes("pool_size", count, 2);
      const strides = config.has("strides") ? config.sizes("strides", count) : pool;
      const over = (sizes: readonly number[]) => ofImage(sequences ? [1, ...sizes] : sizes);
      const attrs = { ksize: over(pool), strides: over(strides), padding: paddingOf(config) };
      if (!sequences) return layer.op(op, [input], attrs);
      const pooled = layer.op(op, [layer.op("ExpandDims", [input, layer.ints(1, "row")])], attrs);
      return layer.op("Squeeze", [pooled], { squeeze_dims: [1] });
    },
  };
}

/** The mean of the steps that count. */
function meanOfSteps(layer: LayerCall, mask: Output, keepDims: boolean): Output {
  const weights = weightsOfSteps(layer, mask);
  const time = layer.ints([1], "axes");
  const sum = (tensor: Output) => layer.op("Sum", [tensor, time], { keep_dims: keepDims });
  return layer.op("RealDiv", [sum(layer.op("Mul", [layer.input, weights])), sum(weights)]);
}

function globalPooling(op: "Max" | "Mean", axes: readonly number[]): KerasLayer {
  return {
    call(layer) {
      layer.config.requireChannelsLast();
      layer.requireRank(layer.input, axes.length + 2, axes.length === 1 ? SEQUENCES : IMAGES);
      const keepDims = layer.config.flag("keepdims");
      const { mask } = layer;
      if (mask && op === "Mean") return meanOfSteps(layer, mask, keepDims);
      return layer.op(op, [layer.input, layer.ints(axes, "axes")], { keep_dims: keepDims });
    },
  };
}

export const IMAGE_LAYERS: Readonly<Record<string, KerasLayer>> = {
  Conv1D: { weights: kernelAndBias, call: conv1d },
  Conv2D: { weights: kernelAndBias, call: conv2d },
  Conv2DTranspose: { weights: kernelAndBias, call: conv2dTranspose },
  DepthwiseConv2D: { weights: kernelAndBias, call: depthwiseConv2d },
  SeparableConv2D: {
    weights: (config) => kernelAndBias(config, ["depthwise_kernel", "pointwise_kernel"]),
    call: separableConv2d,
  },
  MaxPooling1D: pooling("MaxPool", true),
  MaxPooling2D: pooling("MaxPool", false),
  AveragePooling1D: pooling("AvgPool", true),
  AveragePooling2D: pooling("AvgPool", false),
  GlobalMaxPooling1D: globalPooling("Max", [1]),
  GlobalMaxPooling2D: globalPooling("Max", [1, 2]),
  GlobalAveragePooling1D: globalPooling("Mean", [1]),
  GlobalAveragePooling2D: globalPooling("Mean", [1, 2]),
};
