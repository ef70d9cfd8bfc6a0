import { type DType, dtypeKind } from "../../../../worker-runtime/protocol/dtype.js";
import { numbersFromBits } from "../../../../worker-runtime/protocol/small-float.js";
import type { Tensor } from "../../../../worker-runtime/protocol/tensor.js";
import type { Outcome } from "./evaluate.js";
import { elementsText, type Tolerance } from "./op-case.js";

/** The effect of rounding on the floating numbers of a dtype. */
interface Precision {
  /** The distance from 1 to the next number. */
  readonly epsilon: number;
  /** The smallest number of full precision; those below it are as far apart as those just above it. */
  readonly smallest: number;
  /**
   * Whether TensorFlow's threads may give 0 for a number below full precision. They have the processor flush those of
   * single and double precision; float16 is computed as float32, where its own are of full precision.
   */
  readonly flushes: boolean;
}

const half: Precision = { epsilon: 2 ** -10, smallest: 2 ** -14, flushes: false };
const brain: Precision = { epsilon: 2 ** -7, smallest: 2 ** -126, flushes: true };
const single: Precision = { epsilon: 2 ** -23, smallest: 2 ** -126, flushes: true };
const double: Precision = { epsilon: 2 ** -52, smallest: 2 ** -1022, flushes: true };

const precisions: Partial<Record<DType, Precision>> = {
  float16: half,
  bfloat16: brain,
  float32: single,
  float64: double,
  complex64: single,
  complex128: double,
};

/** The distance from 1 to the next number of a floating dtype; undefined for others. */
export function epsilonOf(dtype: DType): number | undefined {
  return precisions[dtype]?.epsilon;
}

/** How two outcomes differ; undefined if they do not. */
export function difference(expected: Outcome, actual: Outcome, tolerance: Tolerance): string | undefined {
  if (expected.kind !== "values" || actual.kind !== "values") {
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
  return actual.values.length > expected.values.length
    ? `${actual.values.length} outputs, not ${expected.values.length}`
    : undefined;
}

/** TensorFlow's errors for a node without a kernel, or whose op no longer exists. */
const NO_KERNEL =
  /No OpKernel was registered to support Op|No registered '.*' OpKernel|Op type not registered|Cannot assign a device for operation .* no supported kernel|It has been removed in version/s;

/** Whether a server refused a step because it has no kernel for one of its nodes. */
export function lacksKernel(outcome: Outcome): boolean {
  return outcome.kind === "error" && NO_KERNEL.test(outcome.message);
}

function outcomeText(outcome: Outcome): string {
  switch (outcome.kind) {
    case "error":
      return `${outcome.code} (${outcome.message.slice(0, 300)})`;
    case "died":
      return `the end of the process (${outcome.lastLines})`;
    case "values":
      return outcome.values
        .map((tensor) => `${tensor.dtype}[${tensor.shape}] ${elementsText(tensor)}`)
        .join("; ");
  }
}

/** How two tensors differ, one of TensorFlow and one of ours; undefined if they do not. */
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
  const index = firstDifference(wanted, given, tolerance);
  return index === undefined
    ? undefined
    : differs(`element ${index} is ${given.data[index]}, not ${wanted.data[index]}`);
}

function firstDifference(wanted: Tensor, given: Tensor, tolerance: Tolerance): number | undefined {
  const precision = precisions[wanted.dtype];
  if (precision === undefined) {
    const at = Array.from({ length: wanted.size }, (_, i) => i);
    return dtypeKind(wanted.dtype) === "string"
      ? at.find((i) => !sameBytes(wanted.data[i], given.data[i]))
      : at.find((i) => wanted.data[i] !== given.data[i]);
  }
  const left = numbersOf(wanted);
  const right = numbersOf(given);
  const scaleAt = scaleOf(wanted.dtype, left, tolerance);
  for (const [i, one] of left.entries()) {
    if (!isClose(one, right[i] ?? Number.NaN, precision, tolerance, scaleAt(i))) {
      return i;
    }
  }
  return undefined;
}

/** The magnitude at which the unit of the last place is taken, by the place of a number. */
function scaleOf(dtype: DType, numbers: Numbers, { scale = 0 }: Tolerance): (index: number) => number {
  if (typeof scale === "number") {
    return () => scale;
  }
  const parts = dtypeKind(dtype) === "complex" ? 2 : 1;
  const sizeAt = (index: number): number => {
    const first = index - (index % parts);
    const size = Math.hypot(...Array.from({ length: parts }, (_, part) => numbers[first + part] ?? 0));
    return Number.isFinite(size) ? size : 0;
  };
  if (scale === "element") {
    return sizeAt;
  }
  const largest = Array.from(numbers).reduce((most, _, index) => Math.max(most, sizeAt(index)), 0);
  return () => largest;
}

function isClose(
  wanted: number,
  given: number,
  { epsilon, smallest, flushes }: Precision,
  { ulps, eitherZero = ulps > 0 }: Tolerance,
  scale: number,
): boolean {
  if (Object.is(wanted, given)) {
    return true;
  }
  // An infinity is close only to itself, and NaN only to NaN: distances to them are not numbers.
  if (!Number.isFinite(wanted) || !Number.isFinite(given)) {
    return false;
  }
  if (wanted === 0 && given === 0) {
    return eitherZero;
  }
  if (
    flushes &&
    ((wanted === 0 && Math.abs(given) < smallest) || (given === 0 && Math.abs(wanted) < smallest))
  ) {
    return true;
  }
  return Math.abs(wanted - given) <= ulps * epsilon * Math.max(Math.abs(wanted), scale, smallest);
}

type Numbers = ArrayLike<number> & { entries(): IterableIterator<[number, number]> };

/** The numbers of a floating tensor; two for each complex element. */
function numbersOf(tensor: Tensor): Numbers {
  const { data } = tensor;
  if (data instanceof Float32Array || data instanceof Float64Array) {
    return data;
  }
  return Float64Array.from(numbersFromBits(tensor.dtype as "float16" | "bfloat16", data as Uint16Array));
}

function sameBytes(left: unknown, right: unknown): boolean {
  return left instanceof Uint8Array && right instanceof Uint8Array && Buffer.compare(left, right) === 0;
}
