/**
 * Metrics of predicted probabilities: what is right if predictions above a threshold mean yes, for each of several
 * thresholds. As in tf.compat.v1.metrics.
 */
import { invalidArgument } from "../../protocol/status.js";
import { Tensor } from "../../protocol/tensor.js";
import { broadcastWeights } from "../example-weights.js";
import { Graph } from "../graph.js";
import type { Output } from "../operation.js";
import { onesLike, reshape } from "../ops/array.js";
import {
  absolute,
  add,
  argMax,
  cast,
  divide,
  divideNoNan,
  equal,
  greater,
  greaterEqual,
  log,
  logicalAnd,
  logicalNot,
  maximum,
  minimum,
  multiply,
  reduceMin,
  reduceSum,
  subtract,
  where,
} from "../ops/math.js";
import { assignAdd, readVariable } from "../ops/state.js";
import {
  apart,
  collected,
  compared,
  type Metric,
  type MetricOptions,
  metricVariable,
  weightsOf,
} from "./metric.js";

/** Keeps quotients from 0 / 0, and thresholds from the ends of the range. */
const EPSILON = 1e-7;

type Kind = "truePositives" | "falseNegatives" | "trueNegatives" | "falsePositives";

/** Names of the variables, in TensorFlow's order. */
const VARIABLES: Readonly<Record<Kind, string>> = {
  truePositives: "true_positives",
  falseNegatives: "false_negatives",
  trueNegatives: "true_negatives",
  falsePositives: "false_positives",
};

/** A count for each threshold. */
type Counts<K extends Kind> = Readonly<Record<K, Output>>;

/** Predictions and labels that are used once it is certain that predictions are probabilities. */
function checked(graph: Graph, labels: Output, predictions: Output): ReturnType<typeof compared> {
  const isProbability = logicalAnd(greaterEqual(predictions, 0), greaterEqual(1, predictions));
  const all = graph.op("All", [reshape(isProbability, [-1]), [0]]);
  const check = graph.op("Assert", [all, ["predictions must be in [0, 1]; they are", predictions]]);
  return graph.withControlDependencies([check], () =>
    compared(cast(labels, "bool"), graph.op("Identity", [cast(predictions, "float32")]).output),
  );
}

/** Makes a metric of the counts for some thresholds: once of those so far, and once of those with this step. */
function ofCounts<K extends Kind>(
  name: string,
  kinds: readonly K[],
  labels: Output,
  predictions: Output,
  thresholds: readonly number[],
  options: MetricOptions,
  make: (counts: Counts<K>, name: "value" | "update_op") => Output,
): Metric {
  if (thresholds.length === 0) throw invalidArgument(`${name} takes at least one threshold.`);
  const graph = Graph.of(labels);
  return graph.withNameScope(options.name ?? name, () => {
    const pair = checked(graph, labels, predictions);
    const limits = Tensor.of(Float32Array.from(thresholds), "float32", [thresholds.length, 1]);
    const isFound = greater(reshape(pair.predictions, [1, -1]), limits);
    const isWanted = reshape(pair.labels, [1, -1]);
    const weights =
      options.weights === undefined
        ? undefined
        : broadcastWeights(weightsOf(graph, options.weights, pair.predictions), pair.predictions);
    const ofKind = (kind: Kind) => {
      const wanted = kind === "truePositives" || kind === "falseNegatives" ? isWanted : logicalNot(isWanted);
      const found = kind.endsWith("Positives") ? isFound : logicalNot(isFound);
      const ones = cast(logicalAnd(wanted, found), "float32");
      return reduceSum(weights ? multiply(ones, reshape(weights, [1, -1])) : ones, 1);
    };
    const made = kinds.map((kind) => {
      const variable = metricVariable(graph, VARIABLES[kind], [thresholds.length]);
      return [kind, { variable, updated: assignAdd(variable, ofKind(kind)) }] as const;
    });
    const counts = (read: (one: (typeof made)[number][1]) => Output) =>
      Object.fromEntries(made.map(([kind, one]) => [kind, read(one)])) as Record<K, Output>;
    const value = apart(graph, () =>
      make(
        counts(({ variable }) => readVariable(variable)),
        "value",
      ),
    );
    return collected(
      [
        value,
        make(
          counts(({ updated }) => updated),
          "update_op",
        ),
      ],
      options,
    );
  });
}

/** One kind of counts, [thresholds]. */
function countsOf(kind: Kind) {
  return (
    labels: Output,
    predictions: Output,
    thresholds: readonly number[],
    options: MetricOptions = {},
  ): Metric =>
    ofCounts(VARIABLES[kind], [kind], labels, predictions, thresholds, options, (counts) => counts[kind]);
}

/** How many predictions above each threshold have a true label, [thresholds]; predictions are from 0 to 1. */
export const truePositivesAtThresholds = countsOf("truePositives");
/** How many of the others have a label that is false, [thresholds]. */
export const trueNegativesAtThresholds = countsOf("trueNegatives");
/** How many predictions above each threshold have a label that is false, [thresholds]. */
export const falsePositivesAtThresholds = countsOf("falsePositives");
/** How many of the others have a label that is true, [thresholds]. */
export const falseNegativesAtThresholds = countsOf("falseNegatives");

/** True positives among all predictions above each threshold, [thresholds]. */
export function precisionAtThresholds(
  labels: Output,
  predictions: Output,
  thresholds: readonly number[],
  options: MetricOptions = {},
): Metric {
  const kinds = ["truePositives", "falsePositives"] as const;
  return ofCounts("precision_at_thresholds", kinds, labels, predictions, thresholds, options, (at, name) =>
    divide(at.truePositives, add(add(EPSILON, at.truePositives), at.falsePositives), {
      name: `precision_${name}`,
    }),
  );
}

/** Predictions above each threshold among those whose labels are true, [thresholds]. */
export function recallAtThresholds(
  labels: Output,
  predictions: Output,
  thresholds: readonly number[],
  options: MetricOptions = {},
): Metric {
  const kinds = ["truePositives", "falseNegatives"] as const;
  return ofCounts("recall_at_thresholds", kinds, labels, predictions, thresholds, options, (at, name) =>
    divide(at.truePositives, add(add(EPSILON, at.truePositives), at.falseNegatives), {
      name: `recall_${name}`,
    }),
  );
}

/** So many thresholds between 0 and 1, without the ends. */
function between(count: number): readonly number[] {
  if (!(Number.isInteger(count) && count >= 2)) {
    throw invalidArgument(`The number of thresholds is an integer from 2 on, not ${count}.`);
  }
  return Array.from({ length: count - 2 }, (_, i) => (i + 1) / (count - 1));
}

export interface ThresholdMetricOptions extends MetricOptions {
  /** How many thresholds stand for all between 0 and 1; defaults to 200. */
  readonly numThresholds?: number | undefined;
}

const ALL: readonly Kind[] = ["truePositives", "falseNegatives", "trueNegatives", "falsePositives"];

function shareFrom(name: string, share: number): void {
  if (!(share >= 0 && share <= 1)) throw invalidArgument(`The ${name} is from 0 to 1, not ${share}.`);
}

/** How many of the true labels are found at the threshold at which closest to such a part of the others is not. */
export function sensitivityAtSpecificity(
  labels: Output,
  predictions: Output,
  specificity: number,
  options: ThresholdMetricOptions = {},
): Metric {
  shareFrom("specificity", specificity);
  const thresholds = [-EPSILON, ...between(options.numThresholds ?? 200), 1 + EPSILON];
  const name = "sensitivity_at_specificity";
  return ofCounts(name, ALL, labels, predictions, thresholds, options, (at, result) => {
    const { truePositives: tp, trueNegatives: tn } = at;
    const graph = Graph.of(tp);
    const specificities = divide(tn, add(add(tn, at.falsePositives), EPSILON));
    const index = graph.op("ArgMin", [absolute(subtract(specificities, specificity)), 0]).output;
    const chosen = (counts: Output) => graph.op("GatherV2", [counts, index, 0]).output;
    const found = chosen(tp);
    return divide(found, add(add(found, chosen(at.falseNegatives)), EPSILON), { name: result });
  });
}

/** How many of the false labels are not found at the threshold at which closest to such a part of the others is. */
export function specificityAtSensitivity(
  labels: Output,
  predictions: Output,
  sensitivity: number,
  options: ThresholdMetricOptions = {},
): Metric {
  shareFrom("sensitivity", sensitivity);
  const thresholds = [-EPSILON, ...between(options.numThresholds ?? 200), 1 - EPSILON];
  const name = "specificity_at_sensitivity";
  return ofCounts(name, ALL, labels, predictions, thresholds, options, (at, result) => {
    const { truePositives: tp, trueNegatives: tn } = at;
    const graph = Graph.of(tp);
    const distances = absolute(subtract(divide(tp, add(add(tp, at.falseNegatives), EPSILON)), sensitivity));
    // The last one of several that are as close.
    const isClosest = cast(equal(distances, reduceMin(distances)), "int64");
    const index = argMax(graph.op("Cumsum", [isClosest, 0]).output, 0);
    const chosen = (counts: Output) => graph.op("GatherV2", [counts, index, 0]).output;
    const left = chosen(tn);
    return divide(left, add(add(left, chosen(at.falsePositives)), EPSILON), { name: result });
  });
}

export interface AucOptions extends ThresholdMetricOptions {
  /** The thresholds between 0 and 1 instead of a number of them. */
  readonly thresholds?: readonly number[] | undefined;
  /** "ROC", the default: recall over the rate of false positives. "PR": precision over recall. */
  readonly curve?: "ROC" | "PR" | undefined;
  /**
   * How the area under the curve follows from its points: "trapezoidal", the default; "careful_interpolation", which
   * "PR" should have; or by the smaller ("minoring") or larger ("majoring") end of each piece.
   */
  readonly summationMethod?: "trapezoidal" | "careful_interpolation" | "minoring" | "majoring" | undefined;
}

/** The area under a curve of which each threshold gives a point: 1 for predictions that separate the labels. */
export function auc(labels: Output, predictions: Output, options: AucOptions = {}): Metric {
  const { curve = "ROC", summationMethod = "trapezoidal" } = options;
  const inner = options.thresholds
    ? [...options.thresholds].sort((a, b) => a - b)
    : between(options.numThresholds ?? 200);
  const thresholds = [-EPSILON, ...inner, 1 + EPSILON];
  const pieces = thresholds.length - 1;
  return ofCounts("auc", ALL, labels, predictions, thresholds, options, (at, name) => {
    const { truePositives: tp, falseNegatives: fn, trueNegatives: tn, falsePositives: fp } = at;
    if (curve === "PR" && summationMethod === "careful_interpolation") {
      return interpolated(tp, fp, fn, pieces);
    }
    const small = 1e-6;
    const recall = divide(add(tp, small), add(add(tp, fn), small));
    const [x, y] =
      curve === "ROC"
        ? [divide(fp, add(add(fp, tn), small)), recall]
        : [recall, divide(add(tp, small), add(add(tp, fp), small))];
    const [[x0, x1], [y0, y1]] = [ends(x, pieces), ends(y, pieces)];
    const heights: Readonly<Record<string, () => Output>> = {
      minoring: () => minimum(y0, y1),
      majoring: () => maximum(y0, y1),
    };
    const height = heights[summationMethod]?.() ?? divide(add(y0, y1), 2);
    return reduceSum(multiply(subtract(x0, x1), height), undefined, { name });
  });
}

/** The beginnings and the ends of the pieces between points. */
function ends(points: Output, pieces: number): readonly [Output, Output] {
  const slice = (begin: number) =>
    Graph.of(points).op("Slice", [points, Tensor.of([begin], "int32"), Tensor.of([pieces], "int32")]).output;
  return [slice(0), slice(1)];
}

/** The area under precision over recall, between whose points true positives grow evenly with all positives. */
function interpolated(tp: Output, fp: Output, fn: Output, pieces: number): Output {
  const [[tp0, tp1], [p0, p1], [, fn1]] = [ends(tp, pieces), ends(add(tp, fp), pieces), ends(fn, pieces)];
  const added = subtract(tp0, tp1);
  const slope = divideNoNan(added, maximum(subtract(p0, p1), 0), { name: "prec_slope" });
  const intercept = subtract(tp1, multiply(slope, p1));
  const ratio = where(
    logicalAnd(greater(p0, 0), greater(p1, 0)),
    divideNoNan(p0, maximum(p1, 0), { name: "recall_relative_ratio" }),
    onesLike(p1),
  );
  const areas = divideNoNan(
    multiply(slope, add(added, multiply(intercept, log(ratio)))),
    maximum(add(tp1, fn1), 0),
    { name: "pr_auc_increment" },
  );
  return reduceSum(areas, undefined, { name: "interpolate_pr_auc" });
}
