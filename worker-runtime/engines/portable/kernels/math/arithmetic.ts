import type { KernelDefinition } from "../kernel.js";
import {
  type BinaryLoop,
  type BinaryOp,
  binaryKernel,
  binaryLoop,
  longLoop,
} from "../support/elementwise.js";
import { longArithmetic } from "../support/scalar-arithmetic.js";

const add: BinaryLoop = (out, o, x, xo, xs, y, yo, ys, n) => {
  for (let i = 0; i < n; i += 1) {
    out[o + i] = (x[xo + i * xs] as number) + (y[yo + i * ys] as number);
  }
};

const subtract: BinaryLoop = (out, o, x, xo, xs, y, yo, ys, n) => {
  for (let i = 0; i < n; i += 1) {
    out[o + i] = (x[xo + i * xs] as number) - (y[yo + i * ys] as number);
  }
};

const multiply: BinaryLoop = (out, o, x, xo, xs, y, yo, ys, n) => {
  for (let i = 0; i < n; i += 1) {
    out[o + i] = (x[xo + i * xs] as number) * (y[yo + i * ys] as number);
  }
};

// A product of two 32-bit integers does not fit the 53 bits of a double.
const multiplyInts: BinaryLoop = (out, o, x, xo, xs, y, yo, ys, n) => {
  for (let i = 0; i < n; i += 1) {
    out[o + i] = Math.imul(x[xo + i * xs] as number, y[yo + i * ys] as number);
  }
};

const divide: BinaryLoop = (out, o, x, xo, xs, y, yo, ys, n) => {
  for (let i = 0; i < n; i += 1) {
    out[o + i] = (x[xo + i * xs] as number) / (y[yo + i * ys] as number);
  }
};

const maximum: BinaryLoop = (out, o, x, xo, xs, y, yo, ys, n) => {
  for (let i = 0; i < n; i += 1) {
    out[o + i] = Math.max(x[xo + i * xs] as number, y[yo + i * ys] as number);
  }
};

const minimum: BinaryLoop = (out, o, x, xo, xs, y, yo, ys, n) => {
  for (let i = 0; i < n; i += 1) {
    out[o + i] = Math.min(x[xo + i * xs] as number, y[yo + i * ys] as number);
  }
};

const squaredDifference: BinaryLoop = (out, o, x, xo, xs, y, yo, ys, n) => {
  for (let i = 0; i < n; i += 1) {
    const difference = (x[xo + i * xs] as number) - (y[yo + i * ys] as number);
    out[o + i] = difference * difference;
  }
};

const squaredDifference32: BinaryLoop = (out, o, x, xo, xs, y, yo, ys, n) => {
  for (let i = 0; i < n; i += 1) {
    const difference = Math.fround((x[xo + i * xs] as number) - (y[yo + i * ys] as number));
    out[o + i] = difference * difference;
  }
};

/** C's pow, where 1 to any power and -1 to an infinite one are 1; JavaScript's are NaN. */
function power(base: number, exponent: number): number {
  return base === 1 || (base === -1 && Math.abs(exponent) === Infinity) ? 1 : base ** exponent;
}

/** x * f(y), where 0 times anything is 0, even NaN and infinity. */
const zeroTimes = (f: (y: number) => number) => binaryLoop((x, y) => (x === 0 ? 0 : x * f(y)));

const addition: BinaryOp = { floats: add, ints: add, longs: longLoop(longArithmetic.add) };
const division: BinaryOp = { floats: divide };

/** Flushes subnormal numbers to zero of the same sign, as TensorFlow's threads do: the floor of -1e-40 is not -1. */
function flushed(x: number, smallest: number): number {
  return Math.abs(x) < smallest ? x * 0 : x;
}

/** Sums, products, float quotients, extremes and float powers. */
export const arithmeticKernels: readonly KernelDefinition[] = [
  binaryKernel("Add", addition),
  binaryKernel("AddV2", addition),
  binaryKernel("Sub", { floats: subtract, ints: subtract, longs: longLoop(longArithmetic.sub) }),
  binaryKernel("Mul", { floats: multiply, ints: multiplyInts, longs: longLoop(longArithmetic.mul) }),
  binaryKernel("MulNoNan", { floats: binaryLoop((x, y) => (y === 0 ? 0 : x * y)) }),
  binaryKernel("Div", division),
  binaryKernel("RealDiv", division),
  binaryKernel("DivNoNan", { floats: binaryLoop((x, y) => (y === 0 ? 0 : x / y)) }),
  binaryKernel("FloorDiv", {
    floats: binaryLoop((x, y) => Math.floor(flushed(x / y, 2 ** -1022))),
    float32: binaryLoop((x, y) => Math.floor(flushed(Math.fround(x / y), 2 ** -126))),
  }),
  binaryKernel("Maximum", { floats: maximum, ints: maximum, longs: longLoop(longArithmetic.max) }),
  binaryKernel("Minimum", { floats: minimum, ints: minimum, longs: longLoop(longArithmetic.min) }),
  binaryKernel("SquaredDifference", {
    floats: squaredDifference,
    float32: squaredDifference32,
    ints: binaryLoop((x, y) => Math.imul(x - y, x - y)),
    longs: longLoop((x, y) => (x - y) * (x - y)),
  }),
  binaryKernel("Pow", { floats: binaryLoop(power), cost: 40 }),
  binaryKernel("Atan2", { floats: binaryLoop(Math.atan2), cost: 40 }),
  binaryKernel("Xdivy", { floats: binaryLoop((x, y) => (x === 0 ? 0 : x / y)) }),
  binaryKernel("Xlogy", { floats: zeroTimes(Math.log), cost: 20 }),
  binaryKernel("Xlog1py", { floats: zeroTimes(Math.log1p), cost: 20 }),
];
