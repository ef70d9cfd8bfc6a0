import type { KernelDefinition } from "../kernel.js";
import {
  longUnaryLoop,
  type UnaryLoop,
  type UnaryOp,
  unaryKernel,
  unaryLoop,
} from "../support/elementwise.js";
import { digamma, erf, erfc, erfinv, lgamma, ndtri } from "./special-functions.js";

const negate: UnaryLoop = (out, x) => {
  for (let i = 0; i < x.length; i += 1) {
    out[i] = -(x[i] as number);
  }
};

const absolute: UnaryLoop = (out, x) => {
  for (let i = 0; i < x.length; i += 1) {
    out[i] = Math.abs(x[i] as number);
  }
};

const square: UnaryLoop = (out, x) => {
  for (let i = 0; i < x.length; i += 1) {
    const value = x[i] as number;
    out[i] = value * value;
  }
};

const squareRoot: UnaryLoop = (out, x) => {
  for (let i = 0; i < x.length; i += 1) {
    out[i] = Math.sqrt(x[i] as number);
  }
};

/** Rounds halves to even, as in IEEE 754. The sign of zero is kept. */
function roundHalfToEven(x: number): number {
  const rounded = Math.round(x);
  return Math.abs(x % 1) === 0.5 && rounded % 2 !== 0 ? rounded - 1 : rounded;
}

function sigmoid(x: number): number {
  return 1 / (1 + Math.exp(-x));
}

/** log(1 + exp(x)) without overflow. */
function softplus(x: number): number {
  return Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x)));
}

const reciprocal: UnaryOp = {
  floats: unaryLoop((x) => 1 / x),
  ints: unaryLoop((x) => (x === 0 ? 0 : Math.trunc(1 / x))),
  longs: longUnaryLoop((x) => (x === 0n ? 0n : 1n / x)),
};

const functions: Readonly<Record<string, (x: number) => number>> = {
  Rsqrt: (x) => 1 / Math.sqrt(x),
  Exp: Math.exp,
  Expm1: Math.expm1,
  Log: Math.log,
  Log1p: Math.log1p,
  Sin: Math.sin,
  Cos: Math.cos,
  Tan: Math.tan,
  Asin: Math.asin,
  Acos: Math.acos,
  Atan: Math.atan,
  Sinh: Math.sinh,
  Cosh: Math.cosh,
  Tanh: Math.tanh,
  Asinh: Math.asinh,
  Acosh: Math.acosh,
  Atanh: Math.atanh,
  Sigmoid: sigmoid,
  Softplus: softplus,
  Softsign: (x) => x / (1 + Math.abs(x)),
};

/** Costs of series and continued fractions, in nanoseconds; an inverse takes several evaluations. */
const longFunctions: Readonly<Record<string, readonly [f: (x: number) => number, nanos: number]>> = {
  Erf: [erf, 120],
  Erfc: [erfc, 150],
  Lgamma: [lgamma, 150],
  Digamma: [digamma, 150],
  Erfinv: [erfinv, 1000],
  Ndtri: [ndtri, 1000],
};

/** Rounding leaves integers unchanged. */
const unchanged: UnaryOp = {
  ints: (out, x) => out.set(x),
  longs: (out, x) => out.set(x),
};

/** Functions of one number. */
export const elementaryKernels: readonly KernelDefinition[] = [
  unaryKernel("Neg", { floats: negate, ints: negate, longs: longUnaryLoop((x) => -x) }),
  unaryKernel("Abs", { floats: absolute, ints: absolute, longs: longUnaryLoop((x) => (x < 0n ? -x : x)) }),
  unaryKernel("Square", {
    floats: square,
    ints: unaryLoop((x) => Math.imul(x, x)),
    longs: longUnaryLoop((x) => x * x),
  }),
  unaryKernel("Sqrt", { floats: squareRoot }),
  unaryKernel("Sign", {
    // Adding 0 turns -0 into the 0 that TensorFlow returns.
    floats: unaryLoop((x) => Math.sign(x) + 0),
    ints: unaryLoop(Math.sign),
    longs: longUnaryLoop((x) => (x > 0n ? 1n : x < 0n ? -1n : 0n)),
  }),
  unaryKernel("Floor", { floats: unaryLoop(Math.floor), ...unchanged }),
  unaryKernel("Ceil", { floats: unaryLoop(Math.ceil), ...unchanged }),
  unaryKernel("Round", { floats: unaryLoop(roundHalfToEven), ...unchanged }),
  unaryKernel("Rint", { floats: unaryLoop(roundHalfToEven) }),
  unaryKernel("Reciprocal", reciprocal),
  unaryKernel("Inv", reciprocal),
  ...Object.entries(functions).map(([op, f]) => unaryKernel(op, { floats: unaryLoop(f), cost: 30 })),
  ...Object.entries(longFunctions).map(([op, [f, cost]]) => unaryKernel(op, { floats: unaryLoop(f), cost })),
];
