import type { DType } from "../../../../protocol/dtype.js";
import { internalError } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import { elementCount } from "../../../../protocol/tensor-data.js";
import type { PureKernelDefinition } from "../kernel.js";
import { forEachRun } from "./broadcast-runs.js";
import { type Cost, pureKernel, withSmallFloats } from "./define.js";
import { allFloatTypes, isLong, isSmallFloat, longTypes, shortIntTypes } from "./dtypes.js";
import {
  inputAt,
  type LongArray,
  longsOf,
  type NumberArray,
  newLongs,
  newNumbers,
  newNumbersLike,
  numbersOf,
} from "./elements.js";
import { calling, nanosPerElement, onceByType, perBroadcastElement } from "./elementwise-cost.js";
import { broadcastShape, sameShape } from "./shapes.js";

/**
 * Computes out[o + i] from x[xo + i * xs] and y[yo + i * ys] for i < n.
 *
 * An op that is mostly memory traffic has a loop of its own, which is compiled for its own array types; a loop shared
 * by several ops must call an unknown function for each element, which takes several times as long.
 */
export type BinaryLoop<Array = NumberArray, Out = Array> = (
  out: Out,
  o: number,
  x: Array,
  xo: number,
  xs: number,
  y: Array,
  yo: number,
  ys: number,
  n: number,
) => void;

/** Computes out[i] from x[i] for all of x. */
export type UnaryLoop<Array = NumberArray, Out = Array> = (out: Out, x: Array) => void;

/** A loop that calls a function of two numbers; for functions that take longer than the call. */
export function binaryLoop(f: (a: number, b: number) => number): BinaryLoop {
  return calling<BinaryLoop>((out, o, x, xo, xs, y, yo, ys, n) => {
    for (let i = 0; i < n; i += 1) {
      out[o + i] = f(x[xo + i * xs] as number, y[yo + i * ys] as number);
    }
  });
}

/** Like `binaryLoop` for 64-bit integers; results are truncated to 64 bits when they are stored. */
export function longLoop(f: (a: bigint, b: bigint) => bigint): BinaryLoop<LongArray> {
  return (out, o, x, xo, xs, y, yo, ys, n) => {
    for (let i = 0; i < n; i += 1) {
      out[o + i] = f(x[xo + i * xs] as bigint, y[yo + i * ys] as bigint);
    }
  };
}

/** Like `longLoop`, with a truth value as the result. */
export function longTest(f: (a: bigint, b: bigint) => boolean): BinaryLoop<LongArray, NumberArray> {
  return (out, o, x, xo, xs, y, yo, ys, n) => {
    for (let i = 0; i < n; i += 1) {
      out[o + i] = f(x[xo + i * xs] as bigint, y[yo + i * ys] as bigint) ? 1 : 0;
    }
  };
}

/** A loop that calls a function of one number. */
export function unaryLoop(f: (a: number) => number): UnaryLoop {
  return calling<UnaryLoop>((out, x) => {
    for (let i = 0; i < x.length; i += 1) {
      out[i] = f(x[i] as number);
    }
  });
}

/** Like `unaryLoop` for 64-bit integers. */
export function longUnaryLoop(f: (a: bigint) => bigint): UnaryLoop<LongArray> {
  return (out, x) => {
    for (let i = 0; i < x.length; i += 1) {
      out[i] = f(x[i] as bigint);
    }
  };
}

/** How an op computes, by class of dtype; an omitted class is not supported. */
export interface BinaryOp {
  /** All floats; intermediate results are doubles, rounded when they are stored. */
  readonly floats?: BinaryLoop;
  /** float32 (and the small floats, computed as float32) where intermediate results must be rounded to float32. */
  readonly float32?: BinaryLoop;
  /** Integers up to 32 bits; results are truncated to the dtype's bits when they are stored. */
  readonly ints?: BinaryLoop;
  readonly longs?: BinaryLoop<LongArray>;
  readonly bools?: BinaryLoop;
  /** Nanoseconds per element of JS numbers; defaults to the cost of the kind of loop. */
  readonly cost?: number;
}

interface LoopsOfNumbers<Loop> {
  readonly floats?: Loop;
  readonly float32?: Loop;
  readonly ints?: Loop;
  readonly bools?: Loop;
}

function findLoop<Loop>(dtype: DType, op: LoopsOfNumbers<Loop>): Loop | undefined {
  switch (dtype) {
    case "float32":
      return op.float32 ?? op.floats;
    case "float64":
      return op.floats;
    case "bool":
      return op.bools;
    default:
      return op.ints;
  }
}

/** The loop of an op for a dtype of JS numbers. */
function loopFor<Loop>(dtype: DType, op: LoopsOfNumbers<Loop>): Loop {
  return findLoop(dtype, op) ?? noLoop(dtype);
}

/** The dtypes for which an op has a loop. */
function typesOf(op: { floats?: unknown; ints?: unknown; longs?: unknown; bools?: unknown }): DType[] {
  return [
    ...(op.floats === undefined ? [] : allFloatTypes),
    ...(op.ints === undefined ? [] : shortIntTypes),
    ...(op.longs === undefined ? [] : longTypes),
    ...(op.bools === undefined ? [] : (["bool"] as const)),
  ];
}

function noLoop(dtype: DType): never {
  throw internalError(`There is no loop for ${dtype}.`);
}

/**
 * Applies a binary op with broadcasting.
 * @throws TensorFlowError INVALID_ARGUMENT "Incompatible shapes: [2] vs. [3]"
 */
export function applyBinary(op: BinaryOp, x: Tensor, y: Tensor): Tensor {
  const { dtype } = x;
  if (isLong(dtype)) {
    const shape = broadcastShape(x.shape, y.shape);
    const loop = op.longs ?? noLoop(dtype);
    const out = newLongs(dtype, shape);
    const a = longsOf(x);
    const b = longsOf(y);
    forEachRun(x.shape, y.shape, shape, (o, xo, xs, yo, ys, n) => loop(out, o, a, xo, xs, b, yo, ys, n));
    return new Tensor(dtype, shape, out);
  }
  const loop = loopFor(dtype, op);
  const a = numbersOf(x);
  const b = numbersOf(y);
  if (sameShape(x.shape, y.shape)) {
    // Most operands do not broadcast, and for two scalars everything around the loop takes longer than the loop itself.
    const out = newNumbersLike(x);
    loop(out, 0, a, 0, 1, b, 0, 1, elementCount(dtype, out));
    return new Tensor(dtype, x.shape, out);
  }
  const shape = broadcastShape(x.shape, y.shape);
  const out = newNumbers(dtype, shape);
  forEachRun(x.shape, y.shape, shape, (o, xo, xs, yo, ys, n) => loop(out, o, a, xo, xs, b, yo, ys, n));
  return new Tensor(dtype, shape, out);
}

/** V8 keeps arrays of up to 64 bytes within its heap, which the memory budget does not count. */
const MAX_SMALL_ELEMENTS = 16;

/** `applyBinary` for few elements of float32, all in one function: V8 need not decide what to inline. */
function smallBinary(loop: BinaryLoop): NonNullable<PureKernelDefinition["small"]> {
  return (x, y) => {
    if (x.dtype !== "float32" || y.dtype !== "float32" || !sameShape(x.shape, y.shape)) {
      return undefined;
    }
    const a = x.data as Float32Array;
    const count = a.length;
    if (count > MAX_SMALL_ELEMENTS) {
      return undefined;
    }
    const out = new Float32Array(count);
    loop(out, 0, a, 0, 1, y.data as Float32Array, 0, 1, count);
    return new Tensor("float32", x.shape, out);
  };
}

/** A cost estimate for `applyBinary`. */
export function binaryCost(op: BinaryOp): Cost {
  return perBroadcastElement((dtype) => nanosPerElement(dtype, findLoop(computedAs(dtype), op), op.cost));
}

/** A cost estimate for `applyTest`. */
export function testCost(test: BinaryTest): Cost {
  return perBroadcastElement((dtype) => nanosPerElement(dtype, test.numbers, undefined));
}

/** Small floats are computed as float32. */
function computedAs(dtype: DType): DType {
  return isSmallFloat(dtype) ? "float32" : dtype;
}

/** A kernel for an op of two operands that broadcast: inputs and output of type attribute T. */
export function binaryKernel(name: string, op: BinaryOp): PureKernelDefinition {
  const compute = withSmallFloats((inputs) => [applyBinary(op, inputAt(inputs, 0), inputAt(inputs, 1))]);
  const loop = findLoop("float32", op);
  return pureKernel(name, () => compute, {
    types: { T: typesOf(op) },
    cost: binaryCost(op),
    ...(loop && { small: smallBinary(loop) }),
  });
}

/** How an op compares, by class of dtype: loops that store 1 for true. */
export interface BinaryTest {
  readonly numbers?: BinaryLoop;
  readonly longs?: BinaryLoop<LongArray, NumberArray>;
}

/** Like `applyBinary` for an op whose result is bool; its `numbers` loop accepts all dtypes of JS numbers and bool. */
export function applyTest(op: BinaryTest, x: Tensor, y: Tensor): Tensor {
  const shape = broadcastShape(x.shape, y.shape);
  const out = newNumbers("bool", shape);
  if (isLong(x.dtype)) {
    const loop = op.longs ?? noLoop(x.dtype);
    const a = longsOf(x);
    const b = longsOf(y);
    forEachRun(x.shape, y.shape, shape, (o, xo, xs, yo, ys, n) => loop(out, o, a, xo, xs, b, yo, ys, n));
  } else {
    const loop = op.numbers ?? noLoop(x.dtype);
    const a = numbersOf(x);
    const b = numbersOf(y);
    forEachRun(x.shape, y.shape, shape, (o, xo, xs, yo, ys, n) => loop(out, o, a, xo, xs, b, yo, ys, n));
  }
  return new Tensor("bool", shape, out);
}

/** How an op of one operand computes, by class of dtype. */
export interface UnaryOp {
  readonly floats?: UnaryLoop;
  readonly ints?: UnaryLoop;
  readonly longs?: UnaryLoop<LongArray>;
  readonly bools?: UnaryLoop;
  /** Nanoseconds per element of JS numbers; defaults to the cost of the kind of loop. */
  readonly cost?: number;
}

/** Applies an op of one operand to each element. */
function applyUnary(op: UnaryOp, x: Tensor): Tensor {
  if (isLong(x.dtype)) {
    const out = newLongs(x.dtype, x.shape);
    (op.longs ?? noLoop(x.dtype))(out, longsOf(x));
    return new Tensor(x.dtype, x.shape, out);
  }
  const out = newNumbersLike(x);
  loopFor(x.dtype, op)(out, numbersOf(x));
  return new Tensor(x.dtype, x.shape, out);
}

/** A kernel for an op of one operand: input and output of type attribute T. */
export function unaryKernel(name: string, op: UnaryOp): PureKernelDefinition {
  const compute = withSmallFloats((inputs) => [applyUnary(op, inputAt(inputs, 0))]);
  const nanosOf = onceByType((dtype) => nanosPerElement(dtype, findLoop(computedAs(dtype), op), op.cost));
  return pureKernel(name, () => compute, {
    types: { T: typesOf(op) },
    cost: (_, inputs) => {
      const { dtype, data } = inputAt(inputs, 0);
      return data.length * nanosOf(dtype);
    },
  });
}
