/** Means over many steps, as in tf.compat.v1.metrics. */
import { invalidArgument } from "../../protocol/status.js";
import { broadcastWeights, squeezeLast } from "../example-weights.js";
import { Graph } from "../graph.js";
import type { Output } from "../operation.js";
import { onesLike, size, zerosLike } from "../ops/array.js";
import {
  absolute,
  cast,
  divide,
  divideNoNan,
  equal,
  less,
  maximum,
  multiply,
  reduceSum,
  sqrt,
  squaredDifference,
  subtract,
  where,
} from "../ops/math.js";
import { assignAdd, readVariable } from "../ops/state.js";
import { shapeLabel } from "../shape.js";
import {
  apart,
  collected,
  compared,
  type Metric,
  type MetricOptions,
  metricVariable,
  weightsOf,
} from "./metric.js";

/** The mean of all values. */
export function mean(values: Output, options: MetricOptions = {}): Metric {
  const graph = Graph.of(values);
  return graph.withNameScope(options.name ?? "mean", () => {
    const numbers = cast(values, "float32");
    const total = metricVariable(graph, "total");
    const count = metricVariable(graph, "count");
    const weights =
      options.weights === undefined
        ? undefined
        : broadcastWeights(weightsOf(graph, options.weights, numbers), numbers);
    const weighted = weights ? multiply(numbers, weights) : numbers;
    const added = weights ? reduceSum(weights) : cast(size(numbers), "float32");
    const newTotal = assignAdd(total, reduceSum(weighted));
    const newCount = graph.withControlDependencies([weighted], () => assignAdd(count, added));
    const value = apart(graph, () =>
      divideNoNan(readVariable(total), maximum(readVariable(count), 0), { name: "value" }),
    );
    const updateOp = divideNoNan(newTotal, maximum(newCount, 0), { name: "update_op" });
    return collected([value, updateOp], options);
  });
}

/** How often predictions are equal to labels. */
export function accuracy(labels: Output, predictions: Output, options: MetricOptions = {}): Metric {
  const pair = compared(labels, predictions);
  const isRight = equal(cast(pair.predictions, pair.labels.dtype), pair.labels);
  return mean(cast(isRight, "float32"), { ...options, name: options.name ?? "accuracy" });
}

/** The mean of (label - prediction)². */
export function meanSquaredError(labels: Output, predictions: Output, options: MetricOptions = {}): Metric {
  const pair = compared(labels, predictions);
  const squares = squaredDifference(pair.labels, pair.predictions);
  return mean(squares, { ...options, name: options.name ?? "mean_squared_error" });
}

/** The mean of |prediction - label|. */
export function meanAbsoluteError(labels: Output, predictions: Output, options: MetricOptions = {}): Metric {
  const pair = compared(labels, predictions);
  const errors = absolute(subtract(pair.predictions, pair.labels));
  return mean(errors, { ...options, name: options.name ?? "mean_absolute_error" });
}

/** The mean of |label - prediction| / normalizer, which is 0 where the normalizer is. */
export function meanRelativeError(
  labels: Output,
  predictions: Output,
  normalizer: Output,
  options: MetricOptions = {},
): Metric {
  const pair = compared(labels, predictions);
  const by = squeezeLast(normalizer, pair.predictions).labels;
  const relative = divide(absolute(subtract(pair.labels, pair.predictions)), by);
  const errors = where(equal(by, 0), zerosLike(pair.labels), relative);
  return mean(errors, { ...options, name: options.name ?? "mean_relative_error" });
}

/** The square root of the mean of (label - prediction)². */
export function rootMeanSquaredError(
  labels: Output,
  predictions: Output,
  options: MetricOptions = {},
): Metric {
  const [value, updateOp] = meanSquaredError(labels, predictions, {
    weights: options.weights,
    name: options.name ?? "root_mean_squared_error",
  });
  const root = apart(Graph.of(labels), () => sqrt(value));
  return collected([root, sqrt(updateOp)], options);
}

/** 1 - the mean of the products of labels and predictions, summed along a dimension: of unit vectors. */
export function meanCosineDistance(
  labels: Output,
  predictions: Output,
  dim: number,
  options: MetricOptions = {},
): Metric {
  const pair = compared(labels, predictions);
  const products = reduceSum(multiply(pair.predictions, pair.labels), [dim], { keepDims: true });
  const [value, updateOp] = mean(products, {
    weights: options.weights,
    name: options.name ?? "mean_cosine_distance",
  });
  const distance = apart(Graph.of(labels), () => subtract(1, value));
  return collected([distance, subtract(1, updateOp)], options);
}

/** Which part of the values is below a threshold. */
export function percentageBelow(values: Output, threshold: number, options: MetricOptions = {}): Metric {
  const isBelow = cast(less(values, threshold), "float32");
  return mean(isBelow, { ...options, name: options.name ?? "percentage_below_threshold" });
}

/** The mean of each element, in the shape of the values, which must be known. */
export function meanTensor(values: Output, options: MetricOptions = {}): Metric {
  const graph = Graph.of(values);
  const { shape } = values;
  if (!shape || shape.some((size) => size < 0)) {
    throw invalidArgument(
      `meanTensor must know the shape of ${values.name}, which is ${shapeLabel(shape)}: give it one by reshape.`,
    );
  }
  return graph.withNameScope(options.name ?? "mean", () => {
    const numbers = cast(values, "float32");
    const total = metricVariable(graph, "total_tensor", shape);
    const count = metricVariable(graph, "count_tensor", shape);
    const weights =
      options.weights === undefined
        ? onesLike(numbers)
        : broadcastWeights(weightsOf(graph, options.weights, numbers), numbers);
    const weighted = options.weights === undefined ? numbers : multiply(numbers, weights);
    const newTotal = assignAdd(total, weighted);
    const newCount = graph.withControlDependencies([weighted], () => assignAdd(count, weights));
    const value = apart(graph, () =>
      divideNoNan(readVariable(total), maximum(readVariable(count), 0), { name: "value" }),
    );
    const updateOp = divideNoNan(newTotal, maximum(newCount, 0), { name: "update_op" });
    return collected([value, updateOp], options);
  });
}
