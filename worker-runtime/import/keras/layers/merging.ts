/** Layers with several inputs, and the operators of Keras 3 between tensors. */
import type { Output } from "../../../graph/operation.js";
import { constant } from "../../../graph/ops/index.js";
import { type DType, isDType } from "../../../protocol/dtype.js";
import { invalidArgument } from "../../../protocol/status.js";
import { Tensor } from "../../../protocol/tensor.js";
import type { KerasLayer, LayerCall } from "../layer-call.js";
import { concatenatedMask } from "../masks.js";
import { type Operand, resultType } from "../promotion.js";

/** Applies an op to two operands, in the dtype that Keras computes them in. */
function binary(layer: LayerCall, op: string, operands: readonly (Output | number)[], isDivision = false) {
  const dtype = resultType([
    ...operands.map((one, at) => operandType(layer, one, at)),
    ...(isDivision ? ["float" as const] : []),
  ]);
  const tensors = operands.map((operand, at) =>
    typeof operand === "number"
      ? constant(layer.graph, numberOf(operand, dtype), { name: at === 0 ? "x" : "y" })
      : layer.cast(operand, dtype),
  );
  return layer.op(op, tensors);
}

function numberOf(value: number, dtype: DType): Tensor {
  return Tensor.of(/^u?int64$/.test(dtype) ? BigInt(value) : value, dtype);
}

/**
 * Files tell 1.0 from 1. Where other programs have written them anew and do not, what the file says of the result does.
 * @param at the place of the operand.
 */
function operandType(layer: LayerCall, operand: Output | number, at: number): Operand {
  if (typeof operand !== "number") return operand.dtype;
  const { floats, resultDtype } = layer.args;
  const isFloat =
    !Number.isInteger(operand) || floats?.has(at) === true || resultDtype?.includes("float") === true;
  return isFloat ? "float" : "int";
}

/** Joins all inputs, two at a time. */
function joined(layer: LayerCall, op: string): Output {
  return layer.args.inputs.reduce((all, next) => binary(layer, op, [all, next]));
}

function merging(op: string): KerasLayer {
  return { call: (layer) => joined(layer, op) };
}

function average(layer: LayerCall): Output {
  const all = joined(layer, "AddV2");
  return binary(layer, "RealDiv", [all, layer.args.inputs.length], true);
}

function concatenate(layer: LayerCall): Output {
  const axis = layer.ints(layer.config.int("axis", -1), "axis");
  const { inputs } = layer.args;
  const dtype = resultType(inputs.map((input) => input.dtype));
  const parts = inputs.map((input) => layer.cast(input, dtype));
  return inputs.length === 1 ? layer.input : layer.op("ConcatV2", [parts, axis]);
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

function operator(op: string, isDivision = false): KerasLayer {
  return {
    call(layer) {
      const { operands } = layer.args;
      if (operands.length === 2) return binary(layer, op, operands, isDivision);
      throw invalidArgument(`${layer.layer} needs two operands: the model's configuration is damaged.`);
    },
    masks: unmasked,
  };
}

/** Operators drop masks. */
const unmasked = (): readonly undefined[] => [];

/** Keras compares a number as a tensor of its own dtype. */
const notEqual: KerasLayer = {
  call(layer) {
    const [one = layer.input, other = 0] = layer.args.operands;
    const strict = [one, other].map((operand, at): Output => {
      if (typeof operand !== "number") return operand;
      return operandType(layer, operand, at) === "int"
        ? layer.ints(operand, "value")
        : layer.scalar(operand, "value");
    });
    return binary(layer, "NotEqual", strict);
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
    layer.op("Any", [layer.cast(layer.input, "bool"), layer.ints([layer.config.int("axis")], "axes")], {
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
  Divide: operator("RealDiv", true),
  TrueDivide: operator("RealDiv", true),
  // Keras makes masks of these.
  NotEqual: notEqual,
  LogicalOr: operator("LogicalOr"),
  LogicalAnd: operator("LogicalAnd"),
  Any: any,
  ExpandDims: expandDims,
  ZerosLike: alike(0),
  OnesLike: alike(1),
  Concatenate: { call: concatenate, masks: unmasked },
};
