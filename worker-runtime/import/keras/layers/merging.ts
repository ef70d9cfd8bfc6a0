/** Layers with several inputs, and the operators of Keras 3 between tensors. */
import type { Output } from "../../../graph/operation.js";
import { isDType } from "../../../protocol/dtype.js";
import { invalidArgument } from "../../../protocol/status.js";
import type { KerasLayer, LayerCall } from "../layer-call.js";
import { concatenatedMask } from "../masks.js";

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
  Concatenate: {
    call: concatenate,
    masks: (layer) => [concatenatedMask(layer, layer.config.int("axis", -1))],
  },
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
    masks: unmasked,
  };
}

/** Operators drop masks. */
const unmasked = (): readonly undefined[] => [];

/** Of a whole number, or a number, as the tensor that it is compared with. */
const notEqual: KerasLayer = {
  call(layer) {
    const { input } = layer;
    const [, other = 0] = layer.args.operands;
    const value = typeof other === "number" ? layer.scalar(other, "value") : other;
    const like = value.dtype === input.dtype ? value : layer.op("Cast", [value], { DstT: input.dtype });
    return layer.op("NotEqual", [input, like]);
  },
  masks: unmasked,
};

/** A tensor of one value, of the shape of another. */
function alike(value: 0 | 1): KerasLayer {
  return {
    call(layer) {
      const filled = layer.op("Fill", [layer.op("Shape", [layer.input]), layer.scalar(value, "value")]);
      const dtype = layer.config.text("dtype", layer.input.dtype);
      if (!isDType(dtype)) throw layer.config.invalid("dtype");
      return dtype === "float32" ? filled : layer.op("Cast", [filled], { DstT: dtype });
    },
    masks: unmasked,
  };
}

const any: KerasLayer = {
  call: (layer) =>
    layer.op("Any", [layer.input, layer.ints([layer.config.int("axis")], "axes")], {
      keep_dims: layer.config.flag("keepdims"),
    }),
  masks: unmasked,
};

const expandDims: KerasLayer = {
  call: (layer) => layer.op("ExpandDims", [layer.input, layer.ints(layer.config.int("axis"), "axis")]),
  masks: unmasked,
};

/** By the classes of keras.ops, which are no layers. */
export const OPERATORS: Readonly<Record<string, KerasLayer>> = {
  Add: operator("AddV2"),
  Subtract: operator("Sub"),
  Multiply: operator("Mul"),
  Divide: operator("RealDiv"),
  TrueDivide: operator("RealDiv"),
  // What Keras makes masks of.
  NotEqual: notEqual,
  LogicalOr: operator("LogicalOr"),
  LogicalAnd: operator("LogicalAnd"),
  Any: any,
  ExpandDims: expandDims,
  ZerosLike: alike(0),
  OnesLike: alike(1),
  Concatenate: { call: concatenate, masks: unmasked },
};
