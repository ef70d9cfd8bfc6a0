/**
 * The parts of metrics: running totals are in local variables, which `localVariablesInitializer` sets to 0.
 * Facts from tensorflow/python/ops/metrics_impl.py.
 */
import type { DType } from "../../protocol/dtype.js";
import { squeezeLast, squeezeOrExpand } from "../example-weights.js";
import { Graph } from "../graph.js";
import type { OpValue } from "../graph-op-builder.js";
import type { Output } from "../operation.js";
import { toTensor } from "../ops/common.js";
import { zerosInitializer } from "../ops/initializers.js";
import { cast } from "../ops/math.js";
import { GraphKeys, variable } from "../ops/state.js";
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
 * metric with them. Both are float32 scalars unless the metric says otherwise. Run in one step, it is open whether
 * `value` has the step in it.
 */
export type Metric = readonly [value: Output, updateOp: Output];

/** A variable that a metric counts in. */
export function metricVariable(
  graph: Graph,
  name: string,
  shape: readonly number[] = [],
  dtype: DType = "float32",
): Variable {
  const initial = zerosInitializer();
  return variable(
    graph,
    { shape, dtype, make: () => initial(graph, shape, dtype) },
    {
      name,
      kind: "resource",
      trainable: false,
      collections: [GraphKeys.LOCAL_VARIABLES, GraphKeys.METRIC_VARIABLES],
    },
  );
}

/** Adds a metric to the collections that its options name. */
export function collected(metric: Metric, options: MetricOptions): Metric {
  const [value, updateOp] = metric;
  const graph = Graph.of(value);
  for (const name of options.metricsCollections ?? []) graph.addToCollection(name, value);
  for (const name of options.updatesCollections ?? []) graph.addToCollection(name, updateOp);
  return metric;
}

/** Makes the value of a metric, which waits for nothing that the code around it waits for. */
export function apart(graph: Graph, make: () => Output): Output {
  return graph.withControlDependencies(undefined, make);
}

/** Weights as float32 with the dimensions of the values. */
export function weightsOf(graph: Graph, weights: OpValue, values: Output): Output {
  return squeezeOrExpand(cast(toTensor(graph, weights, "weights", "float32"), "float32"), values);
}

/** Labels and predictions of one shape. */
export function compared(labels: Output, predictions: Output): ReturnType<typeof squeezeLast> {
  const pair = squeezeLast(labels, predictions);
  mergeShapes(pair.predictions.shape, pair.labels.shape, "Predictions and labels of a metric");
  return pair;
}
