/** Layers of vectors: they work on the last dimension. */
import { ACTIVATION, BIAS, EPSILON, type LayerSpec } from "./layer.js";

export const dense: LayerSpec = {
  name: "Dense",
  description: "Each unit is a weighted sum of the last dimension.",
  fields: [{ name: "units", label: "Units", kind: "int", initial: 64, min: 1 }, ACTIVATION, BIAS],
  build(layer, input) {
    const units = layer.number("units");
    const size = layer.size(input, -1);
    const kernel = layer.weights("kernel", [size, units], size, units);
    const rank = input.shape?.length ?? 2;
    if (rank <= 2) return layer.finish(layer.op("MatMul", [input, kernel]), units);
    const letters = "abcdefgh".slice(0, rank - 1);
    const sums = layer.einsum(`${letters}y,yz->${letters}z`, input, kernel);
    return layer.finish(layer.shaped(sums, [...(input.shape ?? []).slice(0, -1), units]), units);
  },
};

export const embedding: LayerSpec = {
  name: "Embedding",
  description: "A trained vector for each whole number, such as a word's.",
  fields: [
    { name: "vocabulary", label: "Numbers, from 0", kind: "int", initial: 1000, min: 1 },
    { name: "size", label: "Size of a vector", kind: "int", initial: 64, min: 1 },
  ],
  build(layer, input) {
    layer.requireIntegers(input);
    const [vocabulary, size] = [layer.number("vocabulary"), layer.number("size")];
    const vectors = layer.weights("embeddings", [vocabulary, size], vocabulary, size);
    const found = layer.op("GatherV2", [vectors, input, layer.ints(0, "axis")]);
    return input.shape ? layer.shaped(found, [...input.shape, size]) : found;
  },
};

export const dropout: LayerSpec = {
  name: "Dropout",
  description: "In training: sets a part of the elements to zero and scales the others up.",
  fields: [{ name: "rate", label: "Rate", kind: "number", initial: 0.5, min: 0, max: 0.99 }],
  build(layer, input) {
    const rate = layer.number("rate");
    const random = layer.op("RandomUniform", [layer.op("Shape", [input])], { dtype: "float32" });
    const kept = layer.op("GreaterEqual", [random, layer.scalar(rate, "rate")]);
    const mask = layer.op("Cast", [kept], { DstT: "float32" });
    return layer.op("Mul", [layer.op("Mul", [input, layer.scalar(1 / (1 - rate), "scale")]), mask]);
  },
};

/** Dimensions over which a normalization's statistics are. */
const STATISTICS = ["moving", "batch"] as const;

export const batchNorm: LayerSpec = {
  name: "BatchNorm",
  description: "Normalizes each channel by its moving statistics, or by those of the batch, as in training.",
  fields: [
    { name: "statistics", label: "Statistics", kind: "choice", initial: "moving", choices: STATISTICS },
    EPSILON,
  ],
  build(layer, input) {
    const channels = layer.size(input, -1);
    const gamma = layer.filled("gamma", [channels], 1);
    const beta = layer.filled("beta", [channels], 0);
    const movingMean = layer.filled("moving_mean", [channels], 0);
    const movingVariance = layer.filled("moving_variance", [channels], 1);
    if (layer.text("statistics") === "moving")
      return layer.normalize(input, { mean: movingMean, variance: movingVariance, gamma, beta });
    const rank = input.shape?.length ?? 2;
    const axes = Array.from({ length: rank - 1 }, (_, axis) => axis);
    return layer.normalize(input, { ...layer.moments(input, axes), gamma, beta });
  },
};

export const layerNorm: LayerSpec = {
  name: "LayerNorm",
  description: "Normalizes the last dimension of each example by its own mean and variance.",
  fields: [EPSILON],
  build(layer, input) {
    const size = layer.size(input, -1);
    const gamma = layer.filled("gamma", [size], 1);
    const beta = layer.filled("beta", [size], 0);
    return layer.normalize(input, { ...layer.moments(input, [-1]), gamma, beta });
  },
};
