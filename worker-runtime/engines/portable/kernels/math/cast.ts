import { type DType, dtypeKind } from "../../../../protocol/dtype.js";
import { internalError, invalidArgument, unimplemented } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import {
  arrayConstructor,
  arrayFromBytes,
  bytesOfArray,
  isByteList,
} from "../../../../protocol/tensor-data.js";
import type { KernelDefinition } from "../kernel.js";
import { perElement, pureKernel } from "../support/define.js";
import { isLong, isSmallFloat, numberTypes, tensorTypes } from "../support/dtypes.js";
import {
  inputAt,
  type LongArray,
  longsOf,
  type NumberArray,
  newLongs,
  newNumbers,
  numbersOf,
} from "../support/elements.js";
import { cppShapeText } from "../support/shapes.js";
import { fromFloat32, toFloat32 } from "../support/small-floats.js";
import { complexFrom, realPart } from "./complex.js";

const INT64_MIN = -(2n ** 63n);

/** Truncates a float to a 64-bit integer; out-of-range values become the least one, as on x86 processors. */
function longOf(value: number): bigint {
  return Number.isFinite(value) && value < 2 ** 63 && value >= -(2 ** 63)
    ? BigInt(Math.trunc(value))
    : INT64_MIN;
}

/** Truncates a float to an unsigned 64-bit integer, as compilers do by means of the signed conversion. */
function unsignedLongOf(value: number): bigint {
  return value >= 2 ** 63 && value < 2 ** 64 ? BigInt(Math.trunc(value)) : longOf(value);
}

function floatsToLongs(from: NumberArray, to: LongArray): void {
  const convert = to instanceof BigUint64Array ? unsignedLongOf : longOf;
  for (let i = 0; i < from.length; i += 1) {
    to[i] = convert(from[i] as number);
  }
}

/** Truncates a float to a 32-bit integer; out-of-range values become the least one, as on x86 processors. */
function intOf(value: number): number {
  return value > -2147483649 && value < 2147483648 ? Math.trunc(value) : -2147483648;
}

function floatsToInts(from: NumberArray, to: NumberArray): void {
  // uint32 is taken from a 64-bit conversion, narrower types from a 32-bit one.
  if (to instanceof Uint32Array) {
    for (let i = 0; i < from.length; i += 1) {
      const value = from[i] as number;
      to[i] = Math.abs(value) < 2 ** 63 ? Math.trunc(value) : 0;
    }
    return;
  }
  for (let i = 0; i < from.length; i += 1) {
    to[i] = intOf(from[i] as number);
  }
}

function toBool(from: NumberArray | LongArray, to: NumberArray): void {
  for (let i = 0; i < from.length; i += 1) {
    const value = from[i];
    to[i] = value === 0 || value === 0n ? 0 : 1;
  }
}

function toLongs(source: Tensor, dtype: DType): Tensor {
  const to = newLongs(dtype, source.shape);
  if (isLong(source.dtype)) {
    to.set(longsOf(source));
  } else if (dtypeKind(source.dtype) === "float") {
    floatsToLongs(numbersOf(source), to);
  } else {
    const from = numbersOf(source);
    for (let i = 0; i < from.length; i += 1) {
      to[i] = BigInt(from[i] as number);
    }
  }
  return new Tensor(dtype, source.shape, to);
}

function toNumbers(source: Tensor, dtype: DType): Tensor {
  const to = newNumbers(dtype, source.shape);
  if (dtype === "bool") {
    toBool(isLong(source.dtype) ? longsOf(source) : numbersOf(source), to);
  } else if (isLong(source.dtype)) {
    const from = longsOf(source);
    const isFloat = dtypeKind(dtype) === "float";
    for (let i = 0; i < from.length; i += 1) {
      to[i] = Number(isFloat ? (from[i] as bigint) : BigInt.asIntN(32, from[i] as bigint));
    }
  } else if (dtypeKind(source.dtype) === "float" && dtypeKind(dtype) !== "float") {
    floatsToInts(numbersOf(source), to);
  } else {
    // Here typed arrays round and wrap as C++ does.
    to.set(numbersOf(source));
  }
  return new Tensor(dtype, source.shape, to);
}

/**
 * Casts the elements to another dtype as C++ does: fractions are truncated, integers wrap around, complex numbers keep
 * their real part, and everything but 0 is true.
 */
export function castTo(source: Tensor, dtype: DType): Tensor {
  if (source.dtype === dtype) {
    return source;
  }
  if (isSmallFloat(source.dtype)) {
    return castTo(toFloat32(source), dtype);
  }
  if (dtypeKind(source.dtype) === "complex") {
    if (dtypeKind(dtype) === "complex") {
      const parts = newNumbers(dtype, source.shape);
      parts.set(numbersOf(source));
      return new Tensor(dtype, source.shape, parts);
    }
    return castTo(realPart(source), dtype);
  }
  if (isSmallFloat(dtype)) {
    return fromFloat32(dtype, castTo(source, "float32"));
  }
  if (dtypeKind(dtype) === "complex") {
    return complexFrom(castTo(source, dtype === "complex64" ? "float32" : "float64"), undefined);
  }
  return isLong(dtype) ? toLongs(source, dtype) : toNumbers(source, dtype);
}

/** The same bits as another dtype; adds or removes a last dimension if the element sizes differ. */
function bitcast(source: Tensor, dtype: DType): Tensor {
  const { data } = source;
  const arrayType = arrayConstructor(dtype);
  if (isByteList(data) || arrayType === undefined) {
    throw unimplemented(`Bitcast does not support ${isByteList(data) ? source.dtype : dtype}.`);
  }
  const from = itemBytes(source.dtype);
  const to = itemBytes(dtype);
  let shape = [...source.shape];
  if (from > to) {
    shape.push(from / to);
  } else if (to > from) {
    if (shape.at(-1) !== to / from) {
      throw invalidArgument(
        `Cannot bitcast from ${source.dtype} to ${dtype} shape ${cppShapeText(source.shape)}: the last dimension must be ${to / from}`,
      );
    }
    shape = shape.slice(0, -1);
  }
  return new Tensor(dtype, shape, arrayFromBytes(dtype, bytesOfArray(data)));
}

function itemBytes(dtype: DType): number {
  const arrayType = arrayConstructor(dtype);
  if (arrayType === undefined) {
    throw internalError(`${dtype} has no size.`);
  }
  return arrayType.BYTES_PER_ELEMENT * (dtypeKind(dtype) === "complex" ? 2 : 1);
}

const castable = [...numberTypes, "bool"] as const;

/** Conversions between dtypes. */
export const castKernels: readonly KernelDefinition[] = [
  pureKernel(
    "Cast",
    (node) => {
      const dtype = node.type("DstT");
      return (inputs) => [castTo(inputAt(inputs, 0), dtype)];
    },
    { types: { SrcT: castable, DstT: castable }, cost: perElement(10) },
  ),
  pureKernel(
    "Bitcast",
    (node) => {
      const dtype = node.type("type");
      return (inputs) => [bitcast(inputAt(inputs, 0), dtype)];
    },
    { types: { T: tensorTypes, type: tensorTypes }, cost: () => 0 },
  ),
];
