import type { DType } from "./dtype.js";
import { invalidArgument } from "./status.js";

/** The meaning of the bit patterns at the top of a format's range. */
type SpecialValues =
  /** IEEE 754: exponent all ones is infinity (mantissa 0) or NaN. */
  | "ieee"
  /** "fn": no infinity; only the pattern of all ones is NaN. */
  | "finite-nan"
  /** "fnuz": no infinity, no negative zero; the pattern of negative zero is NaN. */
  | "finite-unsigned-zero"
  /** Neither infinity nor NaN: values beyond the range saturate. */
  | "finite";

interface FloatFormat {
  readonly exponentBits: number;
  readonly mantissaBits: number;
  readonly bias: number;
  readonly special: SpecialValues;
}

/** Formats whose tensors hold raw bits, because JavaScript has no typed array for them on every supported Node. */
const formats: Partial<Record<DType, FloatFormat>> = {
  float16: { exponentBits: 5, mantissaBits: 10, bias: 15, special: "ieee" },
  bfloat16: { exponentBits: 8, mantissaBits: 7, bias: 127, special: "ieee" },
  float8_e5m2: { exponentBits: 5, mantissaBits: 2, bias: 15, special: "ieee" },
  float8_e4m3fn: { exponentBits: 4, mantissaBits: 3, bias: 7, special: "finite-nan" },
  float8_e4m3fnuz: { exponentBits: 4, mantissaBits: 3, bias: 8, special: "finite-unsigned-zero" },
  float8_e4m3b11fnuz: { exponentBits: 4, mantissaBits: 3, bias: 11, special: "finite-unsigned-zero" },
  float8_e5m2fnuz: { exponentBits: 5, mantissaBits: 2, bias: 16, special: "finite-unsigned-zero" },
  float4_e2m1fn: { exponentBits: 2, mantissaBits: 1, bias: 1, special: "finite" },
};

function formatOf(dtype: DType): FloatFormat {
  const format = formats[dtype];
  if (format === undefined) {
    throw invalidArgument(`${dtype} is not a floating-point type that is held as raw bits.`);
  }
  return format;
}

function decodeBits(format: FloatFormat, bits: number): number {
  const { exponentBits, mantissaBits, bias, special } = format;
  const signBit = 1 << (exponentBits + mantissaBits);
  const negative = (bits & signBit) !== 0;
  const magnitude = bits & (signBit - 1);
  const exponent = magnitude >> mantissaBits;
  const mantissa = magnitude & ((1 << mantissaBits) - 1);
  const topExponent = (1 << exponentBits) - 1;
  if (special === "ieee" && exponent === topExponent) {
    return mantissa !== 0 ? Number.NaN : negative ? -Infinity : Infinity;
  }
  if (special === "finite-nan" && magnitude === signBit - 1) {
    return Number.NaN;
  }
  if (special === "finite-unsigned-zero" && bits === signBit) {
    return Number.NaN;
  }
  const value =
    exponent === 0
      ? mantissa * 2 ** (1 - bias - mantissaBits)
      : ((1 << mantissaBits) + mantissa) * 2 ** (exponent - bias - mantissaBits);
  return negative ? -value : value;
}

function largestMagnitude({ exponentBits, mantissaBits, special }: FloatFormat): number {
  const allOnes = (1 << (exponentBits + mantissaBits)) - 1;
  switch (special) {
    case "ieee":
      return allOnes - (1 << mantissaBits);
    case "finite-nan":
      return allOnes - 1;
    default:
      return allOnes;
  }
}

function nanBits({ exponentBits, mantissaBits, special }: FloatFormat): number {
  const signBit = 1 << (exponentBits + mantissaBits);
  switch (special) {
    case "ieee":
      return signBit - 1 - ((1 << (mantissaBits - 1)) - 1);
    case "finite-nan":
      return signBit - 1;
    case "finite-unsigned-zero":
      return signBit;
    case "finite":
      // Like ml_dtypes for a format without NaN: the pattern of negative zero.
      return signBit;
  }
}

/** The nearest integer, ties to even. `value` is not negative and below 2^53. */
function roundHalfEven(value: number): number {
  const floor = Math.floor(value);
  const rest = value - floor;
  if (rest > 0.5 || (rest === 0.5 && floor % 2 === 1)) {
    return floor + 1;
  }
  return floor;
}

/** floor(log2(value)) for a finite value above 0; Math.log2 alone is inexact next to powers of two. */
function binaryExponent(value: number): number {
  let exponent = Math.floor(Math.log2(value));
  if (2 ** exponent > value) {
    exponent -= 1;
  } else if (2 ** (exponent + 1) <= value) {
    exponent += 1;
  }
  return exponent;
}

function encodeNumber(format: FloatFormat, value: number): number {
  const { exponentBits, mantissaBits, bias, special } = format;
  if (Number.isNaN(value)) {
    return nanBits(format);
  }
  const signBit = 1 << (exponentBits + mantissaBits);
  const sign = value < 0 || Object.is(value, -0) ? signBit : 0;
  const absolute = Math.abs(value);
  if (absolute === 0) {
    return special === "finite-unsigned-zero" ? 0 : sign;
  }
  const largest = largestMagnitude(format);
  let magnitude = Number.POSITIVE_INFINITY;
  if (absolute !== Infinity) {
    const smallestNormal = 1 - bias;
    const exponent = Math.max(binaryExponent(absolute), smallestNormal);
    const quantum = roundHalfEven(absolute / 2 ** (exponent - mantissaBits));
    // A quantum of a subnormal stays below 2^mantissaBits; one that rounds up to the next power of two carries into the
    // exponent, as intended.
    magnitude = (exponent - smallestNormal) * 2 ** mantissaBits + quantum;
  }
  if (magnitude > largest) {
    switch (special) {
      case "ieee":
        return sign | (largest + 1);
      case "finite":
        return sign | largest;
      default:
        return special === "finite-nan" ? sign | nanBits(format) : nanBits(format);
    }
  }
  if (magnitude === 0 && special === "finite-unsigned-zero") {
    return 0;
  }
  return sign | magnitude;
}

const tables = new Map<DType, Float32Array>();

/** Every value of a format by its bits, created on first use: at most 65,536 numbers. */
function tableOf(dtype: DType): Float32Array {
  const known = tables.get(dtype);
  if (known !== undefined) {
    return known;
  }
  const format = formatOf(dtype);
  const table = Float32Array.from(
    { length: 2 ** (1 + format.exponentBits + format.mantissaBits) },
    (_, bits) => decodeBits(format, bits),
  );
  tables.set(dtype, table);
  return table;
}

/** The exact number that raw bits of `dtype` (float16, bfloat16, float8_*, float4_*) represent. */
export function numberFromBits(dtype: DType, bits: number): number {
  const table = tableOf(dtype);
  // Types smaller than a byte use its low bits; the others are not part of the value.
  return table[bits & (table.length - 1)] ?? Number.NaN;
}

/** The raw bits of the value of `dtype` that is nearest to `value`, ties to even. */
export function bitsFromNumber(dtype: DType, value: number): number {
  return encodeNumber(formatOf(dtype), value);
}

/** All numbers of an array of raw bits, as float32, which holds every one of them exactly. */
export function numbersFromBits(dtype: DType, bits: Uint16Array | Uint8Array): Float32Array {
  const table = tableOf(dtype);
  const mask = table.length - 1;
  const numbers = new Float32Array(bits.length);
  for (let i = 0; i < bits.length; i += 1) {
    numbers[i] = table[(bits[i] ?? 0) & mask] ?? Number.NaN;
  }
  return numbers;
}
