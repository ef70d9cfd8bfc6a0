import type { OpValue } from "../graph-op-builder.js";
import type { Output } from "../operation.js";
import { zerosLike } from "./array.js";
import { graphOf, type OpOptions, toTensor } from "./common.js";
import { add, exp, greaterEqual, multiply, negative, subtract, where } from "./math.js";

/** max(x, 0) */
export function relu(x: OpValue, options: OpOptions = {}): Output {
  return graphOf(x).op("Relu", [x], {}, options.name ?? "Relu").output;
}

/** 1 / (1 + exp(-x)) */
export function sigmoid(x: OpValue, options: OpOptions = {}): Output {
  return graphOf(x).op("Sigmoid", [x], {}, options.name ?? "Sigmoid").output;
}

export function tanh(x: OpValue, options: OpOptions = {}): Output {
  return graphOf(x).op("Tanh", [x], {}, options.name ?? "Tanh").output;
}

/** Probabilities of classes from logits [batch, classes], or along the last dimension of any rank. */
export function softmax(x: OpValue, options: OpOptions = {}): Output {
  return graphOf(x).op("Softmax", [x], {}, options.name ?? "Softmax").output;
}

export interface BiasAddOptions extends OpOptions {
  /** The bias belongs to the second dimension instead of the last one; defaults to false. */
  readonly channelsFirst?: boolean | undefined;
}

/** Adds a bias [n] to the last dimension of a tensor [..., n]. */
export function biasAdd(x: OpValue, bias: OpValue, options: BiasAddOptions = {}): Output {
  const attrs = { data_format: options.channelsFirst ? "NCHW" : "NHWC" };
  return graphOf(x, bias).op("BiasAdd", [x, bias], attrs, options.name ?? "BiasAdd").output;
}

/**
 * The loss of each example of a batch: logits and labels (probabilities) of shape [batch, classes] give [batch].
 * The second result is its gradient with respect to the logits.
 */
export function softmaxCrossEntropyWithLogits(
  logits: OpValue,
  labels: OpValue,
  options: OpOptions = {},
): { readonly loss: Output; readonly backprop: Output } {
  const name = options.name ?? "SoftmaxCrossEntropyWithLogits";
  const op = graphOf(logits, labels).op("SoftmaxCrossEntropyWithLogits", [logits, labels], {}, name);
  return { loss: op.outputAt(0), backprop: op.outputAt(1) };
}

/**
 * The loss of each example of a batch: logits [batch, classes] and integer labels [batch], each the index of a class,
 * give [batch].
 */
export function sparseSoftmaxCrossEntropyWithLogits(
  logits: OpValue,
  labels: OpValue,
  options: OpOptions = {},
): Output {
  const name = options.name ?? "SparseSoftmaxCrossEntropyWithLogits";
  return graphOf(logits, labels).op("SparseSoftmaxCrossEntropyWithLogits", [logits, labels], {}, name).output;
}

/**
 * The loss of each logit, whose label is the probability of its class; classes do not exclude each other.
 * max(x, 0) - x · label + log(1 + exp(-|x|)), which does not overflow.
 */
export function sigmoidCrossEntropyWithLogits(
  logits: OpValue,
  labels: OpValue,
  options: OpOptions = {},
): Output {
  const graph = graphOf(logits, labels);
  return graph.withNameScope(options.name ?? "logistic_loss", (scope) => {
    const x = toTensor(graph, logits, "logits");
    const targets = toTensor(graph, labels, "labels", x.dtype);
    const none = zerosLike(x);
    // Not Relu and Abs, whose gradients at 0 are 0.
    const isPositive = greaterEqual(x, none);
    const positive = where(isPositive, x, none);
    const negated = where(isPositive, negative(x), x);
    const rest = graph.op("Log1p", [exp(negated)]).output;
    return add(subtract(positive, multiply(x, targets, { name: "mul" }), { name: "sub" }), rest, {
      name: scope,
    });
  });
}

/** Half the sum of the squares of all elements, a scalar. */
export function l2Loss(x: OpValue, options: OpOptions = {}): Output {
  return graphOf(x).op("L2Loss", [x], {}, options.name ?? "L2Loss").output;
}
