import { type DType, dtypeKind } from "../../../../protocol/dtype.js";
import { internalError } from "../../../../protocol/status.js";
import { isByteList, type TensorData } from "../../../../protocol/tensor-data.js";
import { type LongArray, longsOf, type NumberArray, numbersOf } from "./elements.js";
import { type Arithmetic, complexArithmetic, longArithmetic } from "./scalar-arithmetic.js";

/** How new values are combined with the existing ones. "set" replaces them. */
export type Accumulation = "set" | Arithmetic;

type Loop<Array> = (to: Array, t: number, from: Array, f: number, n: number) => void;

const numberLoops: Readonly<Record<Accumulation, Loop<NumberArray>>> = {
  set: (to, t, from, f, n) => {
    for (let i = 0; i < n; i += 1) {
      to[t + i] = from[f + i] as number;
    }
  },
  add: (to, t, from, f, n) => {
    for (let i = 0; i < n; i += 1) {
      to[t + i] = (to[t + i] as number) + (from[f + i] as number);
    }
  },
  sub: (to, t, from, f, n) => {
    for (let i = 0; i < n; i += 1) {
      to[t + i] = (to[t + i] as number) - (from[f + i] as number);
    }
  },
  mul: (to, t, from, f, n) => {
    for (let i = 0; i < n; i += 1) {
      to[t + i] = (to[t + i] as number) * (from[f + i] as number);
    }
  },
  div: (to, t, from, f, n) => {
    for (let i = 0; i < n; i += 1) {
      to[t + i] = (to[t + i] as number) / (from[f + i] as number);
    }
  },
  max: (to, t, from, f, n) => {
    for (let i = 0; i < n; i += 1) {
      to[t + i] = Math.max(to[t + i] as number, from[f + i] as number);
    }
  },
  min: (to, t, from, f, n) => {
    for (let i = 0; i < n; i += 1) {
      to[t + i] = Math.min(to[t + i] as number, from[f + i] as number);
    }
  },
};

// A product of two 32-bit integers does not fit the 53 bits of a double.
const multiplyInts: Loop<NumberArray> = (to, t, from, f, n) => {
  for (let i = 0; i < n; i += 1) {
    to[t + i] = Math.imul(to[t + i] as number, from[f + i] as number);
  }
};

/** @throws TensorFlowError INTERNAL if complex numbers have no such accumulation. */
function complexLoop(kind: Accumulation): Loop<NumberArray> {
  if (kind === "max" || kind === "min") {
    throw internalError(`Complex numbers have no "${kind}".`);
  }
  // Operations on each part independently need no pairs.
  if (kind === "set" || kind === "add" || kind === "sub") {
    return numberLoops[kind];
  }
  const combine = complexArithmetic[kind];
  return (to, t, from, f, n) => {
    for (let i = 0; i < n; i += 2) {
      const [re, im] = combine(
        to[t + i] as number,
        to[t + i + 1] as number,
        from[f + i] as number,
        from[f + i + 1] as number,
      );
      to[t + i] = re;
      to[t + i + 1] = im;
    }
  };
}

function longLoop(kind: Accumulation): Loop<LongArray> {
  const f = kind === "set" ? (_: bigint, value: bigint) => value : longArithmetic[kind];
  return (to, t, from, start, n) => {
    for (let i = 0; i < n; i += 1) {
      to[t + i] = f(to[t + i] as bigint, from[start + i] as bigint);
    }
  };
}

/** The concatenation of two strings, which is their sum. */
export function joinedBytes(a: Uint8Array, b: Uint8Array): Uint8Array {
  const joined = new Uint8Array(a.length + b.length);
  joined.set(a);
  joined.set(b, a.length);
  return joined;
}

/**
 * Applies entries f … f + n - 1 of one array to entries t … of another; a complex element is two entries.
 */
export type Accumulate = (t: number, f: number, n: number) => void;

function loopOf(kind: Accumulation, dtype: DType, isInt: boolean): Loop<NumberArray> {
  if (dtypeKind(dtype) === "complex") {
    return complexLoop(kind);
  }
  if (dtype === "bool" && kind === "add") {
    // true + true is true, which is stored as 1.
    return numberLoops.max;
  }
  return kind === "mul" && isInt ? multiplyInts : numberLoops[kind];
}

/**
 * Prepares the accumulation of the elements of one array into another of the same dtype.
 * Small floats must be widened first (see `withSmallFloats`), except for "set"; complex numbers have no "max" or "min";
 * strings can be set or added, which concatenates them.
 * @param to the array to change; it belongs to a tensor under construction, never to a finished one.
 */
export function accumulator(kind: Accumulation, dtype: DType, to: TensorData, from: TensorData): Accumulate {
  if (isByteList(to)) {
    if ((kind !== "set" && kind !== "add") || !isByteList(from)) {
      throw internalError(`Strings have no "${kind}".`);
    }
    const target = to as Uint8Array[];
    return (t, f, n) => {
      for (let i = 0; i < n; i += 1) {
        const value = from[f + i] as Uint8Array;
        target[t + i] = kind === "set" ? value : joinedBytes(target[t + i] as Uint8Array, value);
      }
    };
  }
  if (to instanceof BigInt64Array || to instanceof BigUint64Array) {
    const loop = longLoop(kind);
    const source = longsOf({ dtype, data: from });
    return (t, f, n) => loop(to, t, source, f, n);
  }
  const isInt = !(to instanceof Float32Array || to instanceof Float64Array);
  const loop = loopOf(kind, dtype, isInt);
  const source = numbersOf({ dtype, data: from });
  return (t, f, n) => loop(to, t, source, f, n);
}
