import type { OpValue } from "../graph-op-builder.js";
import type { Output } from "../operation.js";
import { graphOf, type OpOptions } from "./common.js";

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

/** Adds a bias [n] to the last dimension of a tensor [..., n]. */
export function biasAdd(x: OpValue, bias: OpValue, options: OpOptions = {}): Output {
  return graphOf(x, bias).op("BiasAdd", [x, bias], {}, options.name ?? "BiasAdd").output;
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
