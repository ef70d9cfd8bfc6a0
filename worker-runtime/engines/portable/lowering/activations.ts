import type { DType } from "../../../protocol/dtype.js";
import type { KernelTypes } from "../kernels/kernel.js";
import type { KernelNode } from "../kernels/kernel-node.js";
import { SELU_SCALE, SELU_SCALE_ALPHA } from "../kernels/nn/activations.js";
import { float, int, string } from "../onnx/attributes.js";
import type { ModelBuilder, OnnxValue } from "../onnx/model-builder.js";
import { onnxDataType } from "../onnx/tensor-proto.js";
import { scalar } from "./constants.js";
import { sigmoid } from "./elementwise.js";
import type { Lowering } from "./lowering.js";
import { convolved, placedGradient, placeGradient } from "./origins.js";
import { Writer } from "./writer.js";

const floats = ["float32", "float64"] as const satisfies readonly DType[];

export function relu6(model: ModelBuilder, x: OnnxValue): OnnxValue {
  return model.node("Clip", [x, scalar(model, x.dtype, 0), scalar(model, x.dtype, 6)], x.dtype);
}

export function leakyRelu(model: ModelBuilder, x: OnnxValue, alpha: number): OnnxValue {
  if (x.dtype === "float32") {
    return model.node("LeakyRelu", [x], x.dtype, { attributes: { alpha: float(alpha) } });
  }
  return select(model, positive(model, x), x, times(model, x, alpha));
}

/** exp(x) - 1 for x below 0 as 2 tanh(x/2) / (1 - tanh(x/2)), which stays accurate near 0, where exp(x) - 1 cancels. */
function negativeExpm1(model: ModelBuilder, x: OnnxValue): OnnxValue {
  const { dtype } = x;
  const tanh = model.node("Tanh", [times(model, x, 0.5)], dtype);
  const rest = model.node("Sub", [scalar(model, dtype, 0.5), times(model, tanh, 0.5)], dtype);
  return model.node("Div", [tanh, rest], dtype);
}

export function elu(model: ModelBuilder, x: OnnxValue): OnnxValue {
  return select(model, negative(model, x), negativeExpm1(model, x), x);
}

function selu(model: ModelBuilder, x: OnnxValue): OnnxValue {
  const below = times(model, negativeExpm1(model, x), SELU_SCALE_ALPHA);
  return select(model, negative(model, x), below, times(model, x, SELU_SCALE));
}

/** Gaussian error linear unit. */
export function geluExact(model: ModelBuilder, x: OnnxValue): OnnxValue {
  return gelu(model, x, "none");
}

/** Gaussian error linear unit, approximated with tanh. */
export function geluApproximate(model: ModelBuilder, x: OnnxValue): OnnxValue {
  return gelu(model, x, "tanh");
}

function gelu(model: ModelBuilder, x: OnnxValue, approximate: string): OnnxValue {
  return model.node("Gelu", [x], x.dtype, { attributes: { approximate: string(approximate) } });
}

function times(model: ModelBuilder, x: OnnxValue, factor: number): OnnxValue {
  return model.node("Mul", [x, scalar(model, x.dtype, factor)], x.dtype);
}

function positive(model: ModelBuilder, x: OnnxValue): OnnxValue {
  return model.node("Greater", [x, scalar(model, x.dtype, 0)], "bool");
}

function negative(model: ModelBuilder, x: OnnxValue): OnnxValue {
  return model.node("Less", [x, scalar(model, x.dtype, 0)], "bool");
}

function select(model: ModelBuilder, condition: OnnxValue, yes: OnnxValue, no: OnnxValue): OnnxValue {
  return model.node("Where", [condition, yes, no], yes.dtype);
}

/**
 * The gradient where a condition holds, 0 elsewhere. Computed as a product, which makes NaN and infinite gradients NaN
 * there.
 */
function masked(model: ModelBuilder, gradient: OnnxValue, condition: OnnxValue): OnnxValue {
  const { dtype } = gradient;
  const mask = model.node("Cast", [condition], dtype, { attributes: { to: int(onnxDataType(dtype)) } });
  return model.node("Mul", [gradient, mask], dtype);
}

/**
 * The gradient of an activation of slope 1 where a condition on the features holds, and 0 elsewhere. A pool's gradient is
 * multiplied before it is spread over the images, if these are the features.
 */
function maskedGradient(
  op: string,
  condition: (model: ModelBuilder, features: OnnxValue) => OnnxValue,
): Lowering {
  return gradient(op, (model, dy, x) => {
    const placed = placedGradient(dy);
    return placed?.images === x
      ? placeGradient({ ...placed, values: masked(model, placed.values, condition(model, placed.pixels)) })
      : masked(model, dy, condition(model, x));
  });
}

/** A function of one tensor. */
function unary(
  op: string,
  types: KernelTypes,
  f: (model: ModelBuilder, x: OnnxValue, node: KernelNode) => OnnxValue,
): Lowering {
  return {
    op,
    types,
    lower: (node, [x], { model }) => (x === undefined ? undefined : [f(model, x, node)]),
  };
}

/** A gradient op; its inputs are the result's gradient and the features or the result, of the same shape. */
function gradient(
  op: string,
  f: (model: ModelBuilder, dy: OnnxValue, x: OnnxValue, node: KernelNode) => OnnxValue,
): Lowering {
  return {
    op,
    types: { T: floats },
    lower: (node, [dy, x], { model, rank }) =>
      dy === undefined || x === undefined || rank(dy) !== rank(x) ? undefined : [f(model, dy, x, node)],
  };
}

export const activationLowerings: readonly Lowering[] = [
  unary(
    "Relu",
    { T: ["float32", "float64", "int32", "int8"] },
    (model, x) => convolved.get(x)?.withRelu?.() ?? model.node("Relu", [x], x.dtype),
  ),
  unary("Relu6", { T: [...floats, "int32", "int64", "int8", "uint8"] }, relu6),
  unary("LeakyRelu", { T: floats }, (model, x, node) => leakyRelu(model, x, node.float("alpha"))),
  unary("Elu", { T: floats }, elu),
  unary("Selu", { T: floats }, selu),
  unary("Softplus", { T: ["float32"] }, (model, x) => model.node("Softplus", [x], x.dtype)),
  unary("Softsign", { T: ["float32"] }, (model, x) => model.node("Softsign", [x], x.dtype)),
  maskedGradient("ReluGrad", positive),
  maskedGradient("Relu6Grad", (model, x) => {
    const below6 = model.node("Less", [x, scalar(model, x.dtype, 6)], "bool");
    return model.node("And", [positive(model, x), below6], "bool");
  }),
  gradient("LeakyReluGrad", (model, dy, x, node) =>
    select(model, positive(model, x), dy, times(model, dy, node.float("alpha"))),
  ),
  gradient("EluGrad", (model, dy, y) => {
    const slope = model.node("Add", [y, scalar(model, y.dtype, 1)], y.dtype);
    return select(model, negative(model, y), model.node("Mul", [dy, slope], y.dtype), dy);
  }),
  gradient("SeluGrad", (model, dy, y) => {
    const slope = model.node("Add", [y, scalar(model, y.dtype, SELU_SCALE_ALPHA)], y.dtype);
    const above = times(model, dy, SELU_SCALE);
    return select(model, negative(model, y), model.node("Mul", [dy, slope], y.dtype), above);
  }),
  gradient("SoftplusGrad", (model, dy, x) =>
    model.node("Mul", [dy, sigmoid(new Writer({ model }), x)], x.dtype),
  ),
  gradient("SoftsignGrad", (model, dy, x) => {
    const size = model.node("Add", [model.node("Abs", [x], x.dtype), scalar(model, x.dtype, 1)], x.dtype);
    return model.node("Div", [dy, model.node("Mul", [size, size], x.dtype)], x.dtype);
  }),
];
