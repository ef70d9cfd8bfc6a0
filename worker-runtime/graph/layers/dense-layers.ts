/** Layers of vectors: they work on the last dimension. */
import type { Output } from "../operation.js";
import { assignSub, type Variable } from "../ops/index.js";
import { ACTIVATION, BIAS, EPSILON, type LayerBuilder, type LayerSpec } from "./layer.js";

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
  takes: "any",
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

/** The values of which a batch normalization takes the mean and the variance. */
const STATISTICS = ["moving", "batch"] as const;

export const batchNorm: LayerSpec = {
  name: "BatchNorm",
  description:
    "Normalizes each channel by its moving statistics; or, to train, by those of the batch, which then move the others.",
  fields: [
    { name: "statistics", label: "Statistics", kind: "choice", initial: "moving", choices: STATISTICS },
    { name: "momentum", label: "Momentum of the moving ones", kind: "number", initial: 0.99, min: 0, max: 1 },
    EPSILON,
  ],
  build(layer, input) {
    const channels = layer.size(input, -1);
    const epsilon = layer.number("epsilon");
    const gamma = layer.filled("gamma", [channels], 1);
    const beta = layer.filled("beta", [channels], 0);
    const movingMean = layer.statistic("moving_mean", [channels], 0);
    const movingVariance = layer.statistic("moving_variance", [channels], 1);
    if (layer.text("statistics") === "moving") {
      const known = { mean: movingMean.value, variance: movingVariance.value };
      return layer.normalize(input, { ...known, gamma, beta, epsilon });
    }
    const rank = input.shape?.length ?? 2;
    const axes = Array.from({ length: rank - 1 }, (_, axis) => axis);
    const moments = layer.moments(input, axes);
    const moved = [
      moveTowards(layer, movingMean, layer.shaped(moments.mean, [channels])),
      moveTowards(layer, movingVariance, layer.shaped(moments.variance, [channels])),
    ];
    const normalized = layer.normalize(input, { ...moments, gamma, beta, epsilon });
    // Whoever takes the result also moves the statistics, as a step of training in Keras does.
    return layer.graph.withControlDependencies(moved, () => layer.op("Identity", [normalized]));
  },
};

/** moving − (moving − batch) · (1 − momentum) */
function moveTowards(layer: LayerBuilder, moving: Variable, ofBatch: Output): Output {
  const share = layer.scalar(1 - layer.number("momentum"), "share");
  const difference = layer.op("Sub", [moving.value, ofBatch]);
  return assignSub(moving, layer.op("Mul", [difference, share]));
}

export const layerNorm: LayerSpec = {
  name: "LayerNorm",
  description: "Normalizes the last dimension of each example by its own mean and variance.",
  fields: [EPSILON],
  build(layer, input) {
    const size = layer.size(input, -1);
    const gamma = layer.filled("gamma", [size], 1);
    const beta = layer.filled("beta", [size], 0);
    return layer.normalize(input, {
      ...layer.moments(input, [-1]),
      ...{ gamma, beta, epsilon: layer.number("epsilon") },
    });
  },
};
