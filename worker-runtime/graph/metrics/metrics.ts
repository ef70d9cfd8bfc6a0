/**
 * Numbers that are gathered over many steps, as in tf.compat.v1.metrics: what is counted so far is in local variables,
 * which `localVariablesInitializer` sets to 0. Facts from tensorflow/python/ops/metrics_impl.py.
 */
import { broadcastWeights, squeezeLast, squeezeOrExpand, withCheckedWeights } from "../example-weights.js";
import { Graph } from "../graph.js";
import type { OpValue } from "../graph-op-builder.js";
import type { Output } from "../operation.js";
import { size, zerosLike } from "../ops/array.js";
import { toTensor } from "../ops/common.js";
import { zerosInitializer } from "../ops/initializers.js";
import {
  add,
  cast,
  divide,
  divideNoNan,
  equal,
  greater,
  logicalAnd,
  logicalNot,
  maximum,
  multiply,
  reduceSum,
  squaredDifference,
  where,
} from "../ops/math.js";
import { assignAdd, GraphKeys, readVariable, variable } from "../ops/state.js";
import { mergeShapes } from "../shape.js";
import type { Variable } from "../variable.js";

export interface MetricOptions {
  /** A scalar, or one with the dimensions of the values, each of the same size or 1; a weight of 0 leaves a value out. */
  readonly weights?: OpValue | undefined;
  /** Collections that the value is added to. */
  readonly metricsCollections?: readonly string[] | undefined;
  /** Collections that the update is added to. */
  readonly updatesCollections?: readonly string[] | undefined;
  /** The name scope of nodes and variables; defaults to the name of the metric. */
  readonly name?: string | undefined;
}

/**
 * A metric over all steps so far, and the tensor that takes the values of this step in when it is run: it is the
 * metric with them. Both are float32 scalars. Run in one step, it is open whether `value` has the step in it.
 */
export type Metric = readonly [value: Output, updateOp: Output];

/** A variable that a metric counts in. */
function metricVariable(graph: Graph, name: string): Variable {
  const initial = zerosInitializer();
  return variable(
    graph,
    { shape: [], dtype: "float32", make: () => initial(graph, [], "float32") },
    {
      name,
      kind: "resource",
      trainable: false,
      collections: [GraphKeys.LOCAL_VARIABLES, GraphKeys.METRIC_VARIABLES],
    },
  );
}

function collected(metric: Metric, options: MetricOptions): Metric {
  const [value, updateOp] = metric;
  const graph = Graph.of(value);
  for (const name of options.metricsCollections ?? []) graph.addToCollection(name, value);
  for (const name of options.updatesCollections ?? []) graph.addToCollection(name, updateOp);
  return metric;
}

/** Makes the value of a metric, which waits for nothing that the code around it waits for. */
function apart(graph: Graph, make: () => Output): Output {
  return graph.withControlDependencies(undefined, make);
}

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

/** Weights as float32 with the dimensions of the values. */
function weightsOf(graph: Graph, weights: OpValue, values: Output): Output {
  return squeezeOrExpand(cast(toTensor(graph, weights, "weights", "float32"), "float32"), values);
}

/** Labels and predictions of one shape. */
function compared(labels: Output, predictions: Output): ReturnType<typeof squeezeLast> {
  const pair = squeezeLast(labels, predictions);
  mergeShapes(pair.predictions.shape, pair.labels.shape, "Predictions and labels of a metric");
  return pair;
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

/** How many of the predictions that are true have a label that is; 0 if none is. Numbers are true unless they are 0. */
export function precision(labels: Output, predictions: Output, options: MetricOptions = {}): Metric {
  return share("precision", labels, predictions, options, "false_positives", (isWanted, isFound) =>
    logicalAnd(logicalNot(isWanted), isFound),
  );
}

/** How many of the labels that are true have a prediction that is; 0 if none is. Numbers are true unless they are 0. */
export function recall(labels: Output, predictions: Output, options: MetricOptions = {}): Metric {
  return share("recall", labels, predictions, options, "false_negatives", (isWanted, isFound) =>
    logicalAnd(isWanted, logicalNot(isFound)),
  );
}

/** True positives among themselves and others. */
function share(
  name: string,
  labels: Output,
  predictions: Output,
  options: MetricOptions,
  others: string,
  isOther: (isWanted: Output, isFound: Output) => Output,
): Metric {
  const graph = Graph.of(labels);
  return graph.withNameScope(options.name ?? name, () => {
    const pair = compared(cast(labels, "bool"), cast(predictions, "bool"));
    const counted = (scope: string, values: Output) =>
      graph.withNameScope(scope, () => counter(graph, values, options.weights));
    const right = counted("true_positives", logicalAnd(pair.labels, pair.predictions));
    const wrong = counted(others, isOther(pair.labels, pair.predictions));
    const part = (a: Output, b: Output, name: string) => {
      const all = add(a, b, { name: "add" });
      return where(greater(all, 0), divide(a, all), zerosLike(all), { name });
    };
    const value = apart(graph, () => part(readVariable(right.count), readVariable(wrong.count), "value"));
    return collected([value, part(right.updated, wrong.updated, "update_op")], options);
  });
}

/** Counts values that are true, each by its weight. */
function counter(
  graph: Graph,
  values: Output,
  given: OpValue | undefined,
): { readonly count: Variable; readonly updated: Output } {
  const count = metricVariable(graph, "count");
  const ones = cast(values, "float32");
  if (given === undefined) return { count, updated: assignAdd(count, reduceSum(ones)) };
  const weights = weightsOf(graph, given, ones);
  const weighted = withCheckedWeights(weights, ones, () => multiply(ones, weights));
  return { count, updated: assignAdd(count, reduceSum(weighted)) };
}
