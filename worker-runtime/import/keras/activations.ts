/** Activations by the names that Keras gives them. */
import type { NodeBuilder } from "../../graph/layers/node-builder.js";
import type { Output } from "../../graph/operation.js";
import type { LayerConfig } from "./layer-config.js";

export type Activation = (layer: NodeBuilder, x: Output) => Output;

const unary =
  (type: string): Activation =>
  (layer, x) =>
    layer.op(type, [x]);

/** x · f(x) */
const gated =
  (gate: Activation): Activation =>
  (layer, x) =>
    layer.op("Mul", [x, gate(layer, x)]);

/** x / 6 + 0.5 between 0 and 1, as Keras 3 has it. */
const hardSigmoid: Activation = (layer, x) =>
  layer.op("Mul", [
    layer.op("Relu6", [layer.op("AddV2", [x, layer.scalar(3, "three")])]),
    layer.scalar(1 / 6, "sixth"),
  ]);

/** x / 5 + 0.5 between 0 and 1, as Keras 2 has it. */
const hardSigmoidOfKeras2: Activation = (layer, x) => {
  const line = layer.op("AddV2", [
    layer.op("Mul", [x, layer.scalar(0.2, "slope")]),
    layer.scalar(0.5, "half"),
  ]);
  return layer.op("ClipByValue", [line, layer.scalar(0, "least"), layer.scalar(1, "most")]);
};

/** x · Φ(x), by the error function. */
const gelu: Activation = (layer, x) => {
  const erf = layer.op("Erf", [layer.op("Mul", [x, layer.scalar(Math.SQRT1_2, "root")])]);
  const share = layer.op("Mul", [
    layer.op("AddV2", [erf, layer.scalar(1, "one")]),
    layer.scalar(0.5, "half"),
  ]);
  return layer.op("Mul", [x, share]);
};

export function leakyRelu(slope: number): Activation {
  return (layer, x) => layer.op("LeakyRelu", [x], { alpha: slope });
}

/** Softmax along any dimension. */
export function softmaxAlong(axis: number): Activation {
  return (layer, x) => {
    const rank = x.shape?.length ?? 0;
    const at = axis < 0 ? axis + rank : axis;
    if (at === rank - 1) return layer.op("Softmax", [x]);
    const order = Array.from({ length: rank }, (_, dimension) => dimension);
    [order[at], order[rank - 1]] = [rank - 1, at];
    const swapped = layer.op("Transpose", [x, layer.ints(order, "axes")]);
    return layer.op("Transpose", [layer.op("Softmax", [swapped]), layer.ints(order, "axes_back")]);
  };
}

const ACTIVATIONS: ReadonlyMap<string, Activation> = new Map([
  ["linear", (_layer, x) => x],
  ["relu", unary("Relu")],
  ["relu6", unary("Relu6")],
  ["sigmoid", unary("Sigmoid")],
  ["tanh", unary("Tanh")],
  ["softmax", unary("Softmax")],
  ["log_softmax", unary("LogSoftmax")],
  ["elu", unary("Elu")],
  ["selu", unary("Selu")],
  ["softplus", unary("Softplus")],
  ["softsign", unary("Softsign")],
  ["exponential", unary("Exp")],
  ["leaky_relu", leakyRelu(0.2)],
  ["silu", gated(unary("Sigmoid"))],
  ["swish", gated(unary("Sigmoid"))],
  ["mish", gated((layer, x) => layer.op("Tanh", [layer.op("Softplus", [x])]))],
  ["hard_sigmoid", hardSigmoid],
  ["hard_silu", gated(hardSigmoid)],
  ["hard_swish", gated(hardSigmoid)],
  ["gelu", gelu],
]);

/** The activation that a setting names. @throws TensorFlowError UNIMPLEMENTED that names an unknown one */
export function activationOf(config: LayerConfig, key = "activation", otherwise = "linear"): Activation {
  const name = nameOf(config.raw(key) ?? otherwise);
  if (name === "hard_sigmoid" && config.kerasVersion < 3) return hardSigmoidOfKeras2;
  const found = name === undefined ? undefined : ACTIVATIONS.get(name);
  if (found) return found;
  throw config.unsupported(`has the activation "${name ?? "of a program's own"}"`);
}

/** A name, or that of a serialized function; undefined for anything else. */
function nameOf(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null) return undefined;
  const config: unknown = Reflect.get(value, "config");
  const className: unknown = Reflect.get(value, "class_name");
  return typeof config === "string" ? config : typeof className === "string" ? className : undefined;
}
