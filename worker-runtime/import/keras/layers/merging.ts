/** Layers with several inputs, and the operators of Keras 3 between tensors. */
import type { Output } from "../../../graph/operation.js";
import { invalidArgument } from "../../../protocol/status.js";
import type { KerasLayer, LayerCall } from "../layer-call.js";

/** Joins all inputs, two at a time. */
function joined(layer: LayerCall, op: string): Output {
  return layer.args.inputs.reduce((all, next) => layer.op(op, [all, next]));
}

function merging(op: string): KerasLayer {
  return { call: (layer) => joined(layer, op) };
}

function average(layer: LayerCall): Output {
  const share = layer.scalar(1 / layer.args.inputs.length, "share");
  return layer.op("Mul", [joined(layer, "AddV2"), share]);
}

function concatenate(layer: LayerCall): Output {
  const axis = layer.ints(layer.config.int("axis", -1), "axis");
  const { inputs } = layer.args;
  return inputs.length === 1 ? layer.input : layer.op("ConcatV2", [[...inputs], axis]);
}

export const MERGING_LAYERS: Readonly<Record<string, KerasLayer>> = {
  Add: merging("AddV2"),
  Subtract: merging("Sub"),
  Multiply: merging("Mul"),
  Average: { call: average },
  Maximum: merging("Maximum"),
  Minimum: merging("Minimum"),
  Concatenate: { call: concatenate },
};

function operator(op: string): KerasLayer {
  return {
    call(layer) {
      const [one, other] = layer.args.operands.map((operand, at) =>
        typeof operand === "number" ? layer.scalar(operand, at === 0 ? "x" : "y") : operand,
      );
      if (one && other) return layer.op(op, [one, other]);
      throw invalidArgument(`${layer.layer} needs two operands: the model's configuration is damaged.`);
    },
  };
}

/** By the classes of keras.ops, which are no layers. */
export const OPERATORS: Readonly<Record<string, KerasLayer>> = {
  Add: operator("AddV2"),
  Subtract: operator("Sub"),
  Multiply: operator("Mul"),
  Divide: operator("RealDiv"),
  TrueDivide: operator("RealDiv"),
};
