import { invalidArgument } from "../../protocol/status.js";
import { squeezeLast, withCheckedWeights } from "../example-weights.js";
import type { Graph } from "../graph.js";
import type { OpValue } from "../graph-op-builder.js";
import type { Output } from "../operation.js";
import { onesLike, range, rank, reshape, shape, squeeze, zerosLike } from "../ops/array.js";
import { graphOf, toTensor } from "../ops/common.js";
import {
  absolute,
  add,
  cast,
  divideNoNan,
  greater,
  log,
  maximum,
  minimum,
  multiply,
  negative,
  reduceSum,
  square,
  squaredDifference,
  subtract,
  where,
} from "../ops/math.js";
import {
  relu,
  sigmoidCrossEntropyWithLogits,
  softmaxCrossEntropyWithLogits,
  sparseSoftmaxCrossEntropyWithLogits,
} from "../ops/nn.js";
import { mergeShapes, shapeLabel } from "../shape.js";
import { addLoss, computeWeightedLoss, floats, type LossOptions, presentIn } from "./weighted-loss.js";

/** A loss that compares numbers with numbers of the same shape. */
function ofDifferences(
  name: string,
  labels: OpValue,
  predictions: OpValue,
  options: LossOptions,
  lossesOf: (predictions: Output, labels: Output) => Output,
): Output {
  const graph = graphOf(labels, predictions);
  return graph.withNameScope(options.scope ?? name, (scope) => {
    const found = floats(graph, predictions, "predictions");
    const wanted = floats(graph, labels, "labels");
    mergeShapes(found.shape, wanted.shape, `Predictions and labels of ${name}`);
    return computeWeightedLoss(lossesOf(found, wanted), { ...options, scope });
  });
}

/** |prediction - label| */
export function absoluteDifference(labels: OpValue, predictions: OpValue, options: LossOptions = {}): Output {
  return ofDifferences("absolute_difference", labels, predictions, options, (found, wanted) =>
    absolute(subtract(found, wanted)),
  );
}

/** (prediction - label)² */
export function meanSquaredError(labels: OpValue, predictions: OpValue, options: LossOptions = {}): Output {
  return ofDifferences("mean_squared_error", labels, predictions, options, squaredDifference);
}

export interface HuberLossOptions extends LossOptions {
  /** From which difference on the loss grows linearly; defaults to 1. */
  readonly delta?: number | undefined;
}

/** Half the square of a difference up to delta; beyond, delta · (|difference| - delta / 2). */
export function huberLoss(labels: OpValue, predictions: OpValue, options: HuberLossOptions = {}): Output {
  const { delta = 1 } = options;
  return ofDifferences("huber_loss", labels, predictions, options, (found, wanted) => {
    const error = absolute(subtract(found, wanted));
    const quadratic = minimum(error, delta);
    const linear = subtract(error, quadratic);
    return add(multiply(0.5, multiply(quadratic, quadratic)), multiply(delta, linear));
  });
}

export interface LogLossOptions extends LossOptions {
  /** Added to probabilities, of which logarithms are taken; defaults to 1e-7. */
  readonly epsilon?: number | undefined;
}

/** -label · log(prediction) - (1 - label) · log(1 - prediction), of probabilities */
export function logLoss(labels: OpValue, predictions: OpValue, options: LogLossOptions = {}): Output {
  const { epsilon = 1e-7 } = options;
  return ofDifferences("log_loss", labels, predictions, options, (found, wanted) => {
    const ofWanted = negative(multiply(wanted, log(add(found, epsilon))));
    return subtract(ofWanted, multiply(subtract(1, wanted), log(add(subtract(1, found), epsilon))));
  });
}

/** max(0, 1 - side · logit), with side 1 for labels that are 1 and -1 for those that are 0 */
export function hingeLoss(labels: OpValue, logits: OpValue, options: LossOptions = {}): Output {
  return ofDifferences("hinge_loss", labels, logits, options, (found, wanted) => {
    const side = subtract(multiply(2, wanted), onesLike(wanted));
    return relu(subtract(onesLike(wanted), multiply(side, found)));
  });
}

/** 1 - the sum of the products of labels and predictions along a dimension: of unit vectors. */
export function cosineDistance(
  labels: OpValue,
  predictions: OpValue,
  axis: number,
  options: LossOptions = {},
): Output {
  return ofDifferences("cosine_distance_loss", labels, predictions, options, (found, wanted) =>
    subtract(1, reduceSum(multiply(found, wanted), [axis], { keepDims: true })),
  );
}

/**
 * The mean, for each example, of the squares of differences between the errors of all pairs of its elements; summed over
 * examples. It has no reduction.
 */
export function meanPairwiseSquaredError(
  labels: OpValue,
  predictions: OpValue,
  options: Omit<LossOptions, "reduction"> = {},
): Output {
  const name = "mean_pairwise_squared_error";
  const graph = graphOf(labels, predictions);
  return graph.withNameScope(options.scope ?? name, () => {
    const weights = floats(graph, options.weights ?? 1, "weights");
    const wanted = floats(graph, labels, "labels");
    return withCheckedWeights(weights, wanted, () => {
      const found = floats(graph, predictions, "predictions");
      mergeShapes(found.shape, wanted.shape, `Predictions and labels of ${name}`);
      const errors = subtract(found, wanted);
      const ofExample = { axis: range(graph, 1, rank(errors)), options: { keepDims: true } };
      const sum = (x: Output) => reduceSum(x, ofExample.axis, ofExample.options);
      const count = sum(presentIn(errors, weights));
      const others = subtract(count, 1);
      const mean = (x: Output, by: Output) => multiply(2, divideNoNan(x, maximum(by, 0), { name: "value" }));
      const ofSquares = mean(sum(square(errors)), others);
      const ofSums = mean(square(sum(errors)), multiply(count, others));
      const total = reduceSum(multiply(subtract(ofSquares, ofSums), weights));
      const loss = where(greater(reduceSum(count), 0), total, zerosLike(total), { name: "value" });
      addLoss(loss, options.lossCollection);
      return loss;
    });
  });
}

export interface CrossEntropyOptions extends LossOptions {
  /** How far labels move from 0 and 1 towards equal probabilities: from 0, the default, to 1. */
  readonly labelSmoothing?: number | undefined;
}

/** Logits and labels of one shape and dtype. */
function logitsAndLabels(graph: Graph, logits: OpValue, labels: OpValue, name: string) {
  const x = toTensor(graph, logits, "logits");
  const wanted = cast(toTensor(graph, labels, "labels", x.dtype), x.dtype);
  mergeShapes(x.shape, wanted.shape, `Logits and labels of ${name}`);
  return { logits: x, labels: wanted };
}

/** The loss of each of several classes that do not exclude each other; labels are 0, 1 or probabilities. */
export function sigmoidCrossEntropy(
  multiClassLabels: OpValue,
  logits: OpValue,
  options: CrossEntropyOptions = {},
): Output {
  const name = "sigmoid_cross_entropy_loss";
  const graph = graphOf(logits, multiClassLabels);
  return graph.withNameScope(options.scope ?? name, (scope) => {
    const given = logitsAndLabels(graph, logits, multiClassLabels, name);
    const { labelSmoothing = 0 } = options;
    const labels =
      labelSmoothing > 0
        ? add(multiply(given.labels, 1 - labelSmoothing), 0.5 * labelSmoothing)
        : given.labels;
    const losses = sigmoidCrossEntropyWithLogits(given.logits, labels, { name: "xentropy" });
    return computeWeightedLoss(losses, { ...options, scope });
  });
}

/**
 * The loss of each example of which one class is right. Labels are the probabilities of the classes, usually one of
 * them 1; no gradient passes to them.
 * @param onehotLabels [batch, …, classes], as the logits; the losses are [batch, …]
 */
export function softmaxCrossEntropy(
  onehotLabels: OpValue,
  logits: OpValue,
  options: CrossEntropyOptions = {},
): Output {
  const name = "softmax_cross_entropy_loss";
  const graph = graphOf(logits, onehotLabels);
  return graph.withNameScope(options.scope ?? name, (scope) => {
    const given = logitsAndLabels(graph, logits, onehotLabels, name);
    const classes = classesOf(given.logits, name);
    const { labelSmoothing = 0 } = options;
    const smooth =
      labelSmoothing > 0
        ? add(multiply(given.labels, 1 - labelSmoothing), labelSmoothing / classes)
        : given.labels;
    const labels = graph.op("StopGradient", [smooth], {}, "labels_stop_gradient").output;
    const losses = byExample(given.logits, classes, (rows) => {
      const wanted = rows === given.logits ? labels : reshape(labels, [-1, classes]);
      return softmaxCrossEntropyWithLogits(rows, wanted, { name: "xentropy" }).loss;
    });
    return computeWeightedLoss(losses, { ...options, scope });
  });
}

/**
 * The loss of each example of which one class is right, which the label names by its index.
 * @param labels int32 or int64 [batch, …] or [batch, …, 1], with logits [batch, …, classes]
 */
export function sparseSoftmaxCrossEntropy(
  labels: OpValue,
  logits: OpValue,
  options: LossOptions = {},
): Output {
  const name = "sparse_softmax_cross_entropy_loss";
  const graph = graphOf(logits, labels);
  return graph.withNameScope(options.scope ?? name, (scope) => {
    const squeezed = squeezeLast(
      toTensor(graph, labels, "labels", "int32"),
      toTensor(graph, logits, "logits"),
      1,
    );
    const classes = classesOf(squeezed.predictions, name);
    const losses = byExample(squeezed.predictions, classes, (rows) => {
      const wanted = rows === squeezed.predictions ? squeezed.labels : reshape(squeezed.labels, [-1]);
      return sparseSoftmaxCrossEntropyWithLogits(rows, wanted, { name: "xentropy" });
    });
    // Weights may have the dimension that labels lost.
    const weights = options.weights === undefined ? undefined : floats(graph, options.weights, "weights");
    const rank = squeezed.labels.shape?.length;
    const fitting =
      weights?.shape && rank !== undefined && weights.shape.length === rank + 1
        ? squeeze(weights, [-1])
        : options.weights;
    return computeWeightedLoss(losses, { ...options, weights: fitting, scope });
  });
}

/** How many classes logits are of. @throws TensorFlowError INVALID_ARGUMENT if that is not known */
function classesOf(logits: Output, name: string): number {
  const classes = logits.shape?.at(-1) ?? -1;
  if (classes >= 0) return classes;
  throw invalidArgument(
    `${name} must know the number of classes, the last dimension of ${logits.name}, whose shape is ${shapeLabel(logits.shape)}.`,
  );
}

/** Losses of logits with any number of dimensions, by a function that takes a matrix and gives a vector. */
function byExample(logits: Output, classes: number, lossesOf: (rows: Output) => Output): Output {
  if (logits.shape?.length === 2) return lossesOf(logits);
  const graph = graphOf(logits);
  const losses = lossesOf(reshape(logits, [-1, classes]));
  const sizes = (logits.shape ?? []).slice(0, -1);
  if (sizes.filter((size) => size < 0).length <= 1) return reshape(losses, sizes);
  const outer = graph.op("StridedSlice", [shape(logits), [0], [-1], [1]]).output;
  return reshape(losses, outer);
}
