import type { KernelDefinition } from "../kernel.js";
import { complexBinary, complexUnary } from "./complex-elements.js";
import * as c from "./complex-numbers.js";
import { type Complex, conjugate, divide, isZero, multiply, ONE, subtract, ZERO } from "./complex-numbers.js";

function reciprocal(z: Complex): Complex {
  return divide(ONE, z);
}

function reciprocalRoot(z: Complex): Complex {
  if (isZero(z)) {
    return [Infinity, Number.NaN];
  }
  return z.some((part) => Math.abs(part) === Infinity) ? ZERO : reciprocal(c.squareRoot(z));
}

function sigmoid(z: Complex): Complex {
  return divide(ONE, c.add(ONE, c.exponential(c.scale(-1, z))));
}

/** The number of absolute value 1 in the same direction. */
function direction(z: Complex): Complex {
  const size = Math.hypot(...z);
  return size === 0 ? ZERO : [z[0] / size, z[1] / size];
}

const unary: Readonly<Record<string, (z: Complex) => Complex>> = {
  Acos: c.arcCosine,
  Acosh: c.hyperbolicArcCosine,
  Asin: c.arcSine,
  Asinh: c.hyperbolicArcSine,
  Atan: c.arcTangent,
  Atanh: c.hyperbolicArcTangent,
  Cos: c.cosine,
  Cosh: c.hyperbolicCosine,
  Expm1: c.exponentialMinusOne,
  Inv: reciprocal,
  Log: c.logarithm,
  Log1p: c.logarithmOfOnePlus,
  Reciprocal: reciprocal,
  Rsqrt: reciprocalRoot,
  Sigmoid: sigmoid,
  Sign: direction,
  Sin: c.sine,
  Sinh: c.hyperbolicSine,
  Sqrt: c.squareRoot,
  Tan: c.tangent,
  Tanh: c.hyperbolicTangent,
};

/** The square of the distance as a complex number. */
function squaredDifference(x: Complex, y: Complex): Complex {
  const [re, im] = subtract(x, y);
  return [re * re + im * im, 0];
}

/** f of both, or 0 if the first is 0, whatever the second is. */
const unlessFirstZero =
  (f: (x: Complex, y: Complex) => Complex) =>
  (x: Complex, y: Complex): Complex =>
    isZero(x) ? ZERO : f(x, y);

const unlessSecondZero =
  (f: (x: Complex, y: Complex) => Complex) =>
  (x: Complex, y: Complex): Complex =>
    isZero(y) ? ZERO : f(x, y);

/** The gradient of 1 / z, computed from the function's result and its gradient. */
const reciprocalGradient = unlessSecondZero((y, dy) =>
  c.scale(-1, multiply(multiply(conjugate(y), dy), conjugate(y))),
);

const binary: Readonly<Record<string, (x: Complex, y: Complex) => Complex>> = {
  DivNoNan: unlessSecondZero(divide),
  MulNoNan: unlessSecondZero(multiply),
  Pow: c.power,
  SquaredDifference: squaredDifference,
  Xdivy: unlessFirstZero(divide),
  Xlog1py: unlessFirstZero((x, y) => multiply(x, c.logarithmOfOnePlus(y))),
  Xlogy: unlessFirstZero((x, y) => multiply(x, c.logarithm(y))),
  InvGrad: reciprocalGradient,
  ReciprocalGrad: reciprocalGradient,
  RsqrtGrad: unlessSecondZero((y, dy) => {
    const z = conjugate(y);
    return multiply(multiply(c.scale(-0.5, dy), z), multiply(z, z));
  }),
  SigmoidGrad: (y, dy) => multiply(multiply(dy, y), subtract(ONE, y)),
  SqrtGrad: unlessSecondZero((y, dy) => divide(c.scale(0.5, dy), conjugate(y))),
  TanhGrad: (y, dy) => multiply(dy, subtract(ONE, multiply(y, y))),
};

/**
 * Functions of complex numbers and their gradients. As in TensorFlow, gradients use the conjugate, except those of
 * sigmoid and tanh, for which its CPU kernels do not conjugate.
 */
export const complexFunctionKernels: readonly KernelDefinition[] = [
  ...Object.entries(unary).map(([op, f]) => complexUnary(op, f)),
  ...Object.entries(binary).map(([op, f]) => complexBinary(op, f)),
];
