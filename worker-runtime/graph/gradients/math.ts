/** Gradients of functions of each element. */
import type { DType } from "../../protocol/dtype.js";
import type { Output } from "../operation.js";
import { ofBoth, sumToShape } from "./broadcasting.js";
import { conjugated, isComplex } from "./complex.js";
import type { GradientRule, GradientRules, OpGradient } from "./gradient.js";

/** The gradient times the derivative. */
function derivative(of: (at: OpGradient) => Output): GradientRule {
  return (at) => [at.call("Mul", [at.g, of(at)])];
}

/** 1 / value, as what the gradient is multiplied by. */
function divideBy(of: (at: OpGradient) => Output): GradientRule {
  return (at) => [at.call("RealDiv", [at.g, of(at)])];
}

/** An op of TensorFlow's that computes the gradient from the output and its gradient. */
function fromOutput(type: string): GradientRule {
  return ({ call, y, g }) => [call(type, [y, g])];
}

const FLOATS: ReadonlySet<DType> = new Set(["float16", "bfloat16", "float32", "float64"]);

/** Whether values of this dtype have gradients. */
export function isFloating(dtype: DType): boolean {
  return FLOATS.has(dtype);
}

const square = ({ call, x }: OpGradient) => call("Square", [x]);

/** The gradient where a condition holds, zeros elsewhere. */
function where({ call }: OpGradient, condition: Output, g: Output, otherwise = false): Output {
  const zero = call("ZerosLike", [g]);
  return call("SelectV2", otherwise ? [condition, zero, g] : [condition, g, zero]);
}

function extremum(comparison: "GreaterEqual" | "LessEqual"): GradientRule {
  return (at) => {
    const { call, x, g } = at;
    const first = call(comparison, [x, at.input(1)]);
    return ofBoth(
      at,
      () => where(at, first, g),
      () => where(at, first, g, true),
    );
  };
}

const add: GradientRule = (at) =>
  ofBoth(
    at,
    () => at.g,
    () => at.g,
  );

const divide: GradientRule = (at) => {
  const { call, g } = at;
  const [x, y] = [conjugated(at, at.x), conjugated(at, at.input(1))];
  return ofBoth(
    at,
    () => call("RealDiv", [g, y]),
    () => call("Mul", [g, call("RealDiv", [call("RealDiv", [call("Neg", [x]), y]), y])]),
  );
};

const negatedSquareRoot = (at: OpGradient, inner: Output) => at.call("Neg", [at.call("Sqrt", [inner])]);
const TWO_BY_ROOT_PI = 2 / Math.sqrt(Math.PI);

function errorFunction(factor: number): GradientRule {
  return derivative((at) => at.call("Mul", [at.call("Exp", [at.call("Neg", [square(at)])]), factor]));
}

/** Functions of one argument. */
const UNARY: GradientRules = {
  Abs: derivative(({ call, x }) => call("Sign", [x])),
  Neg: ({ call, g }) => [call("Neg", [g])],
  Square: ({ call, x, g }) => [call("Mul", [g, call("Mul", [x, 2])])],
  Sqrt: fromOutput("SqrtGrad"),
  Rsqrt: fromOutput("RsqrtGrad"),
  Reciprocal: fromOutput("ReciprocalGrad"),
  Inv: fromOutput("InvGrad"),
  Exp: derivative(({ y }) => y),
  Expm1: derivative(({ call, x }) => call("Exp", [x])),
  Log: divideBy(({ x }) => x),
  Log1p: divideBy(({ call, x }) => call("AddV2", [x, 1])),
  Sin: derivative(({ call, x }) => call("Cos", [x])),
  Cos: derivative(({ call, x }) => call("Neg", [call("Sin", [x])])),
  Tan: divideBy(({ call, x }) => call("Square", [call("Cos", [x])])),
  Sinh: derivative(({ call, x }) => call("Cosh", [x])),
  Cosh: derivative(({ call, x }) => call("Sinh", [x])),
  Tanh: fromOutput("TanhGrad"),
  Asin: divideBy((at) => at.call("Sqrt", [at.call("Sub", [1, square(at)])])),
  Acos: divideBy((at) => negatedSquareRoot(at, at.call("Sub", [1, square(at)]))),
  Atan: divideBy((at) => at.call("AddV2", [square(at), 1])),
  Asinh: divideBy(({ call, y }) => call("Cosh", [y])),
  Acosh: divideBy(({ call, y }) => call("Sinh", [y])),
  Atanh: divideBy((at) => at.call("Sub", [1, square(at)])),
  Sigmoid: fromOutput("SigmoidGrad"),
  Erf: errorFunction(TWO_BY_ROOT_PI),
  Erfc: errorFunction(-TWO_BY_ROOT_PI),
  Erfinv: derivative(({ call, y }) =>
    call("Mul", [call("Exp", [call("Square", [y])]), Math.sqrt(Math.PI) / 2]),
  ),
  Lgamma: derivative(({ call, x }) => call("Digamma", [x])),
  Cast: ({ call, x, g }) => [
    isFloating(x.dtype) || isComplex(x.dtype) ? call("Cast", [g], { DstT: x.dtype }) : undefined,
  ],
};

/** Functions of several arguments. */
const BINARY: GradientRules = {
  Add: add,
  AddV2: add,
  AddN: (at) => at.op.inputs.map(() => at.g),
  AccumulateNV2: (at) => at.op.inputs.map(() => at.g),
  Sub: (at) =>
    ofBoth(
      at,
      () => at.g,
      () => at.call("Neg", [at.g]),
    ),
  Mul: (at) =>
    ofBoth(
      at,
      () => at.call("Mul", [at.g, conjugated(at, at.input(1))]),
      () => at.call("Mul", [conjugated(at, at.x), at.g]),
    ),
  Div: divide,
  RealDiv: divide,
  DivNoNan: (at) => {
    const { call, g, x } = at;
    const y = at.input(1);
    return ofBoth(
      at,
      () => call("DivNoNan", [g, y]),
      () => call("Mul", [g, call("DivNoNan", [call("DivNoNan", [call("Neg", [x]), y]), y])]),
    );
  },
  MulNoNan: (at) =>
    ofBoth(
      at,
      () => at.call("MulNoNan", [at.g, at.input(1)]),
      () => at.call("MulNoNan", [at.x, at.g]),
    ),
  FloorMod: (at) =>
    ofBoth(
      at,
      () => at.g,
      () => at.call("Neg", [at.call("Mul", [at.g, at.call("FloorDiv", [at.x, at.input(1)])])]),
    ),
  Pow: (at) => {
    const { call, g, x } = at;
    const exponent = at.input(1);
    return ofBoth(
      at,
      () => call("Mul", [g, call("Mul", [exponent, call("Pow", [x, call("Sub", [exponent, 1])])])]),
      () => {
        // The logarithm exists only of positive numbers; elsewhere the gradient is zero.
        const positive = call("Greater", [x, call("ZerosLike", [x])]);
        const safe = call("SelectV2", [positive, x, call("OnesLike", [x])]);
        const log = call("SelectV2", [positive, call("Log", [safe]), call("ZerosLike", [x])]);
        return call("Mul", [g, call("Mul", [at.y, log])]);
      },
    );
  },
  Maximum: extremum("GreaterEqual"),
  Minimum: extremum("LessEqual"),
  SquaredDifference: (at) => {
    const { call, g, x } = at;
    const twice = call("Mul", [call("Mul", [g, 2]), call("Sub", [x, at.input(1)])]);
    return ofBoth(
      at,
      () => twice,
      () => call("Neg", [twice]),
    );
  },
  Atan2: (at) => {
    const { call, g } = at;
    const [y, x] = [at.input(0), at.input(1)];
    const scaled = call("RealDiv", [g, call("AddV2", [call("Square", [x]), call("Square", [y])])]);
    return ofBoth(
      at,
      () => call("Mul", [x, scaled]),
      () => call("Neg", [call("Mul", [y, scaled])]),
    );
  },
  Xlogy: (at) => {
    const { call, g, x } = at;
    const y = at.input(1);
    return ofBoth(
      at,
      () => call("Mul", [g, call("Xlogy", [isNotZero(at, x), y])]),
      () => call("Mul", [g, call("Xdivy", [x, y])]),
    );
  },
  Xlog1py: (at) => {
    const { call, g, x } = at;
    const y = at.input(1);
    return ofBoth(
      at,
      () => call("Mul", [g, call("Xlog1py", [isNotZero(at, x), y])]),
      () => call("Mul", [g, call("Xdivy", [x, call("AddV2", [y, 1])])]),
    );
  },
  Xdivy: (at) => {
    const { call, g, x } = at;
    const y = at.input(1);
    return ofBoth(
      at,
      () => call("Mul", [g, call("Xdivy", [isNotZero(at, x), y])]),
      () => call("Mul", [g, call("Xdivy", [call("Neg", [x]), call("Square", [y])])]),
    );
  },
  Select: ({ call, op, g }) => {
    const zero = call("ZerosLike", [g]);
    const condition = op.inputs[0] ?? g;
    return [undefined, call("Select", [condition, g, zero]), call("Select", [condition, zero, g])];
  },
  SelectV2: (at) => {
    const { x: condition, g } = at;
    return [
      undefined,
      at.wants(1) ? sumToShape(at, at.input(1), where(at, condition, g)) : undefined,
      at.wants(2) ? sumToShape(at, at.input(2), where(at, condition, g, true)) : undefined,
    ];
  },
  ClipByValue: (at) => {
    const { call, x, g } = at;
    const [low, high] = [at.input(1), at.input(2)];
    const [below, above] = [call("Less", [x, low]), call("Greater", [x, high])];
    return [
      where(at, call("LogicalOr", [below, above]), g, true),
      at.wants(1) ? sumToShape(at, low, where(at, below, g)) : undefined,
      at.wants(2) ? sumToShape(at, high, where(at, above, g)) : undefined,
    ];
  },
};

function isNotZero({ call }: OpGradient, x: Output): Output {
  return call("Cast", [call("NotEqual", [x, call("ZerosLike", [x])])], { DstT: x.dtype });
}

/** Gradients of gradients: of the ops above that compute one from an output and its gradient. */
const SECOND: GradientRules = {
  SigmoidGrad: (at) => {
    const { call, g, x: y } = at;
    const factor = call("Sub", [1, call("Mul", [y, 2])]);
    return [call("Mul", [call("Mul", [g, at.input(1)]), factor]), call("SigmoidGrad", [y, g])];
  },
  TanhGrad: (at) => {
    const { call, g, x: y } = at;
    return [call("Mul", [call("Mul", [g, at.input(1)]), call("Mul", [y, -2])]), call("TanhGrad", [y, g])];
  },
  SqrtGrad: (at) => {
    const { call, g, x: y } = at;
    const ratio = call("RealDiv", [g, y]);
    const half = call("Mul", [ratio, 0.5]);
    return [call("Neg", [call("Mul", [call("RealDiv", [half, y]), at.input(1)])]), half];
  },
  RsqrtGrad: (at) => {
    const { call, g, x: y } = at;
    const both = call("Mul", [g, at.input(1)]);
    return [call("Mul", [both, call("Mul", [call("Square", [y]), -1.5])]), call("RsqrtGrad", [y, g])];
  },
  ReciprocalGrad: ofReciprocal("ReciprocalGrad"),
  InvGrad: ofReciprocal("InvGrad"),
};

/** The gradient of -dy · y², which is the gradient of 1 / x. */
function ofReciprocal(type: "ReciprocalGrad" | "InvGrad"): GradientRule {
  return (at) => {
    const { call, g, x: y } = at;
    const both = call("Mul", [g, at.input(1)]);
    return [call("Mul", [both, call("Mul", [y, -2])]), call(type, [y, g])];
  };
}

export const MATH: GradientRules = { ...UNARY, ...BINARY, ...SECOND };
