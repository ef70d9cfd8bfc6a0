import type { KernelDefinition } from "../kernel.js";
import { type BinaryLoop, binaryKernel, binaryLoop } from "../support/elementwise.js";

const single = new Float32Array(1);
const singleBits = new Int32Array(single.buffer);
const double = new Float64Array(1);
const doubleBits = new BigInt64Array(double.buffer);

/** The next float in the direction of another one, like C's nextafter; zero's neighbour is the least subnormal. */
function nextAfter(least: number, step: (from: number, away: boolean) => number): BinaryLoop {
  return binaryLoop((from, to) => {
    if (Number.isNaN(from) || Number.isNaN(to)) {
      return Number.NaN;
    }
    if (from === to) {
      return to;
    }
    if (from === 0) {
      return to > 0 ? least : -least;
    }
    return step(from, from < to === from > 0);
  });
}

/** The bits of floats of one sign are ordered by magnitude: adding one gives the next float away from zero. */
function step32(from: number, away: boolean): number {
  single[0] = from;
  singleBits[0] = (singleBits[0] ?? 0) + (away ? 1 : -1);
  return single[0];
}

function step64(from: number, away: boolean): number {
  double[0] = from;
  doubleBits[0] = (doubleBits[0] ?? 0n) + (away ? 1n : -1n);
  return double[0];
}

export const nextAfterKernels: readonly KernelDefinition[] = [
  binaryKernel("NextAfter", {
    float32: nextAfter(2 ** -149, step32),
    floats: nextAfter(2 ** -1074, step64),
  }),
];
