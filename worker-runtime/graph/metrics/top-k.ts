/**
 * Metrics of the k best predictions of each example, as in tf.compat.v1.metrics: labels and predictions are sets of
 * classes. Labels are dense tensors.
 */
import { invalidArgument } from "../../protocol/status.js";
import { Tensor } from "../../protocol/tensor.js";
import { broadcastWeights, withCheckedWeights } from "../example-weights.js";
import { Graph } from "../graph.js";
import type { OpValue } from "../graph-op-builder.js";
import type { Output } from "../operation.js";
import { expandDims, range, shape, size } from "../ops/array.js";
import { toTensor } from "../ops/common.js";
import {
  add,
  cast,
  divide,
  divideNoNan,
  equal,
  greater,
  greaterEqual,
  less,
  logicalAnd,
  logicalNot,
  minimum,
  multiply,
  reduceSum,
} from "../ops/math.js";
import { assignAdd, readVariable } from "../ops/state.js";
import { shapeLabel } from "../shape.js";
import { apart, collected, type Metric, type MetricOptions, metricVariable } from "./metric.js";

export interface AtKOptions extends MetricOptions {
  /** Only this class counts, as a label and as a prediction. */
  readonly classId?: number | undefined;
}

/** Labels and the classes predicted for them, with the same dimensions but the last. */
interface Sets {
  readonly graph: Graph;
  readonly labels: Output;
  readonly found: Output;
}

function any(x: Output, axis: number): Output {
  return Graph.of(x).op("Any", [x, Tensor.of(axis, "int32")]).output;
}

function setsOf(labels: Output, predictionsIdx: Output, name: string): Sets {
  const graph = Graph.of(labels);
  const [of, to] = [labels.shape?.length, predictionsIdx.shape?.length];
  if (of === undefined || to === undefined || (of !== to && of + 1 !== to)) {
    throw invalidArgument(
      `${name}: labels have the dimensions of the predictions, or all but the last. The shape of ${labels.name} is ` +
        `${shapeLabel(labels.shape)}, that of the predictions ${shapeLabel(predictionsIdx.shape)}.`,
    );
  }
  const wanted = cast(labels, "int64");
  return {
    graph,
    labels: of === to ? wanted : expandDims(wanted, -1),
    found: cast(predictionsIdx, "int64"),
  };
}

/** Which elements of a are in b as well, [.., a]. */
function isIn(a: Output, b: Output): Output {
  return any(equal(expandDims(a, -1), expandDims(b, -2)), -1);
}

function lastSize(graph: Graph, x: Output): Output {
  return graph.op("StridedSlice", [shape(x), [-1], [0], [1]], { shrink_axis_mask: 1 }).output;
}

/** Which elements of a set are the first ones of their value, and of the class that counts. */
function counts(graph: Graph, a: Output, classId: number | undefined): Output {
  const positions = range(graph, 0, lastSize(graph, a));
  const isBefore = greater(expandDims(positions, 1), expandDims(positions, 0));
  const isRepeated = logicalAnd(equal(expandDims(a, -1), expandDims(a, -2)), isBefore);
  const isFirst = logicalNot(any(isRepeated, -1));
  return classId === undefined ? isFirst : logicalAnd(isFirst, equal(a, Tensor.of(classId, "int64")));
}

/** Counts elements of the sets of all examples, each example by its weight. */
function counted(graph: Graph, name: string, of: Output, weights: OpValue | undefined) {
  return graph.withNameScope(name, (scope) => {
    const byExample = reduceSum(cast(of, "float64"), -1);
    const given =
      weights === undefined ? undefined : cast(toTensor(graph, weights, "weights", "float32"), "float64");
    const weighted = given
      ? withCheckedWeights(given, byExample, () => multiply(byExample, given))
      : byExample;
    const total = metricVariable(graph, scope, [], "float64");
    return { total, updated: assignAdd(total, reduceSum(weighted), { name: "update" }) };
  });
}

function suffix(k: number | undefined, classId: number | undefined): string {
  return `_at_${k ?? "k"}${classId === undefined ? "" : `_class${classId}`}`;
}

/** The part of what is found and wanted among all that is either wanted or found. */
function share(
  kind: "recall" | "precision",
  { graph, labels, found }: Sets,
  k: number | undefined,
  options: AtKOptions,
): Metric {
  const { classId, weights } = options;
  const end = suffix(k, classId);
  return graph.withNameScope(options.name ?? `${kind}${end}`, (scope) => {
    const rightOnes = logicalAnd(isIn(found, labels), counts(graph, found, classId));
    const others =
      kind === "recall"
        ? logicalAnd(logicalNot(isIn(labels, found)), counts(graph, labels, classId))
        : logicalAnd(logicalNot(isIn(found, labels)), counts(graph, found, classId));
    const right = counted(graph, `true_positive${end}`, rightOnes, weights);
    const other = kind === "recall" ? "false_negative" : "false_positive";
    const wrong = counted(graph, `${other}${end}`, others, weights);
    const part = (a: Output, b: Output, name: string) => divide(a, add(a, b), { name });
    const value = apart(graph, () => part(readVariable(right.total), readVariable(wrong.total), scope));
    return collected([value, part(right.updated, wrong.updated, "update")], options);
  });
}

/**
 * How many of the labels are among the predicted classes; NaN without labels.
 * @param labels int64 [.., labels], or [..] for one each; repeated ones count once
 * @param predictionsIdx the predicted classes, [.., k]
 * @returns float64 scalars
 */
export function recallAtTopK(
  labels: Output,
  predictionsIdx: Output,
  options: AtKOptions & { readonly k?: number | undefined } = {},
): Metric {
  return share("recall", setsOf(labels, predictionsIdx, "recallAtTopK"), options.k, options);
}

/** How many of the predicted classes are labels; NaN without predictions. See `recallAtTopK`. */
export function precisionAtTopK(
  labels: Output,
  predictionsIdx: Output,
  options: AtKOptions & { readonly k?: number | undefined } = {},
): Metric {
  return share("precision", setsOf(labels, predictionsIdx, "precisionAtTopK"), options.k, options);
}

/** The classes with the largest predictions, [.., k]. */
function best(predictions: Output, k: number): Output {
  if (!(Number.isInteger(k) && k >= 1)) throw invalidArgument(`k is an integer from 1 on, not ${k}.`);
  return Graph.of(predictions)
    .op("TopKV2", [predictions, Tensor.of(k, "int32")])
    .outputAt(1);
}

/**
 * How many of the labels are among the classes with the k largest predictions.
 * @param labels int64 [.., labels], or [..] for one each
 * @param predictions a number for each class, [.., classes]
 * @returns float64 scalars
 */
export function recallAtK(labels: Output, predictions: Output, k: number, options: AtKOptions = {}): Metric {
  return atK("recall", labels, predictions, k, options);
}

/** How many of the classes with the k largest predictions are labels. See `recallAtK`. */
export function precisionAtK(
  labels: Output,
  predictions: Output,
  k: number,
  options: AtKOptions = {},
): Metric {
  return atK("precision", labels, predictions, k, options);
}

function atK(
  kind: "recall" | "precision",
  labels: Output,
  predictions: Output,
  k: number,
  options: AtKOptions,
): Metric {
  const graph = Graph.of(labels);
  return graph.withNameScope(options.name ?? `${kind}${suffix(k, options.classId)}`, (scope) =>
    share(kind, setsOf(labels, best(predictions, k), `${kind}AtK`), k, { ...options, name: scope }),
  );
}

/**
 * The mean over examples of the average precision: of the precision at each of the k largest predictions that is a
 * label, relative to the number of labels or to k; NaN without labels.
 * @param labels int64 [.., labels], or [..] for one each; of repeated ones each counts
 * @param predictions a number for each class, [.., classes]
 * @returns float64 scalars
 */
export function averagePrecisionAtK(
  labels: Output,
  predictions: Output,
  k: number,
  options: MetricOptions = {},
): Metric {
  const graph = Graph.of(labels);
  return graph.withNameScope(options.name ?? `average_precision${suffix(k, undefined)}`, (scope) => {
    const sets = setsOf(labels, best(predictions, k), "averagePrecisionAtK");
    const isRight = cast(isIn(sets.found, sets.labels), "float64");
    const sum = (x: Output) => graph.op("Cumsum", [x, Tensor.of(-1, "int32")]).output;
    const ranks = sum(graph.op("OnesLike", [isRight]).output);
    const precisions = reduceSum(multiply(divide(sum(isRight), ranks), isRight), -1);
    const classes = lastSize(graph, predictions);
    const isClass = logicalAnd(greaterEqual(sets.labels, 0), less(sets.labels, cast(classes, "int64")));
    const relevant = minimum(reduceSum(cast(isClass, "float64"), -1), k);
    const averages = divide(precisions, relevant);
    const weights =
      options.weights === undefined
        ? undefined
        : broadcastWeights(cast(toTensor(graph, options.weights, "weights", "float32"), "float64"), averages);
    // TensorFlow's names: it has a node Max in this scope already.
    const [most, total] = (["max_1", "total"] as const).map((name) =>
      graph.withNameScope(name, (inner) => {
        const variable = metricVariable(graph, inner, [], "float64");
        const added =
          name === "total"
            ? reduceSum(weights ? multiply(averages, weights) : averages)
            : weights
              ? reduceSum(weights)
              : cast(size(averages), "float64");
        return { variable, updated: assignAdd(variable, added, { name: "update" }) };
      }),
    );
    if (!most || !total) throw invalidArgument("A metric needs its variables.");
    const value = apart(graph, () =>
      divideNoNan(readVariable(total.variable), readVariable(most.variable), { name: "mean" }),
    );
    return collected([value, divideNoNan(total.updated, most.updated, { name: scope })], options);
  });
}
