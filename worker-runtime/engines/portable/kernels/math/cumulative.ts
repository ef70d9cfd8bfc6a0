import { invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import type { KernelDefinition, KernelTypes } from "../kernel.js";
import type { KernelNode } from "../kernel-node.js";
import { type Cost, pureKernel, withSmallFloats } from "../support/define.js";
import { allFloatTypes, indexTypes, isLong, realTypes } from "../support/dtypes.js";
import { inputAt, integersOf, longsOf, newLongs, newNumbers, numbersOf } from "../support/elements.js";
import { axisOf, cppShapeText, productOf } from "../support/shapes.js";

/** A fold that also returns its intermediate results. */
interface Scan {
  readonly start: number;
  step(sum: number, value: number): number;
  /** For integers, if different. */
  readonly intStep?: (sum: number, value: number) => number;
  readonly longStart?: bigint;
  readonly longStep?: (sum: bigint, value: bigint) => bigint;
}

/** Visits the lines of a scan: element i is at start + i * stride, or counted from the end if reversed. */
export function forEachLine(
  shape: readonly number[],
  axis: number,
  visit: (start: number, stride: number) => void,
): void {
  const inner = productOf(shape, axis + 1);
  const outer = productOf(shape, 0, axis);
  const n = shape[axis] ?? 0;
  for (let o = 0; o < outer; o += 1) {
    for (let i = 0; i < inner; i += 1) {
      visit(o * n * inner + i, inner);
    }
  }
}

function scanLine<Value>(
  out: { [index: number]: Value },
  x: { readonly [index: number]: Value },
  start: number,
  stride: number,
  n: number,
  first: Value,
  step: (sum: Value, value: Value) => Value,
  exclusive: boolean,
): void {
  let sum = first;
  for (let i = 0; i < n; i += 1) {
    const at = start + i * stride;
    const next = step(sum, x[at] as Value);
    out[at] = exclusive ? sum : next;
    sum = next;
  }
}

/** The axis along which to scan, counted from the front. @throws TensorFlowError INVALID_ARGUMENT */
export function scanAxis(axisInput: Tensor, rank: number): number {
  if (axisInput.shape.length !== 0) {
    throw invalidArgument(`ScanOp: axis must be a scalar, not ${cppShapeText(axisInput.shape)}`);
  }
  const axis = integersOf(axisInput)[0] ?? 0;
  return axisOf(axis, rank, `ScanOp: Expected scan axis in the range [${-rank}, ${rank}), but got ${axis}`);
}

function scan(
  operation: Scan,
  input: Tensor,
  axisInput: Tensor,
  exclusive: boolean,
  reverse: boolean,
): Tensor {
  const { shape, dtype } = input;
  const axis = scanAxis(axisInput, shape.length);
  const n = shape[axis] ?? 0;
  const { longStart, longStep } = operation;
  const lineFrom = (start: number, stride: number) =>
    reverse ? ([start + (n - 1) * stride, -stride] as const) : ([start, stride] as const);
  if (isLong(dtype) && longStart !== undefined && longStep !== undefined) {
    const out = newLongs(dtype, shape);
    const x = longsOf(input);
    forEachLine(shape, axis, (start, stride) =>
      scanLine<bigint>(out, x, ...lineFrom(start, stride), n, longStart, longStep, exclusive),
    );
    return new Tensor(dtype, shape, out);
  }
  const out = newNumbers(dtype, shape);
  const x = numbersOf(input);
  const isFloat = dtype === "float32" || dtype === "float64";
  const step = isFloat ? operation.step : (operation.intStep ?? operation.step);
  forEachLine(shape, axis, (start, stride) =>
    scanLine<number>(out, x, ...lineFrom(start, stride), n, operation.start, step, exclusive),
  );
  return new Tensor(dtype, shape, out);
}

/** Nanoseconds of a step on a slow core, for numbers and for bigints. */
const STEP_NANOS = 20;
const LONG_STEP_NANOS = 80;
/** A step with an exponential and a logarithm. */
const LOG_STEP_NANOS = 60;
/** Overhead per line; there may be as many lines as elements. */
const LINE_NANOS = 100;

function scanCost(stepNanos: number): Cost {
  return (_, inputs) => {
    const { dtype, shape, size } = inputAt(inputs, 0);
    const axis = integersOf(inputAt(inputs, 1))[0] ?? 0;
    const lines = size / Math.max(1, shape.at(axis) ?? 1);
    return size * (isLong(dtype) ? LONG_STEP_NANOS : stepNanos) + lines * LINE_NANOS;
  };
}

function scanKernel(
  op: string,
  operation: Scan,
  types: KernelTypes,
  stepNanos = STEP_NANOS,
): KernelDefinition {
  return pureKernel(
    op,
    (node: KernelNode) => {
      const [exclusive, reverse] = [node.bool("exclusive"), node.bool("reverse")];
      return withSmallFloats((inputs) => [
        scan(operation, inputAt(inputs, 0), inputAt(inputs, 1), exclusive, reverse),
      ]);
    },
    { types, cost: scanCost(stepNanos) },
  );
}

/** log(exp(sum) + exp(value)) without overflow. As in TensorFlow's comparison, a NaN value counts as the sum again. */
function logAddExp(sum: number, value: number): number {
  const least = value < sum ? value : sum;
  const most = sum < value ? value : sum;
  return least === -Infinity ? most : most + Math.log1p(Math.exp(least - most));
}

/** Running sums and products along an axis. */
export const cumulativeKernels: readonly KernelDefinition[] = [
  scanKernel(
    "Cumsum",
    {
      start: 0,
      step: (sum, value) => sum + value,
      intStep: (sum, value) => (sum + value) | 0,
      longStart: 0n,
      longStep: (sum, value) => sum + value,
    },
    { T: realTypes, Tidx: indexTypes },
  ),
  scanKernel(
    "Cumprod",
    {
      start: 1,
      step: (product, value) => product * value,
      intStep: Math.imul,
      longStart: 1n,
      longStep: (product, value) => BigInt.asUintN(64, product * value),
    },
    { T: realTypes, Tidx: indexTypes },
  ),
  scanKernel(
    "CumulativeLogsumexp",
    { start: -Infinity, step: logAddExp },
    { T: allFloatTypes, Tidx: indexTypes },
    LOG_STEP_NANOS,
  ),
];
