/** Costs of loops over elements, in nanoseconds on one slow core. */
import type { DType } from "../../../../protocol/dtype.js";
import type { Tensor } from "../../../../protocol/tensor.js";
import { elementCount } from "../../../../protocol/tensor-data.js";
import type { Cost } from "./define.js";
import { isLong, isSmallFloat } from "./dtypes.js";
import { inputAt } from "./elements.js";

/** An element of an op's own loop costs little more than its memory, which is newly allocated for the result. */
const NANOS_OF_LOOP = 3;
const NANOS_OF_DOUBLE_LOOP = 4;
/** Bigints are objects. */
const NANOS_OF_BIGINT_LOOP = 30;
/** An element of a loop shared by many ops, which calls an unknown function for each element. */
const NANOS_OF_CALL = 25;
/** How many times longer a function takes for bigints than for numbers. */
const BIGINT_FACTOR = 15;
/** Small floats are widened before and rounded afterwards. */
const NANOS_OF_ROUNDING = 30;

const callingLoops = new WeakSet<object>();

/** Records that a loop calls a function for each element. */
export function calling<Loop extends object>(loop: Loop): Loop {
  callingLoops.add(loop);
  return loop;
}

/**
 * The cost of one element in nanoseconds.
 * @param loop the op's loop for the dtype.
 * @param given the cost for a number, if the op specifies one.
 */
export function nanosPerElement(dtype: DType, loop: object | undefined, given: number | undefined): number {
  if (isLong(dtype)) {
    return given === undefined ? NANOS_OF_BIGINT_LOOP : given * BIGINT_FACTOR;
  }
  const nanos = given ?? nanosOfLoop(dtype, loop);
  return isSmallFloat(dtype) ? nanos + NANOS_OF_ROUNDING : nanos;
}

function nanosOfLoop(dtype: DType, loop: object | undefined): number {
  if (loop !== undefined && callingLoops.has(loop)) {
    return NANOS_OF_CALL;
  }
  return dtype === "float64" ? NANOS_OF_DOUBLE_LOOP : NANOS_OF_LOOP;
}

/** A run of a broadcast that is walked at once: the last dimension, unless the operands can be walked as one. */
const NANOS_PER_STRETCH = 30;

interface Broadcast {
  readonly size: number;
  readonly stretches: number;
}

/** The size and the number of runs of a broadcast (if the shapes fit; the cost of an error matters little). */
function broadcastOf(left: Tensor, right: Tensor): Broadcast {
  const [x, y] = [left.shape, right.shape];
  let size = 1;
  for (let i = 1; i <= Math.max(x.length, y.length); i += 1) {
    const [a, b] = [x[x.length - i] ?? 1, y[y.length - i] ?? 1];
    size *= a === 1 ? b : a;
  }
  const isWalkedAtOnce = left.size === 1 || right.size === 1 || (left.size === size && right.size === size);
  const length = Math.max(x.at(-1) ?? 1, y.at(-1) ?? 1);
  return { size, stretches: isWalkedAtOnce ? 1 : size / Math.max(1, length) };
}

/** Up to this size, the time is negligible for any shape, and estimating it must not take longer than the kernel. */
const FEW_ELEMENTS = 4096;

/** Caches a function of a dtype that is called for the same few dtypes before each run of a kernel. */
export function onceByType(nanosOf: (dtype: DType) => number): (dtype: DType) => number {
  const known = new Map<DType, number>();
  return (dtype) => {
    let nanos = known.get(dtype);
    if (nanos === undefined) {
      nanos = nanosOf(dtype);
      known.set(dtype, nanos);
    }
    return nanos;
  };
}

/**
 * A cost estimate for the broadcast of the first two inputs.
 * @param nanoseconds per element of JS numbers, or a function that returns the cost for the inputs' dtype.
 */
export function perBroadcastElement(nanoseconds: number | ((dtype: DType) => number)): Cost {
  const nanosOf = onceByType(
    typeof nanoseconds === "number" ? (dtype) => nanosPerElement(dtype, undefined, nanoseconds) : nanoseconds,
  );
  return (_, inputs) => {
    const [left, right] = [inputAt(inputs, 0), inputAt(inputs, 1)];
    const nanos = nanosOf(left.dtype);
    const most = elementCount(left.dtype, left.data) * elementCount(right.dtype, right.data);
    if (most <= FEW_ELEMENTS) {
      return most * (nanos + NANOS_PER_STRETCH);
    }
    const { size, stretches } = broadcastOf(left, right);
    return size * nanos + stretches * NANOS_PER_STRETCH;
  };
}
