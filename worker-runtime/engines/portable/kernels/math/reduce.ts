import { type DType, dtypeKind, integerRange } from "../../../../protocol/dtype.js";
import { internalError, invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import { entriesPerElement } from "../../../../protocol/tensor-data.js";
import type { KernelDefinition } from "../kernel.js";
import { pureKernel, withSmallFloats } from "../support/define.js";
import { complexTypes, indexTypes, isLong, realTypes } from "../support/dtypes.js";
import {
  inputAt,
  integersOf,
  type LongArray,
  longsOf,
  type NumberArray,
  newLongs,
  newNumbers,
  numbersOf,
} from "../support/elements.js";
import { productOf } from "../support/shapes.js";
import { transposed } from "../support/view.js";
import { reductionCost } from "./reduction-cost.js";

/** Reduces x[from] … x[from + n - 1] to one number. */
type Reduce<Array, Value> = (x: Array, from: number, n: number) => Value;

/** A reduction whose start depends on the dtype, such as the start of a search for the maximum. */
interface ByType {
  readonly byType: (dtype: DType) => Reduce<NumberArray, number>;
}

/** How an op reduces, by class of dtype. */
interface Reduction {
  readonly floats?: Reduce<NumberArray, number>;
  readonly ints?: Reduce<NumberArray, number> | ByType;
  readonly longs?: (dtype: DType) => Reduce<LongArray, bigint>;
  readonly bools?: Reduce<NumberArray, number>;
}

/**
 * The axes in an input, counted from the front.
 * @throws TensorFlowError INVALID_ARGUMENT for axes out of range and for duplicates.
 */
export function reductionAxes(axesInput: Tensor, rank: number): number[] {
  const axes: number[] = [];
  for (const given of integersOf(axesInput)) {
    if (given < -rank || given >= rank) {
      throw invalidArgument(`Invalid reduction dimension (${given} for input with ${rank} dimension(s)`);
    }
    const axis = given < 0 ? given + rank : given;
    if (axes.includes(axis)) {
      throw invalidArgument(`Invalid reduction arguments: Axes contains duplicate dimension: ${axis}`);
    }
    axes.push(axis);
  }
  return axes;
}

/** The shape without the reduced axes, or with 1 in their place. */
export function reducedShape(shape: readonly number[], axes: readonly number[], keepDims: boolean): number[] {
  return keepDims
    ? shape.map((size, axis) => (axes.includes(axis) ? 1 : size))
    : shape.filter((_, axis) => !axes.includes(axis));
}

const float64Sum: Reduce<NumberArray, number> = (x, from, n) => {
  let sum = 0;
  for (let i = 0; i < n; i += 1) {
    sum += x[from + i] as number;
  }
  return sum;
};

const intSum: Reduce<NumberArray, number> = (x, from, n) => {
  let sum = 0;
  for (let i = 0; i < n; i += 1) {
    sum = (sum + (x[from + i] as number)) | 0;
  }
  return sum;
};

const longSum: Reduce<LongArray, bigint> = (x, from, n) => {
  let sum = 0n;
  for (let i = 0; i < n; i += 1) {
    sum += x[from + i] as bigint;
  }
  return sum;
};

/** The least or greatest value of a dtype, from which the search for the other extreme begins. */
function extreme(dtype: DType, end: "min" | "max"): bigint {
  return integerRange(dtype)?.[end] ?? 0n;
}

const maxFrom =
  (start: number): Reduce<NumberArray, number> =>
  (x, from, n) => {
    let most = start;
    for (let i = 0; i < n; i += 1) {
      most = Math.max(most, x[from + i] as number);
    }
    return most;
  };

const minFrom =
  (start: number): Reduce<NumberArray, number> =>
  (x, from, n) => {
    let least = start;
    for (let i = 0; i < n; i += 1) {
      least = Math.min(least, x[from + i] as number);
    }
    return least;
  };

/** Folds bigints from an initial value. */
const foldLongs =
  (start: bigint, f: (a: bigint, b: bigint) => bigint): Reduce<LongArray, bigint> =>
  (x, from, n) => {
    let value = start;
    for (let i = 0; i < n; i += 1) {
      value = f(value, x[from + i] as bigint);
    }
    return value;
  };

const sumOfSquares: Reduce<NumberArray, number> = (x, from, n) => {
  let sum = 0;
  for (let i = 0; i < n; i += 1) {
    sum += (x[from + i] as number) ** 2;
  }
  return sum;
};

const reductions: Readonly<Record<string, Reduction>> = {
  Sum: { floats: float64Sum, ints: intSum, longs: () => longSum },
  Mean: {
    floats: (x, from, n) => float64Sum(x, from, n) / n,
    // Unlike a sum, the sum used for a mean does not wrap around.
    ints: (x, from, n) => (n === 0 ? 0 : Math.trunc(float64Sum(x, from, n) / n)),
    longs: (dtype) => {
      const cut = (value: bigint) =>
        dtype === "uint64" ? BigInt.asUintN(64, value) : BigInt.asIntN(64, value);
      return (x, from, n) => (n === 0 ? 0n : cut(longSum(x, from, n)) / BigInt(n));
    },
  },
  Prod: {
    floats: (x, from, n) => {
      let product = 1;
      for (let i = 0; i < n; i += 1) {
        product *= x[from + i] as number;
      }
      return product;
    },
    ints: (x, from, n) => {
      let product = 1;
      for (let i = 0; i < n; i += 1) {
        product = Math.imul(product, x[from + i] as number);
      }
      return product;
    },
    longs: () => foldLongs(1n, (a, b) => BigInt.asUintN(64, a * b)),
  },
  Max: {
    floats: maxFrom(-Infinity),
    ints: { byType: (dtype) => maxFrom(Number(extreme(dtype, "min"))) },
    longs: (dtype) => foldLongs(extreme(dtype, "min"), (a, b) => (b > a ? b : a)),
  },
  Min: {
    floats: minFrom(Infinity),
    ints: { byType: (dtype) => minFrom(Number(extreme(dtype, "max"))) },
    longs: (dtype) => foldLongs(extreme(dtype, "max"), (a, b) => (b < a ? b : a)),
  },
  EuclideanNorm: {
    floats: (x, from, n) => Math.sqrt(sumOfSquares(x, from, n)),
    // The sum of squares wraps around in the dtype before its root is computed.
    ints: {
      byType: (dtype) => {
        const cell = newNumbers(dtype, [1]);
        return (x, from, n) => {
          let sum = 0;
          for (let i = 0; i < n; i += 1) {
            const value = x[from + i] as number;
            sum = (sum + Math.imul(value, value)) | 0;
          }
          cell[0] = sum;
          return Math.sqrt(cell[0]);
        };
      },
    },
    longs: () => (x, from, n) =>
      BigInt(
        Math.trunc(Math.sqrt(Number(BigInt.asIntN(64, foldLongs(0n, (a, b) => a + b * b)(x, from, n))))),
      ),
  },
  All: {
    bools: (x, from, n) => {
      for (let i = 0; i < n; i += 1) {
        if (x[from + i] === 0) {
          return 0;
        }
      }
      return 1;
    },
  },
  Any: {
    bools: (x, from, n) => {
      for (let i = 0; i < n; i += 1) {
        if (x[from + i] !== 0) {
          return 1;
        }
      }
      return 0;
    },
  },
};

function numberReduce({ floats, ints, bools }: Reduction, dtype: DType): Reduce<NumberArray, number> {
  const kind = dtypeKind(dtype);
  const isFloat = kind === "float" || kind === "complex";
  const reduce = kind === "bool" ? bools : isFloat ? floats : ints;
  if (reduce === undefined) {
    throw internalError(`There is no reduction of ${dtype}.`);
  }
  return "byType" in reduce ? reduce.byType(dtype) : reduce;
}

/** Reduces along axes. The parts of complex numbers are reduced separately, which is valid for sums and means. */
function reduceAlong(
  reduction: Reduction,
  input: Tensor,
  axes: readonly number[],
  keepDims: boolean,
): Tensor {
  const { dtype } = input;
  const shape = reducedShape(input.shape, axes, keepDims);
  const kept = input.shape.map((_, axis) => axis).filter((axis) => !axes.includes(axis));
  // Elements of a group are contiguous when the reduced axes are the last ones.
  const ordered = transposed(input, [...kept, ...[...axes].sort((a, b) => a - b)]);
  const groups = productOf(kept.map((axis) => input.shape[axis] ?? 1));
  const n = productOf(axes.map((axis) => input.shape[axis] ?? 1));
  if (isLong(dtype)) {
    const reduce = reduction.longs?.(dtype);
    if (reduce === undefined) {
      throw internalError(`There is no reduction of ${dtype}.`);
    }
    const x = longsOf(ordered);
    const out = newLongs(dtype, shape);
    for (let group = 0; group < groups; group += 1) {
      out[group] = reduce(x, group * n, n);
    }
    return new Tensor(dtype, shape, out);
  }
  const reduce = numberReduce(reduction, dtype);
  const entries = entriesPerElement(dtype);
  const x = entries === 1 ? numbersOf(ordered) : partsApart(ordered, groups, n);
  const out = newNumbers(dtype, shape);
  // In TensorFlow the mean of no complex numbers is 0; Eigen returns NaN for real numbers only.
  if (entries === 2 && n === 0) {
    return new Tensor(dtype, shape, out);
  }
  for (let group = 0; group < groups * entries; group += 1) {
    out[group] = reduce(x, group * n, n);
  }
  return new Tensor(dtype, shape, out);
}

/** Groups of complex numbers, all real parts first, then the imaginary parts. */
function partsApart(input: Tensor, groups: number, n: number): NumberArray {
  const real = input.dtype === "complex64" ? "float32" : "float64";
  return numbersOf(transposed(new Tensor(real, [groups, n, 2], input.data), [0, 2, 1]));
}

function reductionKernel(op: string, reduction: Reduction): KernelDefinition {
  const types =
    reduction.bools !== undefined
      ? { Tidx: indexTypes }
      : {
          T: op === "Sum" || op === "Mean" ? [...realTypes, ...complexTypes] : realTypes,
          Tidx: indexTypes,
        };
  return pureKernel(
    op,
    (node) => {
      const keepDims = node.bool("keep_dims");
      return (inputs) => {
        const input = inputAt(inputs, 0);
        const axes = reductionAxes(inputAt(inputs, 1), input.shape.length);
        // A single element is its own reduction, except for the norm, which has no sign.
        if (op !== "EuclideanNorm" && axes.every((axis) => input.shape[axis] === 1)) {
          return [input.reshape(reducedShape(input.shape, axes, keepDims))];
        }
        return withSmallFloats(([wide = input]) => [reduceAlong(reduction, wide, axes, keepDims)])([input]);
      };
    },
    { types, cost: reductionCost },
  );
}

/** Ops that reduce tensors along axes. float32 sums are computed in double precision and rounded once. */
export const reductionKernels: readonly KernelDefinition[] = Object.entries(reductions).map(
  ([op, reduction]) => reductionKernel(op, reduction),
);
