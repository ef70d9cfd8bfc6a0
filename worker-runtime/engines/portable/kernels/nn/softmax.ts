import { invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import type { PureKernelDefinition } from "../kernel.js";
import { perElement, pureKernel, withSmallFloats } from "../support/define.js";
import { allFloatTypes } from "../support/dtypes.js";
import { inputAt, type NumberArray, newNumbers, numbersOf } from "../support/elements.js";
import { cppShapeText } from "../support/shapes.js";

const NANOSECONDS_PER_ELEMENT = 20;

/** The largest of logits[start] … logits[start + length - 1]; NaN if any of them is NaN. */
export function rowMaximum(logits: NumberArray, start: number, length: number): number {
  let maximum = Number.NEGATIVE_INFINITY;
  for (let i = start; i < start + length; i += 1) {
    maximum = Math.max(maximum, logits[i] as number);
  }
  return maximum;
}

/** The sum of exp(logit - maximum) of a row; the exponentials are written to `out`. */
export function exponentials(
  logits: NumberArray,
  start: number,
  length: number,
  maximum: number,
  out: NumberArray,
): number {
  let sum = 0;
  for (let i = start; i < start + length; i += 1) {
    const value = Math.exp((logits[i] as number) - maximum);
    out[i] = value;
    sum += value;
  }
  return sum;
}

/** exp(x) over the sum of the row's exp(x), from x - maximum so that nothing overflows. */
function softmaxRow(logits: NumberArray, start: number, length: number, out: NumberArray): void {
  const sum = exponentials(logits, start, length, rowMaximum(logits, start, length), out);
  for (let i = start; i < start + length; i += 1) {
    out[i] = (out[i] as number) / sum;
  }
}

/** log(softmax(x)) as x - maximum - log(sum), which stays exact where the softmax would be 0. */
function logSoftmaxRow(logits: NumberArray, start: number, length: number, out: NumberArray): void {
  const maximum = rowMaximum(logits, start, length);
  let sum = 0;
  for (let i = start; i < start + length; i += 1) {
    sum += Math.exp((logits[i] as number) - maximum);
  }
  const logSum = Math.log(sum);
  for (let i = start; i < start + length; i += 1) {
    out[i] = (logits[i] as number) - maximum - logSum;
  }
}

function rowKernel(op: string, row: typeof softmaxRow): PureKernelDefinition {
  const compute = withSmallFloats((inputs) => {
    const logits = inputAt(inputs, 0);
    const { dtype, shape } = logits;
    const length = shape.at(-1);
    if (length === undefined) {
      throw invalidArgument(`logits must have >= 1 dimension, got ${cppShapeText(shape)}`);
    }
    const x = numbersOf(logits);
    const out = newNumbers(dtype, shape);
    for (let start = 0; start < x.length; start += length) {
      row(x, start, length, out);
    }
    return [new Tensor(dtype, shape, out)];
  });
  return pureKernel(op, () => compute, {
    types: { T: allFloatTypes },
    cost: perElement(NANOSECONDS_PER_ELEMENT),
  });
}

export const softmaxKernels: readonly PureKernelDefinition[] = [
  rowKernel("Softmax", softmaxRow),
  rowKernel("LogSoftmax", logSoftmaxRow),
];
