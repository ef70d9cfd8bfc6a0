import { type DType, dtypeKind } from "../../../../protocol/dtype.js";
import { bitsFromNumber, numberFromBits } from "../../../../protocol/small-float.js";
import { invalidArgument } from "../../../../protocol/status.js";
import { isByteList, type TensorData } from "../../../../protocol/tensor-data.js";
import { type LongArray, longsOf, type NumberArray, numbersOf } from "../support/elements.js";
import {
  type Arithmetic,
  complexArithmetic,
  longArithmetic,
  numberArithmetic,
} from "../support/scalar-arithmetic.js";

/** How an update combines an old and a new element; "update" replaces. */
export type UpdateKind = "update" | Arithmetic;

/** A run of elements to update. Indexes and lengths count elements. */
export interface UpdateRun {
  readonly dtype: DType;
  /** Changed in place. */
  readonly target: TensorData;
  readonly at: number;
  readonly source: TensorData;
  readonly from: number;
  readonly length: number;
  /** 1, or 0 to use the single element at `from` for all. */
  readonly step: 0 | 1;
}

/**
 * Updates a run of elements: integers wrap around, integer division rounds toward zero, floats are rounded once.
 * @throws TensorFlowError INVALID_ARGUMENT for arithmetic on strings and bool, and for division of 64-bit integers by
 *   0.
 */
export function updateElements(kind: UpdateKind, run: UpdateRun): void {
  const elementKind = dtypeKind(run.dtype);
  if (kind === "update") {
    replace(run);
  } else if (elementKind === "string" || elementKind === "bool" || elementKind === "opaque") {
    throw invalidArgument(`There is no arithmetic of ${run.dtype} variables.`);
  } else if (elementKind === "long") {
    updateLongs(kind, run);
  } else if (elementKind === "complex") {
    updateComplex(kind, run);
  } else if (elementKind === "bits") {
    updateBits(kind, run);
  } else {
    updateNumbers(kind, run);
  }
}

function replace({ dtype, target, at, source, from, length, step }: UpdateRun): void {
  const width = dtypeKind(dtype) === "complex" ? 2 : 1;
  if (step === 1 && !isByteList(target) && !isByteList(source)) {
    const values = source.subarray(from * width, (from + length) * width);
    // Both are of the same dtype and therefore the same kind of array.
    (target as NumberArray).set(values as NumberArray, at * width);
    return;
  }
  // Arrays and lists of strings are both written by index; the type of tensor data is read-only elsewhere.
  const writable = target as unknown as unknown[];
  for (let i = 0; i < length * width; i += 1) {
    writable[at * width + i] = source[from * width + (step === 1 ? i : i % width)];
  }
}

function updateNumbers(kind: Arithmetic, run: UpdateRun): void {
  const { dtype, at, from, length, step } = run;
  const target = numbersOf({ dtype, data: run.target });
  const source = numbersOf({ dtype, data: run.source });
  // Additions have their own loops: gradients use them on large arrays.
  if (kind === "add" || kind === "sub") {
    const sign = kind === "add" ? 1 : -1;
    for (let i = 0; i < length; i += 1) {
      target[at + i] = (target[at + i] as number) + sign * (source[from + i * step] as number);
    }
    return;
  }
  if (kind === "mul" && (dtype === "int32" || dtype === "uint32")) {
    // The product of two 32-bit numbers may lose its low bits as a double.
    for (let i = 0; i < length; i += 1) {
      target[at + i] = Math.imul(target[at + i] as number, source[from + i * step] as number);
    }
    return;
  }
  const combine = numberArithmetic[kind];
  for (let i = 0; i < length; i += 1) {
    target[at + i] = combine(target[at + i] as number, source[from + i * step] as number);
  }
}

function updateLongs(kind: Arithmetic, { dtype, target, at, source, from, length, step }: UpdateRun): void {
  const longs: LongArray = longsOf({ dtype, data: target });
  const values = longsOf({ dtype, data: source });
  const combine = longArithmetic[kind];
  for (let i = 0; i < length; i += 1) {
    const value = values[from + i * step] as bigint;
    if (kind === "div" && value === 0n) {
      throw invalidArgument("Integer division by zero");
    }
    longs[at + i] = combine(longs[at + i] as bigint, value);
  }
}

function updateBits(kind: Arithmetic, { dtype, target, at, source, from, length, step }: UpdateRun): void {
  const bits = numbersOf({ dtype, data: target });
  const values = numbersOf({ dtype, data: source });
  const combine = numberArithmetic[kind];
  for (let i = 0; i < length; i += 1) {
    const old = numberFromBits(dtype, bits[at + i] as number);
    const value = numberFromBits(dtype, values[from + i * step] as number);
    bits[at + i] = bitsFromNumber(dtype, combine(old, value));
  }
}

function updateComplex(kind: Arithmetic, run: UpdateRun): void {
  const { dtype, at, from, length, step } = run;
  if (kind === "max" || kind === "min") {
    throw invalidArgument(`Complex numbers have no ${kind}.`);
  }
  const combine = complexArithmetic[kind];
  const target = numbersOf({ dtype, data: run.target });
  const source = numbersOf({ dtype, data: run.source });
  for (let i = 0; i < length; i += 1) {
    const to = 2 * (at + i);
    const by = 2 * (from + i * step);
    const [re, im] = combine(
      target[to] as number,
      target[to + 1] as number,
      source[by] as number,
      source[by + 1] as number,
    );
    target[to] = re;
    target[to + 1] = im;
  }
}
