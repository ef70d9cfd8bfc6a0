import type { DType } from "../../../protocol/dtype.js";
import { int } from "../onnx/attributes.js";
import type { OnnxValue } from "../onnx/model-builder.js";
import { floats, integers, limited, numbers } from "./dtypes.js";
import type { Lowering, LoweringContext } from "./lowering.js";
import { inputAt, numbersOf, Writer } from "./writer.js";

/** Ops of one dtype that ONNX has with the same meaning, broadcasting included. */
const sameMeaning: readonly (readonly [op: string, onnx: string, T: readonly DType[]])[] = [
  ["Add", "Add", numbers],
  ["AddV2", "Add", numbers],
  ["Sub", "Sub", numbers],
  ["Mul", "Mul", numbers],
  ["RealDiv", "Div", floats],
  ["Div", "Div", floats],
  ["Maximum", "Max", limited],
  ["Minimum", "Min", limited],
  ["Pow", "Pow", floats],
  ["Abs", "Abs", [...floats, "int8", "int16", "int32", "int64"]],
  ["Neg", "Neg", [...floats, "int8", "int16", "int32", "int64"]],
  ["Sign", "Sign", [...floats, "int8", "int16", "int32", "int64"]],
  ["Ceil", "Ceil", floats],
  ["Floor", "Floor", floats],
  ["Rint", "Round", floats],
  ["Round", "Round", floats],
  ["Sqrt", "Sqrt", floats],
  ["Reciprocal", "Reciprocal", floats],
  ["Inv", "Reciprocal", floats],
  ["Exp", "Exp", floats],
  ["Log", "Log", floats],
  ["Tanh", "Tanh", ["float64"]],
  ["Erf", "Erf", ["float32"]],
  // For float64, ONNX Runtime loses precision around the zeros of these.
  ["Sin", "Sin", ["float32"]],
  ["Cos", "Cos", ["float32"]],
  ["Tan", "Tan", ["float32"]],
  ["Asin", "Asin", ["float32"]],
  ["Acos", "Acos", ["float32"]],
  ["Atan", "Atan", ["float32"]],
  ["Sinh", "Sinh", ["float32"]],
  ["Cosh", "Cosh", ["float32"]],
  ["Asinh", "Asinh", ["float32"]],
  ["Acosh", "Acosh", ["float32"]],
  ["Atanh", "Atanh", ["float32"]],
  ["BitwiseAnd", "BitwiseAnd", integers],
  ["BitwiseOr", "BitwiseOr", integers],
  ["BitwiseXor", "BitwiseXor", integers],
  ["Invert", "BitwiseNot", integers],
];

/** An op of one dtype as a formula on its inputs. */
type Formula = (write: Writer, left: OnnxValue, right: OnnxValue) => OnnxValue;

/** 0 where one factor (or the numerator) is 0, regardless of the other operand. */
const zeroWhere = (write: Writer, zero: OnnxValue, otherwise: OnnxValue): OnnxValue => {
  const none = write.scalar(zero.dtype, 0);
  return write.where(write.test("Equal", zero, none), none, otherwise);
};

/**
 * log(1 + x) without loss of precision for small x: W. Kahan's correction by x / ((1 + x) - 1), which is valid because
 * 1 + x is rounded identically in both places.
 */
function log1p(write: Writer, x: OnnxValue): OnnxValue {
  const one = write.scalar(x.dtype, 1);
  const sum = write.add(x, one);
  const rounded = write.sub(sum, one);
  const corrected = write.mul(write.same("Log", [sum]), write.div(x, rounded));
  const isSum = write.test("Or", write.test("Equal", sum, x), write.test("IsNaN", corrected));
  // If 1 + x is 1, the logarithm is x; if it is x (a large number, infinity), the logarithm is log(x).
  const large = write.where(isSum, write.same("Log", [sum]), corrected);
  return write.where(write.test("Equal", rounded, write.scalar(x.dtype, 0)), x, large);
}

/** exp(x) - 1 = tanh(x / 2) (exp(x) + 1), which is accurate for small x; for tiny x it is x. */
function expm1(write: Writer, x: OnnxValue): OnnxValue {
  const isTiny = write.test("Less", write.same("Abs", [x]), write.scalar(x.dtype, 2 ** -60));
  const half = write.same("Tanh", [write.mul(x, write.scalar(x.dtype, 0.5))]);
  const larger = write.mul(half, write.add(write.same("Exp", [x]), write.scalar(x.dtype, 1)));
  return write.where(isTiny, x, larger);
}

/** A subnormal quotient counts as zero, since TensorFlow's threads flush subnormals to zero. */
function flooredQuotient(write: Writer, x: OnnxValue, y: OnnxValue): OnnxValue {
  const quotient = write.div(x, y);
  const smallest = write.scalar(x.dtype, x.dtype === "float32" ? 2 ** -126 : 2 ** -1022);
  const counts = write.test("GreaterOrEqual", write.same("Abs", [quotient]), smallest);
  const isKept = write.test("Or", counts, write.test("IsNaN", quotient));
  // A product, because ONNX Runtime's Where turns -0 into 0.
  return write.same("Floor", [write.mul(quotient, write.cast(isKept, x.dtype))]);
}

/** The floored remainder has the sign of the divisor, ONNX's for floats that of the dividend. */
function floorMod(write: Writer, left: OnnxValue, right: OnnxValue): OnnxValue {
  const zero = write.scalar(left.dtype, 0);
  const truncated = write.same("Mod", [left, right], { fmod: int(1) });
  const otherSign = write.test("Xor", write.test("Less", truncated, zero), write.test("Less", right, zero));
  const moves = write.test("And", otherSign, write.test("Not", write.test("Equal", truncated, zero)));
  return write.where(moves, write.add(truncated, right), truncated);
}

/** 1 / (1 + exp(-x)): ONNX Runtime's Sigmoid is completely inaccurate for results below 2^-24. */
export function sigmoid(write: Writer, x: OnnxValue): OnnxValue {
  const exp = write.same("Exp", [write.same("Neg", [x])]);
  return write.same("Reciprocal", [write.add(exp, write.scalar(x.dtype, 1))]);
}

/**
 * ONNX Runtime's Tanh of float32 is inaccurate below 2^-118, where products of its polynomial become subnormal. There
 * the result is x: the difference from x is subtracted. Elsewhere it is 0 or below the last digit, hence -0 stays -0.
 */
function tanh(write: Writer, x: OnnxValue): OnnxValue {
  const [low, high] = [write.scalar(x.dtype, -(2 ** -80)), write.scalar(x.dtype, 2 ** -80)];
  const tiny = write.same("Clip", [x, low, high]);
  return write.sub(write.same("Tanh", [x]), write.sub(write.same("Tanh", [tiny]), tiny));
}

/**
 * erfc of float32: W. H. Press et al., Numerical Recipes, erfcc: exp(-x²) times a polynomial in 1 / (1 + |x| / 2), with
 * a relative error below 1.2e-7. 1 - erf(x) would be 0 from x = 4 on. x² is split, since an error of its rounding grows
 * in the exponential: the square of the first five binary places is exact.
 */
function erfc(write: Writer, x: OnnxValue): OnnxValue {
  const number = (value: number) => write.scalar(x.dtype, value);
  const one = number(1);
  // From 11 on the result is 0.
  const size = write.same("Min", [write.same("Abs", [x]), number(11)]);
  const head = write.mul(write.same("Floor", [write.mul(size, number(32))]), number(1 / 32));
  const rest = write.mul(write.sub(head, size), write.add(head, size));
  const power = write.mul(
    write.same("Exp", [write.same("Neg", [write.mul(head, head)])]),
    write.same("Exp", [rest]),
  );
  const t = write.same("Reciprocal", [write.add(one, write.mul(size, number(0.5)))]);
  const exponent = ERFC_COEFFICIENTS.slice(1).reduce(
    (sum, coefficient) => write.add(write.mul(sum, t), number(coefficient)),
    number(ERFC_COEFFICIENTS[0]),
  );
  const right = write.mul(write.mul(t, write.same("Exp", [exponent])), power);
  const isLeft = write.test("Less", x, number(0));
  const result = write.where(isLeft, write.sub(number(2), right), right);
  return write.where(write.test("IsNaN", x), x, result);
}

/** Whether a number has the sign bit, as -0 has. */
function isNegative(write: Writer, x: OnnxValue): OnnxValue {
  const zero = write.scalar(x.dtype, 0);
  return write.test(
    "Or",
    write.test("Less", x, zero),
    write.test("Less", write.same("Reciprocal", [x]), zero),
  );
}

/** The angle of a point: that of its absolute coordinates, mirrored for a negative x and with the sign of y. */
function atan2(write: Writer, y: OnnxValue, x: OnnxValue): OnnxValue {
  const number = (value: number) => write.scalar(x.dtype, value);
  const [up, right] = [write.same("Abs", [y]), write.same("Abs", [x])];
  // Quotients of two zeros or infinities are NaN.
  const diagonal = write.where(write.test("Equal", up, number(0)), number(0), number(Math.PI / 4));
  const angle = write.same("Atan", [write.div(up, right)]);
  const first = write.where(write.test("Equal", up, right), diagonal, angle);
  const upper = write.where(isNegative(write, x), write.sub(number(Math.PI), first), first);
  const sign = write.where(isNegative(write, y), number(-1), number(1));
  return write.mul(upper, sign);
}

const ERFC_COEFFICIENTS = [
  0.17087277, -0.82215223, 1.48851587, -1.13520398, 0.27886807, -0.18628806, 0.09678418, 0.37409196,
  1.00002368, -1.26551223,
] as const;

const unary: readonly (readonly [op: string, T: readonly DType[], formula: Formula])[] = [
  ["Square", numbers, (write, x) => write.mul(x, x)],
  ["Sigmoid", floats, sigmoid],
  ["Tanh", ["float32"], tanh],
  ["Rsqrt", floats, (write, x) => write.same("Reciprocal", [write.same("Sqrt", [x])])],
  ["Expm1", floats, expm1],
  ["Log1p", floats, log1p],
  ["Erfc", ["float32"], erfc],
];

const binary: readonly (readonly [op: string, T: readonly DType[], formula: Formula])[] = [
  [
    "SquaredDifference",
    numbers,
    (write, x, y) => {
      const difference = write.sub(x, y);
      return write.mul(difference, difference);
    },
  ],
  ["DivNoNan", floats, (write, x, y) => zeroWhere(write, y, write.div(x, y))],
  ["MulNoNan", floats, (write, x, y) => zeroWhere(write, y, write.mul(x, y))],
  ["Xdivy", floats, (write, x, y) => zeroWhere(write, x, write.div(x, y))],
  ["Xlogy", floats, (write, x, y) => zeroWhere(write, x, write.mul(x, write.same("Log", [y])))],
  ["Xlog1py", floats, (write, x, y) => zeroWhere(write, x, write.mul(x, log1p(write, y)))],
  ["Atan2", ["float32"], atan2],
  ["FloorDiv", floats, flooredQuotient],
  ["FloorMod", floats, floorMod],
  ["Mod", floats, (write, x, y) => write.same("Mod", [x, y], { fmod: int(1) })],
  ["TruncateMod", floats, (write, x, y) => write.same("Mod", [x, y], { fmod: int(1) })],
];

/** Gradients computed from the op's result y and its gradient dy, which have the same shape. */
const gradients: readonly (readonly [op: string, formula: Formula])[] = [
  ["SigmoidGrad", (write, y, dy) => write.mul(write.mul(dy, y), write.sub(write.scalar(y.dtype, 1), y))],
  ["TanhGrad", (write, y, dy) => write.mul(dy, write.sub(write.scalar(y.dtype, 1), write.mul(y, y)))],
  ["SqrtGrad", unlessZero((write, y, dy) => write.div(write.mul(dy, write.scalar(y.dtype, 0.5)), y))],
  [
    "RsqrtGrad",
    unlessZero((write, y, dy) =>
      write.mul(write.mul(dy, write.scalar(y.dtype, -0.5)), write.mul(y, write.mul(y, y))),
    ),
  ],
  ["ReciprocalGrad", unlessZero(reciprocalGrad)],
  ["InvGrad", unlessZero(reciprocalGrad)],
];

/** A gradient of 0 stays 0 even where the derivative of the function is infinite. */
function unlessZero(formula: Formula): Formula {
  return (write, y, dy) => zeroWhere(write, dy, formula(write, y, dy));
}

function reciprocalGrad(write: Writer, y: OnnxValue, dy: OnnxValue): OnnxValue {
  return write.mul(write.same("Neg", [dy]), write.mul(y, y));
}

/** Integer quotients and remainders, for divisors that are safe in ONNX Runtime. */
const divisions: readonly (readonly [op: string, formula: Formula])[] = [
  ["Div", (write, x, y) => write.div(x, y)],
  ["TruncateDiv", (write, x, y) => write.div(x, y)],
  ["FloorDiv", floorDiv],
  ["FloorMod", (write, x, y) => write.same("Mod", [x, y])],
  ["TruncateMod", truncateMod],
  ["Mod", truncateMod],
];

/** 1 if the remainder is not 0 and its sign differs from the operand's, otherwise 0. */
function isOff(write: Writer, remainder: OnnxValue, operand: OnnxValue): OnnxValue {
  const zero = write.scalar(operand.dtype, 0);
  const otherSign = write.test("Xor", write.test("Less", remainder, zero), write.test("Less", operand, zero));
  const isSome = write.test("Not", write.test("Equal", remainder, zero));
  return write.cast(write.test("And", isSome, otherSign), operand.dtype);
}

/**
 * The remainder with the sign of the dividend, from ONNX's, which has the sign of the divisor. Not x - x / y * y: ONNX
 * Runtime rewrites 1 / y * y to y / y even for integers.
 */
export function truncateMod(write: Writer, x: OnnxValue, y: OnnxValue): OnnxValue {
  const remainder = write.same("Mod", [x, y]);
  return write.sub(remainder, write.mul(y, isOff(write, remainder, x)));
}

/** The quotient rounded toward zero, minus 1 if there is a remainder and the signs differ. */
function floorDiv(write: Writer, x: OnnxValue, y: OnnxValue): OnnxValue {
  // The remainder has the sign of the divisor.
  return write.sub(write.div(x, y), isOff(write, write.same("Mod", [x, y]), x));
}

/** Whether division by these is safe: the process is killed by a division by 0, or of the lowest number by -1. */
function areSafe(divisors: readonly number[]): boolean {
  return divisors.every((divisor) => divisor !== 0 && divisor !== -1);
}

/**
 * The quotient or remainder of integers. Unknown divisors are checked first: for 0 the model fails, like the kernel,
 * and for -1 the negated dividend is divided by 1.
 */
function divided(
  formula: Formula,
  inputs: readonly OnnxValue[],
  context: LoweringContext,
): readonly OnnxValue[] | undefined {
  const write = new Writer(context);
  const [x, y] = operands(inputs);
  const known = numbersOf(context, y);
  if (known !== undefined) {
    return areSafe(known) ? [formula(write, x, y)] : undefined;
  }
  if (x.dtype !== "int32" && x.dtype !== "int64") {
    return undefined;
  }
  const isOpposite = write.test("Equal", y, write.scalar(y.dtype, -1));
  const isZero = write.test("Equal", y, write.scalar(y.dtype, 0));
  const divisor = write.where(isOpposite, write.scalar(y.dtype, 1), write.unless(write.any(isZero), y));
  const dividend = write.where(isOpposite, write.same("Neg", [x]), x);
  return [formula(write, dividend, divisor)];
}

const operands = (inputs: readonly OnnxValue[]): readonly [OnnxValue, OnnxValue] => [
  inputAt(inputs, 0),
  inputAt(inputs, 1),
];

export const elementwiseLowerings: readonly Lowering[] = [
  ...sameMeaning.map(
    ([op, onnx, types]): Lowering => ({
      op,
      types: { T: types },
      lower: (node, inputs, { model }) => [model.node(onnx, inputs, node.type("T"))],
    }),
  ),
  ...unary.map(
    ([op, types, formula]): Lowering => ({
      op,
      types: { T: types },
      lower: (_, inputs, context) => [formula(new Writer(context), inputAt(inputs, 0), inputAt(inputs, 0))],
    }),
  ),
  ...binary.map(
    ([op, types, formula]): Lowering => ({
      op,
      types: { T: types },
      lower: (_, inputs, context) => [formula(new Writer(context), ...operands(inputs))],
    }),
  ),
  ...gradients.map(
    ([op, formula]): Lowering => ({
      op,
      types: { T: floats },
      lower: (_, inputs, context) => {
        const [y, dy] = operands(inputs);
        if (context.rank(y) !== context.rank(dy)) return undefined;
        const write = new Writer(context);
        return [write.ofOneShape(formula(write, y, dy), [y, dy])];
      },
    }),
  ),
  ...divisions.map(
    ([op, formula]): Lowering => ({
      op,
      types: { T: integers },
      lower: (_, inputs, context) => divided(formula, inputs, context),
    }),
  ),
  ...["AddN", "AccumulateNV2"].map(
    (op): Lowering => ({
      op,
      types: { T: numbers },
      lower: (_, inputs, context) => {
        const write = new Writer(context);
        const [first, ...rest] = inputs;
        const ranks = new Set(inputs.map((input) => context.rank(input)));
        if (first === undefined || ranks.size > 1) return undefined;
        return rest.length === 0 ? [first] : [write.ofOneShape(rest.reduce(write.add, first), inputs)];
      },
    }),
  ),
];
