/**
 * Weights of examples and of single values, as losses and metrics take them: a scalar, or as many dimensions as the
 * values, each of the same size or 1. Facts from tensorflow/python/ops/weights_broadcast_ops.py.
 */
import { invalidArgument } from "../protocol/status.js";
import { Graph } from "./graph.js";
import type { Operation, Output } from "./operation.js";
import { expandDims, onesLike, squeeze } from "./ops/array.js";
import { equal, multiply } from "./ops/math.js";
import { type Shape, shapeLabel } from "./shape.js";

function mayBeOne(shape: Shape): boolean {
  const last = shape.at(-1) ?? 0;
  return last === 1 || last < 0;
}

/**
 * Labels and predictions without a last dimension of size 1 that only one of them has.
 * @param rankDifference how many more dimensions predictions have than labels
 */
export function squeezeLast(
  labels: Output,
  predictions: Output,
  rankDifference = 0,
): { readonly labels: Output; readonly predictions: Output } {
  if (!labels.shape || !predictions.shape) return { labels, predictions };
  const excess = predictions.shape.length - labels.shape.length - rankDifference;
  if (excess === 1 && mayBeOne(predictions.shape)) return { labels, predictions: squeeze(predictions, [-1]) };
  if (excess === -1 && mayBeOne(labels.shape)) return { labels: squeeze(labels, [-1]), predictions };
  return { labels, predictions };
}

/** Weights with a last dimension less or more, if that gives them as many dimensions as the values have. */
export function squeezeOrExpand(weights: Output, values: Output): Output {
  if (!weights.shape || !values.shape || weights.shape.length === 0) return weights;
  const excess = weights.shape.length - values.shape.length;
  if (excess === 1) return squeeze(weights, [-1]);
  return excess === -1 ? expandDims(weights, -1) : weights;
}

/**
 * Checks that weights suit values, at once as far as their shapes are known.
 * @returns an operation that checks the rest in each run; undefined if nothing is left to check
 * @throws TensorFlowError INVALID_ARGUMENT if they do not, or if the number of dimensions of either is not known
 */
export function checkWeights(weights: Output, values: Output): Operation | undefined {
  const [of, to] = [weights.shape, values.shape];
  if (of?.length === 0) return undefined;
  const shapes = `The weights ${weights.name} have shape ${shapeLabel(of)}, the values ${values.name} ${shapeLabel(to)}`;
  const wanted = "Weights are a scalar or have the dimensions of the values, each of the same size or 1.";
  if (!of || !to) throw invalidArgument(`${shapes}: the number of dimensions must be known. ${wanted}`);
  const misfit = of.some((size, i) => size >= 0 && size !== 1 && (to[i] ?? -1) >= 0 && size !== to[i]);
  if (of.length !== to.length || misfit) throw invalidArgument(`${shapes}. ${wanted}`);
  if (of.every((size, i) => size === 1 || (size >= 0 && size === to[i]))) return undefined;
  const graph = Graph.of(weights);
  return graph.withNameScope("assert_broadcastable", (scope) => {
    const sizes = graph.op("Shape", [weights]).output;
    const wantedSizes = graph.op("Shape", [values]).output;
    const fits = graph.op("LogicalOr", [equal(sizes, 1), equal(sizes, wantedSizes)]);
    const all = graph.op("All", [fits, [0]]);
    const data = [
      "weights can not be broadcast to values. weights.shape=",
      sizes,
      "values.shape=",
      wantedSizes,
    ];
    return graph.op("Assert", [all, data], {}, scope);
  });
}

/** Runs `body` so that its nodes run after the check of the weights. */
export function withCheckedWeights<T>(weights: Output, values: Output, body: () => T): T {
  const check = checkWeights(weights, values);
  return check ? Graph.of(weights).withControlDependencies([check], body) : body();
}

/** Weights in the shape of the values. @throws TensorFlowError INVALID_ARGUMENT as `checkWeights` does */
export function broadcastWeights(weights: Output, values: Output): Output {
  const [of, to] = [weights.shape, values.shape];
  if (of && to && of.length === to.length && of.every((size, i) => size >= 0 && size === to[i]))
    return weights;
  return Graph.of(weights).withNameScope("broadcast_weights", (scope) =>
    withCheckedWeights(weights, values, () => multiply(weights, onesLike(values), { name: scope })),
  );
}
