/** Operators on each element. */
import type { Output } from "../../../graph/operation.js";
import type { DType } from "../../../protocol/dtype.js";
import type { OnnxCall, OnnxOp } from "../onnx-call.js";
import { dtypeOfOnnx } from "../onnx-tensor.js";

const same =
  (type: string): OnnxOp =>
  (call) =>
    call.op(type, [...call.inputs]);

/** Of any number of inputs, two at a time. */
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

/** Of whole numbers towards zero. */
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
  if (call.text("approximate", "none") !== "none") throw call.unsupported("is approximated by tanh");
  const x = call.input();
  const erf = call.op("Erf", [call.op("Mul", [x, call.like(x, Math.SQRT1_2, "root")])]);
  const share = call.op("Mul", [call.op("AddV2", [erf, call.like(x, 1, "one")]), call.like(x, 0.5, "half")]);
  return call.op("Mul", [x, share]);
}

function pow(call: OnnxCall): Output {
  const [x, y] = [call.input(0), call.input(1)];
  return call.op("Pow", [x, y.dtype === x.dtype ? y : call.op("Cast", [y], { DstT: x.dtype })]);
}

function prelu(call: OnnxCall): Output {
  const x = call.input();
  const zero = call.like(x, 0, "zero");
  const negative = call.op("Mul", [call.input(1), call.op("Minimum", [x, zero])]);
  return call.op("AddV2", [call.op("Maximum", [x, zero]), negative]);
}

export const ELEMENTWISE_OPS: Readonly<Record<string, OnnxOp>> = {
  ...{ Add: same("AddV2"), Sub: same("Sub"), Mul: same("Mul"), Div: divide, Pow: pow },
  ...{ Max: folded("Maximum"), Min: folded("Minimum"), Sum: folded("AddV2") },
  ...{ Neg: same("Neg"), Abs: same("Abs"), Sqrt: same("Sqrt"), Exp: same("Exp"), Log: same("Log") },
  ...{ Floor: same("Floor"), Ceil: same("Ceil"), Round: same("Rint"), Sign: same("Sign"), Erf: same("Erf") },
  ...{ Sin: same("Sin"), Cos: same("Cos"), Reciprocal: same("Reciprocal"), Identity: same("Identity") },
  ...{ Relu: same("Relu"), Sigmoid: same("Sigmoid"), Tanh: same("Tanh"), Softplus: same("Softplus") },
  ...{ Softsign: same("Softsign"), Clip: clip, PRelu: prelu, Gelu: gelu },
  ...{ Equal: same("Equal"), Less: same("Less"), Greater: same("Greater"), LessOrEqual: same("LessEqual") },
  ...{ GreaterOrEqual: same("GreaterEqual"), Not: same("LogicalNot"), And: same("LogicalAnd") },
  ...{ Or: same("LogicalOr"), Where: same("SelectV2") },
  Elu(call) {
    if (call.float("alpha", 1) !== 1) throw call.unsupported("has an alpha other than 1");
    return call.op("Elu", [call.input()]);
  },
  LeakyRelu: (call) => call.op("LeakyRelu", [call.input()], { alpha: call.float("alpha", 0.01) }),
  HardSigmoid: (call) => hardSigmoid(call, call.float("alpha", 0.2), call.float("beta", 0.5)),
  HardSwish: (call) => call.op("Mul", [call.input(), hardSigmoid(call, 1 / 6, 0.5)]),
  Cast: (call) => call.op("Cast", [call.input()], { DstT: dtypeOfOnnx(call.int("to", 0), call.layer) }),
  // In inference it changes nothing.
  Dropout: (call) => call.op("Identity", [call.input()]),
};
