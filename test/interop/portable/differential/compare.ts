import { type DType, dtypeKind } from "../../../../worker-runtime/protocol/dtype.js";
import { numbersFromBits } from "../../../../worker-runtime/protocol/small-float.js";
import type { Tensor } from "../../../../worker-runtime/protocol/tensor.js";
import type { Outcome } from "./evaluate.js";
import { elementsText, type Tolerance } from "./op-case.js";

/** Bits of the fraction, and the smallest number of full precision. */
const precision: Partial<Record<DType, { readonly epsilon: number; readonly smallest: number }>> = {
  float16: { epsilon: 2 ** -10, smallest: 2 ** -14 },
  bfloat16: { epsilon: 2 ** -7, smallest: 2 ** -126 },
  float32: { epsilon: 2 ** -23, smallest: 2 ** -126 },
  float64: { epsilon: 2 ** -52, smallest: 2 ** -1022 },
  complex64: { epsilon: 2 ** -23, smallest: 2 ** -126 },
  complex128: { epsilon: 2 ** -52, smallest: 2 ** -1022 },
};

/** In what two outcomes differ; undefined where they do not. */
export function difference(expected: Outcome, actual: Outcome, tolerance: Tolerance): string | undefined {
  if (expected.kind === "error" || actual.kind === "error") {
    return expected.kind === "error" && actual.kind === "error" && expected.code === actual.code
      ? undefined
      : `expected ${outcomeText(expected)}, got ${outcomeText(actual)}`;
  }
  for (const [index, wanted] of expected.values.entries()) {
    const given = actual.values[index];
    const what = given === undefined ? "it is missing" : tensorDifference(wanted, given, tolerance);
    if (what !== undefined) {
      return `output ${index}: ${what}`;
    }
  }
  return undefined;
}

function outcomeText(outcome: Outcome): string {
  return outcome.kind === "error"
    ? `${outcome.code} (${outcome.message.slice(0, 300)})`
    : outcome.values.map((tensor) => `${tensor.dtype}[${tensor.shape}] ${elementsText(tensor)}`).join("; ");
}

/** In what two tensors differ, one of TensorFlow and one of ours; undefined where they do not. */
export function tensorDifference(wanted: Tensor, given: Tensor, tolerance: Tolerance): string | undefined {
  const differs = (what: string): string =>
    `${what}: expected ${wanted.dtype}[${wanted.shape}] ${elementsText(wanted)}, ` +
    `got ${given.dtype}[${given.shape}] ${elementsText(given)}`;
  if (wanted.dtype !== given.dtype) {
    return differs("dtype");
  }
  if (wanted.shape.join() !== given.shape.join()) {
    return differs("shape");
  }
  const place = firstDifference(wanted, given, tolerance);
  return place === undefined
    ? undefined
    : differs(`element ${place} is ${given.data[place]}, not ${wanted.data[place]}`);
}

function firstDifference(wanted: Tensor, given: Tensor, tolerance: Tolerance): number | undefined {
  const limits = precision[wanted.dtype];
  if (limits === undefined) {
    const at = Array.from({ length: wanted.size }, (_, i) => i);
    return dtypeKind(wanted.dtype) === "string"
      ? at.find((i) => !sameBytes(wanted.data[i], given.data[i]))
      : at.find((i) => wanted.data[i] !== given.data[i]);
  }
  const left = numbersOf(wanted);
  const right = numbersOf(given);
  for (const [i, one] of left.entries()) {
    if (!isClose(one, right[i] ?? Number.NaN, limits, tolerance)) {
      return i;
    }
  }
  return undefined;
}

function isClose(
  wanted: number,
  given: number,
  { epsilon, smallest }: { readonly epsilon: number; readonly smallest: number },
  { ulps, scale = 0, eitherZero = ulps > 0 }: Tolerance,
): boolean {
  if (Object.is(wanted, given) || (Number.isNaN(wanted) && Number.isNaN(given))) {
    return true;
  }
  if (wanted === 0 && given === 0) {
    return eitherZero;
  }
  // TensorFlow's threads flush numbers below full precision to zero.
  if (Math.abs(wanted) < smallest && Math.abs(given) < smallest) {
    return true;
  }
  return Math.abs(wanted - given) <= ulps * epsilon * Math.max(Math.abs(wanted), scale);
}

/** The numbers of a floating tensor; two for each complex element. */
function numbersOf(
  tensor: Tensor,
): ArrayLike<number> & Iterable<number> & { entries(): IterableIterator<[number, number]> } {
  const { data } = tensor;
  if (data instanceof Float32Array || data instanceof Float64Array) {
    return data;
  }
  return Float64Array.from(numbersFromBits(tensor.dtype as "float16" | "bfloat16", data as Uint16Array));
}

function sameBytes(left: unknown, right: unknown): boolean {
  return left instanceof Uint8Array && right instanceof Uint8Array && Buffer.compare(left, right) === 0;
}
