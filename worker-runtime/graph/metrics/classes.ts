/** Metrics by class, as in tf.compat.v1.metrics. */
import { Tensor } from "../../protocol/tensor.js";
import { Graph } from "../graph.js";
import type { OpValue } from "../graph-op-builder.js";
import type { Output } from "../operation.js";
import { onesLike, reshape, stack } from "../ops/array.js";
import { toTensor } from "../ops/common.js";
import {
  add,
  cast,
  divide,
  divideNoNan,
  equal,
  greater,
  maximum,
  multiply,
  notEqual,
  reduceMean,
  reduceSum,
  subtract,
  where,
} from "../ops/math.js";
import { assignAdd, readVariable } from "../ops/state.js";
import type { Variable } from "../variable.js";
import { apart, collected, type Metric, type MetricOptions, metricVariable } from "./metric.js";

function flat(values: Output): Output {
  return values.shape?.length === 1 ? values : reshape(values, [-1]);
}

/** Weights as a vector, or as a scalar, of a floating-point dtype. */
function flatWeights(graph: Graph, weights: OpValue, dtype: "float32" | "float64"): Output {
  const made = cast(toTensor(graph, weights, "weights", "float32"), dtype);
  return made.shape?.length === 0 ? made : flat(made);
}

/**
 * The mean over classes of intersection over union: how many examples have a class both as label and as prediction,
 * among those that have it as either. Classes that no example has do not count.
 * @param labels indices of classes; with predictions of the same shape
 * @returns the mean, and as update the numbers of examples by label and prediction, float64 [classes, classes]
 */
export function meanIou(
  labels: Output,
  predictions: Output,
  numClasses: number,
  options: MetricOptions = {},
): Metric {
  const graph = Graph.of(labels);
  return graph.withNameScope(options.name ?? "mean_iou", () => {
    const total = metricVariable(graph, "total_confusion_matrix", [numClasses, numClasses], "float64");
    const indices = stack([flat(cast(labels, "int64")), flat(cast(predictions, "int64"))], 1);
    const ones = onesLike(cast(flat(labels), "float64"));
    const values =
      options.weights === undefined ? ones : multiply(ones, flatWeights(graph, options.weights, "float64"));
    const shape = Tensor.of([numClasses, numClasses], "int64");
    const updateOp = assignAdd(total, graph.op("ScatterNd", [indices, values, shape]).output);
    const value = apart(graph, () => iouOf(graph, readVariable(total)));
    return collected([value, updateOp], options);
  });
}

function iouOf(graph: Graph, confusion: Output): Output {
  const byPrediction = cast(reduceSum(confusion, 0), "float32");
  const byLabel = cast(reduceSum(confusion, 1), "float32");
  const both = cast(graph.op("MatrixDiagPart", [confusion]).output, "float32");
  const either = subtract(add(byPrediction, byLabel), both);
  const valid = reduceSum(cast(notEqual(either, 0), "float32"));
  const iou = divide(both, where(greater(either, 0), either, onesLike(either)));
  return divideNoNan(reduceSum(iou, undefined, { name: "mean_iou" }), valid);
}

/**
 * The mean over all classes of how often a label of the class is predicted.
 * @param labels indices of classes; with predictions of the same shape
 * @returns the mean, and as update the accuracy of each class, [classes]
 */
export function meanPerClassAccuracy(
  labels: Output,
  predictions: Output,
  numClasses: number,
  options: MetricOptions = {},
): Metric {
  const graph = Graph.of(labels);
  return graph.withNameScope(options.name ?? "mean_accuracy", () => {
    const wanted = flat(cast(labels, "int64"));
    const isRight = cast(equal(cast(flat(predictions), "int64"), wanted), "float32");
    const [total, count] = [
      metricVariable(graph, "total", [numClasses]),
      metricVariable(graph, "count", [numClasses]),
    ];
    const weights = options.weights === undefined ? 1 : flatWeights(graph, options.weights, "float32");
    const newTotal = scatterAdd(graph, total, wanted, multiply(onesLike(isRight), weights));
    const newCount = scatterAdd(graph, count, wanted, multiply(isRight, weights));
    const accuracies = (right: Output, all: Output, name: string) =>
      divideNoNan(right, maximum(all, 0), { name });
    const value = apart(graph, () =>
      reduceMean(accuracies(readVariable(count), readVariable(total), "div_no_nan"), undefined, {
        name: "mean_accuracy",
      }),
    );
    return collected([value, accuracies(newCount, newTotal, "update_op")], options);
  });
}

/** Adds to elements of a variable, and gives its new value. */
function scatterAdd(graph: Graph, variable: Variable, indices: Output, values: Output): Output {
  const added = graph.op("ResourceScatterAdd", [variable.handle, indices, values]);
  return graph.withControlDependencies([added], () => readVariable(variable));
}
