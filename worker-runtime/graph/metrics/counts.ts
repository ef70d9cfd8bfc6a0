/** Counts of right and wrong yes-or-no predictions over many steps, and their ratios, as in tf.compat.v1.metrics. */
import { withCheckedWeights } from "../example-weights.js";
import { Graph } from "../graph.js";
import type { OpValue } from "../graph-op-builder.js";
import type { Output } from "../operation.js";
import { zerosLike } from "../ops/array.js";
import {
  add,
  cast,
  divide,
  greater,
  logicalAnd,
  logicalNot,
  multiply,
  reduceSum,
  where,
} from "../ops/math.js";
import { assignAdd, readVariable } from "../ops/state.js";
import type { Variable } from "../variable.js";
import {
  apart,
  collected,
  compared,
  type Metric,
  type MetricOptions,
  metricVariable,
  weightsOf,
} from "./metric.js";

/** Whether a prediction counts, by its label and itself. */
type Condition = (isWanted: Output, isFound: Output) => Output;

/** How many predictions fulfil a condition, each by its weight. */
function count(name: string, condition: Condition) {
  return (labels: Output, predictions: Output, options: MetricOptions = {}): Metric => {
    const graph = Graph.of(labels);
    return graph.withNameScope(options.name ?? name, () => {
      const pair = compared(cast(labels, "bool"), cast(predictions, "bool"));
      const { count: total, updated } = counter(
        graph,
        condition(pair.labels, pair.predictions),
        options.weights,
      );
      return collected([apart(graph, () => readVariable(total)), updated], options);
    });
  };
}

/** How many predictions are true, as their labels. Numbers are true unless they are 0, here and in all of these. */
export const truePositives = count("true_positives", logicalAnd);
/** How many predictions are false, as their labels. */
export const trueNegatives = count("true_negatives", (isWanted, isFound) =>
  logicalAnd(logicalNot(isWanted), logicalNot(isFound)),
);
/** How many predictions are true although their labels are not. */
export const falsePositives = count("false_positives", (isWanted, isFound) =>
  logicalAnd(logicalNot(isWanted), isFound),
);
/** How many predictions are false although their labels are true. */
export const falseNegatives = count("false_negatives", (isWanted, isFound) =>
  logicalAnd(isWanted, logicalNot(isFound)),
);

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
  isOther: Condition,
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
