import { Tensor } from "../../../../protocol/tensor.js";
import type { KernelDefinition } from "../kernel.js";
import { forEachRun } from "../support/broadcast-runs.js";
import { perElement, pureKernel } from "../support/define.js";
import { complexTypes } from "../support/dtypes.js";
import { inputAt, newNumbers, numbersOf } from "../support/elements.js";
import { perBroadcastElement } from "../support/elementwise-cost.js";
import { broadcastShape } from "../support/shapes.js";
import type { Complex } from "./complex-numbers.js";

/** Nanoseconds of a function of complex numbers, including the pairs allocated for it. */
const NANOSECONDS = 100;

/** An elementwise op of one complex operand: complex64 or complex128, computed in double precision. */
export function complexUnary(op: string, f: (z: Complex) => Complex): KernelDefinition {
  return pureKernel(
    op,
    () => (inputs) => {
      const input = inputAt(inputs, 0);
      const parts = numbersOf(input);
      const out = newNumbers(input.dtype, input.shape);
      for (let i = 0; i < parts.length; i += 2) {
        const [re, im] = f([parts[i] as number, parts[i + 1] as number]);
        out[i] = re;
        out[i + 1] = im;
      }
      return [new Tensor(input.dtype, input.shape, out)];
    },
    { types: { T: complexTypes }, cost: perElement(NANOSECONDS) },
  );
}

/** An elementwise op of two complex operands, broadcast together. */
export function complexBinary(op: string, f: (x: Complex, y: Complex) => Complex): KernelDefinition {
  return pureKernel(
    op,
    () => (inputs) => {
      const [x, y] = [inputAt(inputs, 0), inputAt(inputs, 1)];
      const shape = broadcastShape(x.shape, y.shape);
      const out = newNumbers(x.dtype, shape);
      const [a, b] = [numbersOf(x), numbersOf(y)];
      forEachRun(x.shape, y.shape, shape, (o, xo, xs, yo, ys, n) => {
        for (let i = 0; i < n; i += 1) {
          const p = 2 * (xo + i * xs);
          const q = 2 * (yo + i * ys);
          const [re, im] = f([a[p] as number, a[p + 1] as number], [b[q] as number, b[q + 1] as number]);
          out[2 * (o + i)] = re;
          out[2 * (o + i) + 1] = im;
        }
      });
      return [new Tensor(x.dtype, shape, out)];
    },
    { types: { T: complexTypes }, cost: perBroadcastElement(NANOSECONDS) },
  );
}
