import { Tensor } from "../../../../protocol/tensor.js";
import type { KernelDefinition } from "../kernel.js";
import { costOfReading } from "../kernel-cost.js";
import { forEachRun } from "../support/broadcast-runs.js";
import { type Compute, type Cost, pureKernel, withSmallFloats } from "../support/define.js";
import { allFloatTypes, complexTypes, noTypes, realTypes } from "../support/dtypes.js";
import { inputAt, newNumbers, numbersOf, stringsOf } from "../support/elements.js";
import {
  applyTest,
  type BinaryLoop,
  type BinaryTest,
  binaryLoop,
  longTest,
  testCost,
} from "../support/elementwise.js";
import { perBroadcastElement } from "../support/elementwise-cost.js";
import { broadcastShape, tryBroadcast } from "../support/shapes.js";

const less: BinaryLoop = (out, o, x, xo, xs, y, yo, ys, n) => {
  for (let i = 0; i < n; i += 1) {
    out[o + i] = (x[xo + i * xs] as number) < (y[yo + i * ys] as number) ? 1 : 0;
  }
};

const lessEqual: BinaryLoop = (out, o, x, xo, xs, y, yo, ys, n) => {
  for (let i = 0; i < n; i += 1) {
    out[o + i] = (x[xo + i * xs] as number) <= (y[yo + i * ys] as number) ? 1 : 0;
  }
};

const greater: BinaryLoop = (out, o, x, xo, xs, y, yo, ys, n) => {
  for (let i = 0; i < n; i += 1) {
    out[o + i] = (x[xo + i * xs] as number) > (y[yo + i * ys] as number) ? 1 : 0;
  }
};

const greaterEqual: BinaryLoop = (out, o, x, xo, xs, y, yo, ys, n) => {
  for (let i = 0; i < n; i += 1) {
    out[o + i] = (x[xo + i * xs] as number) >= (y[yo + i * ys] as number) ? 1 : 0;
  }
};

const equal: BinaryLoop = (out, o, x, xo, xs, y, yo, ys, n) => {
  for (let i = 0; i < n; i += 1) {
    out[o + i] = x[xo + i * xs] === y[yo + i * ys] ? 1 : 0;
  }
};

const notEqual: BinaryLoop = (out, o, x, xo, xs, y, yo, ys, n) => {
  for (let i = 0; i < n; i += 1) {
    out[o + i] = x[xo + i * xs] === y[yo + i * ys] ? 0 : 1;
  }
};

/** The outputs are bool, so small-float operands are widened but nothing is rounded back. */
function orderKernel(op: string, test: BinaryTest): KernelDefinition {
  const compute = withSmallFloats((inputs) => [applyTest(test, inputAt(inputs, 0), inputAt(inputs, 1))]);
  return pureKernel(op, () => compute, { types: { T: realTypes }, cost: testCost(test) });
}

function sameBytes(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
  return a !== undefined && b !== undefined && a.length === b.length && Buffer.compare(a, b) === 0;
}

/** Equality of elements that are not single numbers. */
function elementEquality(x: Tensor, y: Tensor): (i: number, j: number) => boolean {
  if (x.dtype === "string") {
    const a = stringsOf(x);
    const b = stringsOf(y);
    return (i, j) => sameBytes(a[i], b[j]);
  }
  const a = numbersOf(x);
  const b = numbersOf(y);
  return (i, j) => a[2 * i] === b[2 * j] && a[2 * i + 1] === b[2 * j + 1];
}

/** Compares strings or complex numbers. */
function compareElements(x: Tensor, y: Tensor, wanted: boolean): Tensor {
  const shape = broadcastShape(x.shape, y.shape);
  const out = newNumbers("bool", shape);
  const same = elementEquality(x, y);
  forEachRun(x.shape, y.shape, shape, (o, xo, xs, yo, ys, n) => {
    for (let i = 0; i < n; i += 1) {
      out[o + i] = same(xo + i * xs, yo + i * ys) === wanted ? 1 : 0;
    }
  });
  return new Tensor("bool", shape, out);
}

/** A string comparison reads the bytes of two objects; a complex one takes a call. */
const NANOS_PER_STRING = 200;
const NANOS_PER_COMPLEX = 20;

function equalityCost(test: BinaryTest): Cost {
  const single = testCost(test);
  const strings = perBroadcastElement(() => NANOS_PER_STRING);
  const complex = perBroadcastElement(() => NANOS_PER_COMPLEX);
  return (node, inputs) => {
    const { dtype } = inputAt(inputs, 0);
    if (dtype === "string") {
      return Math.max(strings(node, inputs), costOfReading(inputs));
    }
    return (dtype.startsWith("complex") ? complex : single)(node, inputs);
  };
}

/** Equal or NotEqual. Without `incompatible_shape_error`, tensors of incompatible shapes are unequal as a whole. */
function equalityKernel(op: string, wanted: boolean, test: BinaryTest): KernelDefinition {
  const compare: Compute = withSmallFloats((inputs) => {
    const x = inputAt(inputs, 0);
    const y = inputAt(inputs, 1);
    const single = x.dtype !== "string" && !x.dtype.startsWith("complex");
    return [single ? applyTest(test, x, y) : compareElements(x, y, wanted)];
  });
  return pureKernel(
    op,
    (node) => {
      if (node.bool("incompatible_shape_error")) {
        return compare;
      }
      return (inputs) =>
        tryBroadcast(inputAt(inputs, 0).shape, inputAt(inputs, 1).shape) === undefined
          ? [new Tensor("bool", [], Uint8Array.of(wanted ? 0 : 1))]
          : compare(inputs);
    },
    { types: { T: [...realTypes, ...complexTypes, "bool", "string"] }, cost: equalityCost(test) },
  );
}

function logicalKernel(op: string, f: (a: number, b: number) => number): KernelDefinition {
  const test: BinaryTest = { numbers: binaryLoop(f) };
  return pureKernel(op, () => (inputs) => [applyTest(test, inputAt(inputs, 0), inputAt(inputs, 1))], {
    types: noTypes,
    cost: testCost(test),
  });
}

/** Uses a loop: `Uint8Array.from` with a function takes fifty times as long. */
function logicalNot(x: Tensor): Tensor {
  const values = numbersOf(x);
  const out = newNumbers("bool", x.shape);
  for (let i = 0; i < values.length; i += 1) {
    out[i] = values[i] === 0 ? 1 : 0;
  }
  return new Tensor("bool", x.shape, out);
}

/** Nanoseconds of ApproximateEqual per element of JS numbers. */
const NANOS_OF_DISTANCE = 15;

/** Comparisons and logical ops. */
export const comparisonKernels: readonly KernelDefinition[] = [
  orderKernel("Less", { numbers: less, longs: longTest((a, b) => a < b) }),
  orderKernel("LessEqual", { numbers: lessEqual, longs: longTest((a, b) => a <= b) }),
  orderKernel("Greater", { numbers: greater, longs: longTest((a, b) => a > b) }),
  orderKernel("GreaterEqual", { numbers: greaterEqual, longs: longTest((a, b) => a >= b) }),
  equalityKernel("Equal", true, { numbers: equal, longs: longTest((a, b) => a === b) }),
  equalityKernel("NotEqual", false, { numbers: notEqual, longs: longTest((a, b) => a !== b) }),
  pureKernel(
    "ApproximateEqual",
    (node) => {
      const tolerance = node.float("tolerance");
      const test: BinaryTest = {
        numbers: binaryLoop((a, b) => (Math.abs(a - b) <= tolerance ? 1 : 0)),
        longs: longTest((a, b) => Math.abs(Number(a - b)) <= tolerance),
      };
      return withSmallFloats((inputs) => [applyTest(test, inputAt(inputs, 0), inputAt(inputs, 1))]);
    },
    { types: { T: realTypes }, cost: perBroadcastElement(NANOS_OF_DISTANCE) },
  ),
  logicalKernel("LogicalAnd", (a, b) => a & b),
  logicalKernel("LogicalOr", (a, b) => a | b),
  pureKernel("LogicalNot", () => (inputs) => [logicalNot(inputAt(inputs, 0))], { types: noTypes }),
  ...(["IsNan", "IsInf", "IsFinite"] as const).map((op) => {
    const tests = {
      IsNan: Number.isNaN,
      IsFinite: Number.isFinite,
      IsInf: (x: number) => Math.abs(x) === Infinity,
    };
    const test = tests[op];
    const compute = withSmallFloats((inputs) => {
      const x = inputAt(inputs, 0);
      const numbers = numbersOf(x);
      const out = newNumbers("bool", x.shape);
      for (let i = 0; i < numbers.length; i += 1) {
        out[i] = test(numbers[i] as number) ? 1 : 0;
      }
      return [new Tensor("bool", x.shape, out)];
    });
    return pureKernel(op, () => compute, { types: { T: allFloatTypes } });
  }),
];
