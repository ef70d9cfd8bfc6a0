/** Layers of images [batch, height, width, channels]. */
import type { Output } from "../operation.js";
import { ACTIVATION, BIAS, type LayerBuilder, type LayerField, type LayerSpec, PADDING } from "./layer.js";

const IMAGES = "images [batch, height, width, channels]";
const KERNEL: LayerField = { name: "kernel", label: "Kernel, in pixels", kind: "int", initial: 3, min: 1 };
const POOL: LayerField = { name: "pool", label: "Pool, in pixels", kind: "int", initial: 2, min: 1 };
const strideFrom = (initial: number): LayerField => ({
  ...{ name: "stride", label: "Stride", kind: "int", initial, min: 1 },
});

/** The shape of what slides over images, with so many channels. */
function slidShape(layer: LayerBuilder, input: Output, window: number, channels: number): readonly number[] {
  const stride = layer.number("stride");
  const steps = (size: number) =>
    size < 0 ? -1 : Math.ceil((layer.text("padding") === "SAME" ? size : size - window + 1) / stride);
  const [batch = -1, height = -1, width = -1] = input.shape ?? [];
  return [batch, steps(height), steps(width), channels];
}

function strides(layer: LayerBuilder): { readonly strides: readonly number[]; readonly padding: string } {
  const stride = layer.number("stride");
  return { strides: [1, stride, stride, 1], padding: layer.text("padding") };
}

export const conv2d: LayerSpec = {
  name: "Conv2D",
  description: "Filters slide over images; each sees all channels.",
  fields: [
    { name: "filters", label: "Filters", kind: "int", initial: 32, min: 1 },
    ...[KERNEL, strideFrom(1), PADDING, ACTIVATION, BIAS],
  ],
  build(layer, input) {
    layer.requireRank(input, 4, IMAGES);
    const channels = layer.size(input, -1);
    const [filters, side] = [layer.number("filters"), layer.number("kernel")];
    const area = side * side;
    const kernel = layer.weights("kernel", [side, side, channels, filters], area * channels, area * filters);
    const sums = layer.op("Conv2D", [input, kernel], strides(layer));
    return layer.finish(layer.shaped(sums, slidShape(layer, input, side, filters)), filters);
  },
};

export const depthwiseConv2d: LayerSpec = {
  name: "DepthwiseConv2D",
  description: "A filter of its own for each channel of images.",
  fields: [KERNEL, strideFrom(1), PADDING, ACTIVATION, BIAS],
  build(layer, input) {
    layer.requireRank(input, 4, IMAGES);
    const channels = layer.size(input, -1);
    const side = layer.number("kernel");
    const area = side * side;
    const kernel = layer.weights("kernel", [side, side, channels, 1], area * channels, area);
    const sums = layer.op("DepthwiseConv2dNative", [input, kernel], strides(layer));
    return layer.finish(layer.shaped(sums, slidShape(layer, input, side, channels)), channels);
  },
};

function pooling(name: string, op: "MaxPool" | "AvgPool", what: string): LayerSpec {
  return {
    name,
    description: `The ${what} of each pool of pixels.`,
    fields: [
      POOL,
      strideFrom(2),
      { ...PADDING, kind: "choice", initial: "VALID", choices: ["SAME", "VALID"] },
    ],
    build(layer, input) {
      layer.requireRank(input, 4, IMAGES);
      const pool = layer.number("pool");
      const pooled = layer.op(op, [input], { ksize: [1, pool, pool, 1], ...strides(layer) });
      return layer.shaped(pooled, slidShape(layer, input, pool, input.shape?.[3] ?? -1));
    },
  };
}

export const maxPooling = pooling("MaxPooling2D", "MaxPool", "largest value");
export const averagePooling = pooling("AveragePooling2D", "AvgPool", "mean");

export const globalAveragePooling: LayerSpec = {
  name: "GlobalAveragePooling2D",
  description: "The mean of all pixels of each channel.",
  fields: [],
  build(layer, input): Output {
    layer.requireRank(input, 4, IMAGES);
    return layer.op("Mean", [input, layer.ints([1, 2], "axes")]);
  },
};
