/** Operators on each element. */
import type { Output } from "../../../graph/operation.js";
import { constant } from "../../../graph/ops/index.js";
import type { DType } from "../../../protocol/dtype.js";
import { Tensor } from "../../../protocol/tensor.js";
import type { OnnxCall, OnnxOp } from "../onnx-call.js";
import { dtypeOfOnnx } from "../onnx-tensor.js";

const same =
  (type: string): OnnxOp =>
  (call) =>
    call.op(type, [...call.inputs]);

/** An operator with any number of inputs, which takes two at a time. */
const folded =
  (type: string): OnnxOp =>
  (call) =>
    call.inputs.reduce((all, next) => call.op(type, [all, next]));

const INTEGERS: ReadonlySet<DType> = new Set([
  "int8",
  "int16",
  "int32",
  "int64",
  "uint8",
  "uint16",
  "uint32",
  "uint64",
]);

/** Divides whole numbers towards zero. */
function divide(call: OnnxCall): Output {
  const isWhole = INTEGERS.has(call.input().dtype);
  return call.op(isWhole ? "TruncateDiv" : "RealDiv", [call.input(0), call.input(1)]);
}

function clip(call: OnnxCall): Output {
  const [least, most] = [call.optional(1), call.optional(2)];
  const bounded = least ? call.op("Maximum", [call.input(), least]) : call.input();
  return most ? call.op("Minimum", [bounded, most]) : bounded;
}

function hardSigmoid(call: OnnxCall, alpha: number, beta: number): Output {
  const x = call.input();
  const line = call.op("AddV2", [
    call.op("Mul", [x, call.like(x, alpha, "alpha")]),
    call.like(x, beta, "beta"),
  ]);
  return call.op("ClipByValue", [line, call.like(x, 0, "least"), call.like(x, 1, "most")]);
}

function gelu(call: OnnxCall): Output {
  const x = call.input();
  const kind = call.text("approximate", "none");
  if (kind !== "none" && kind !== "tanh") throw call.unsupported(`is approximated by "${kind}"`);
  const times = (tensor: Output, factor: number, name: string) =>
    call.op("Mul", [tensor, call.like(x, factor, name)]);
  const cubic = () => times(call.op("Mul", [x, call.op("Square", [x])]), 0.044715, "cubic");
  const bent =
    kind === "none"
      ? call.op("Erf", [times(x, Math.SQRT1_2, "root")])
      : call.op("Tanh", [times(call.op("AddV2", [x, cubic()]), Math.sqrt(2 / Math.PI), "root")]);
  const share = times(call.op("AddV2", [bent, call.like(x, 1, "one")]), 0.5, "half");
  return call.op("Mul", [x, share]);
}

/** Below 0: alpha · (eˣ − 1) */
function elu(call: OnnxCall): Output {
  const x = call.input();
  const alpha = call.float("alpha", 1);
  if (alpha === 1) return call.op("Elu", [x]);
  const below = call.op("Expm1", [call.op("Minimum", [x, call.like(x, 0, "zero")])]);
  return call.op("AddV2", [call.op("Relu", [x]), call.op("Mul", [below, call.like(x, alpha, "alpha")])]);
}

const isUnsigned = ({ dtype }: Output) => dtype.startsWith("uint");

/** 1 for each number of a dtype without negative ones that is not 0. */
function sign(call: OnnxCall): Output {
  const x = call.input();
  if (!isUnsigned(x)) return call.op("Sign", [x]);
  return call.cast(call.op("NotEqual", [x, call.like(x, 0, "zero")]), x.dtype);
}

/** The exponent has a dtype of its own; the result has the base's. */
function pow(call: OnnxCall): Output {
  const [x, y] = [call.input(0), call.input(1)];
  // The power of a whole number may be no whole number before it is cut off: 4 to the 0.5, or 2 to the -1.
  const dtype = INTEGERS.has(x.dtype) ? "float64" : x.dtype;
  return call.cast(call.op("Pow", [call.cast(x, dtype), call.cast(y, dtype)]), x.dtype);
}

function prelu(call: OnnxCall): Output {
  const x = call.input();
  const zero = call.like(x, 0, "zero");
  const negative = call.op("Mul", [call.input(1), call.op("Minimum", [x, zero])]);
  return call.op("AddV2", [call.op("Maximum", [x, zero]), negative]);
}

/** In inference it changes nothing, and keeps every element. */
function dropout(call: OnnxCall): readonly Output[] {
  if (call.known(2)?.item() === true) throw call.unsupported("is in training");
  const x = call.input();
  const kept = call.op("Identity", [x]);
  if (call.outputs === 1) return [kept];
  const all = constant(call.graph, Tensor.of(true, "bool"), { name: "all" });
  return [kept, call.op("Fill", [call.op("Shape", [x]), all])];
}

export const ELEMENTWISE_OPS: Readonly<Record<string, OnnxOp>> = {
  ...{ Add: same("AddV2"), Sub: same("Sub"), Mul: same("Mul"), Div: divide, Pow: pow },
  ...{ Max: folded("Maximum"), Min: folded("Minimum"), Sum: folded("AddV2") },
  ...{
    Neg: same("Neg"),
    Abs: (call) => call.op(isUnsigned(call.input()) ? "Identity" : "Abs", [call.input()]),
    Sqrt: same("Sqrt"),
    Exp: same("Exp"),
    Log: same("Log"),
  },
  ...{ Floor: same("Floor"), Ceil: same("Ceil"), Round: same("Rint"), Sign: sign, Erf: same("Erf") },
  ...{ Sin: same("Sin"), Cos: same("Cos"), Reciprocal: same("Reciprocal"), Identity: same("Identity") },
  ...{ Relu: same("Relu"), Sigmoid: same("Sigmoid"), Tanh: same("Tanh"), Softplus: same("Softplus") },
  ...{ Softsign: same("Softsign"), Clip: clip, PRelu: prelu, Gelu: gelu, Elu: elu },
  ...{ Equal: same("Equal"), Less: same("Less"), Greater: same("Greater"), LessOrEqual: same("LessEqual") },
  ...{ GreaterOrEqual: same("GreaterEqual"), Not: same("LogicalNot"), And: same("LogicalAnd") },
  ...{ Or: same("LogicalOr"), Where: same("SelectV2") },
  LeakyRelu: (call) => call.op("LeakyRelu", [call.input()], { alpha: call.float("alpha", 0.01) }),
  HardSigmoid: (call) => hardSigmoid(call, call.float("alpha", 0.2), call.float("beta", 0.5)),
  HardSwish: (call) => call.op("Mul", [call.input(), hardSigmoid(call, 1 / 6, 0.5)]),
  Cast: (call) => call.op("Cast", [call.input()], { DstT: dtypeOfOnnx(call.int("to", 0), call.layer) }),
  Dropout: dropout,
};
