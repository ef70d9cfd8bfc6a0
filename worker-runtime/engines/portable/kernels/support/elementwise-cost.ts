/** What loops over elements take, in nanoseconds on one slow core. */
import type { DType } from "../../../../protocol/dtype.js";
import type { Tensor } from "../../../../protocol/tensor.js";
import type { Cost } from "./define.js";
import { isLong, isSmallFloat } from "./dtypes.js";
import { inputAt } from "./elements.js";

/** An element of a loop that is written out takes little more than its memory, which is taken fresh for the result. */
const NANOS_OF_LOOP = 3;
const NANOS_OF_DOUBLE_LOOP = 4;
/** Bigints are objects. */
const NANOS_OF_BIGINT_LOOP = 30;
/** Where a function is called for each element that the loop does not know, since many ops share it. */
const NANOS_OF_CALL = 25;
/** What a function takes of numbers it takes so many times of bigints. */
const BIGINT_FACTOR = 15;
/** Small floats are widened before and rounded after. */
const NANOS_OF_ROUNDING = 30;

const callingLoops = new WeakSet<object>();

/** Notes of a loop that it calls a function for each element. */
export function calling<Loop extends object>(loop: Loop): Loop {
  callingLoops.add(loop);
  return loop;
}

/**
 * The nanoseconds that one element takes.
 * @param loop for the dtype.
 * @param given of a number, where the op says so.
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

/** A stretch of a broadcast that is walked at once: the last dimension where the operands do not go together. */
const NANOS_PER_STRETCH = 30;

interface Broadcast {
  readonly size: number;
  readonly stretches: number;
}

/** What a broadcast of two operands has (where they fit; the cost of an error matters little). */
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

/** So few take no time whatever their shapes: an estimate of them must not take longer than the kernel. */
const FEW_ELEMENTS = 4096;

/** A function of a dtype that is asked for the same few ones before each run of a kernel. */
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
 * @param nanoseconds that an element takes that is a number, or what one takes by the inputs' dtype.
 */
export function perBroadcastElement(nanoseconds: number | ((dtype: DType) => number)): Cost {
  const nanosOf = onceByType(
    typeof nanoseconds === "number" ? (dtype) => nanosPerElement(dtype, undefined, nanoseconds) : nanoseconds,
  );
  return (_, inputs) => {
    const [left, right] = [inputAt(inputs, 0), inputAt(inputs, 1)];
    const nanos = nanosOf(left.dtype);
    const most = left.data.length * right.data.length;
    if (most <= FEW_ELEMENTS) {
      return most * (nanos + NANOS_PER_STRETCH);
    }
    const { size, stretches } = broadcastOf(left, right);
    return size * nanos + stretches * NANOS_PER_STRETCH;
  };
}
