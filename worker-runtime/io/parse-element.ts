import { type DType, dtypeKind, integerRange } from "../protocol/dtype.js";
import { bitsFromNumber, numberFromBits } from "../protocol/small-float.js";
import type { Complex, TensorElement } from "../protocol/tensor-values.js";

/** Thrown if a text is not an element of a dtype; `reason` follows the text: `"abc" is not a number`. */
export class ElementError extends Error {
  override readonly name = "ElementError";
}

const WHOLE = /^[+-]?\d+$/;
const REAL = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const SPECIAL: ReadonlyMap<string, number> = new Map([
  ["nan", Number.NaN],
  ["inf", Number.POSITIVE_INFINITY],
  ["infinity", Number.POSITIVE_INFINITY],
]);

const TRUE = "true";
const FALSE = "false";

/** Integers with up to this many digits can be read as JavaScript numbers without loss. */
const SAFE_DIGITS = 15;

function quoted(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);
}

function refuse(text: string, reason: string): never {
  throw new ElementError(`${quoted(text)} ${reason}`);
}

/** True for every number: "3", "-1.5e3", "nan", "inf". */
export function isNumberText(text: string): boolean {
  const trimmed = text.trim();
  return REAL.test(trimmed) || SPECIAL.has(trimmed.replace(/^[+-]/, "").toLowerCase());
}

/** True for integers without a point or exponent. */
export function isWholeText(text: string): boolean {
  return WHOLE.test(text.trim());
}

/** True for true and false, however capitalised. */
export function isBoolText(text: string): boolean {
  const lower = text.trim().toLowerCase();
  return lower === TRUE || lower === FALSE;
}

const COMPLEX = /^(?:(.*[^e])(?=[+-]))?([+-]?[^+-]*(?:e[+-]\d+)?)j$/i;

/** True for complex numbers as Python writes them: "1+2j", "2j". */
export function isComplexText(text: string): boolean {
  return complexOf(text.trim()) !== undefined;
}

function complexOf(text: string): Complex | undefined {
  const bare = text.replace(/^\((.*)\)$/, "$1");
  if (isNumberText(bare)) return { re: realOf(bare), im: 0 };
  const match = COMPLEX.exec(bare);
  if (match === null) return undefined;
  const [, re = "0", im = ""] = match;
  const imaginary = im === "" || im === "+" || im === "-" ? `${im}1` : im;
  if (!isNumberText(re) || !isNumberText(imaginary)) return undefined;
  return { re: realOf(re), im: realOf(imaginary) };
}

/** Parses a number. @throws ElementError */
function realOf(text: string): number {
  const trimmed = text.trim();
  if (REAL.test(trimmed)) return Number(trimmed);
  const special = SPECIAL.get(trimmed.replace(/^[+-]/, "").toLowerCase());
  if (special !== undefined) return trimmed.startsWith("-") ? -special : special;
  if (/^[+-]?\d+,\d+$/.test(trimmed)) refuse(text, "is not a number; write the decimals behind a point");
  return refuse(text, "is not a number");
}

/**
 * Checks that a finite number stays finite in a floating-point dtype.
 * @returns the number
 * @throws ElementError if the number is out of the dtype's range
 */
export function checkFloatRange(value: number, dtype: DType, text: string): number {
  if (!Number.isFinite(value)) {
    // "1e400" would parse as infinity, which is not what was written.
    if (!Number.isNaN(value) && /\d/.test(text)) refuse(text, `is too large for ${dtype}`);
    return value;
  }
  let held = value;
  if (dtypeKind(dtype) === "bits") held = numberFromBits(dtype, bitsFromNumber(dtype, value));
  else if (dtype === "float32" || dtype === "complex64") held = Math.fround(value);
  if (!Number.isFinite(held)) refuse(text, `is too large for ${dtype}`);
  return value;
}

function wholeParser(dtype: DType): (text: string) => number | bigint {
  const range = integerRange(dtype) ?? { min: 0n, max: 0n };
  const long = dtypeKind(dtype) === "long";
  const min = Number(range.min);
  const max = Number(range.max);
  return (text) => {
    const trimmed = text.trim();
    if (!WHOLE.test(trimmed)) {
      if (!isNumberText(trimmed)) realOf(text);
      const value = Number(trimmed);
      // 3.0 and 1e3 are also integers.
      if (!Number.isSafeInteger(value)) refuse(text, `is not a whole number, which ${dtype} asks for`);
      if (value < min || value > max)
        refuse(text, `is outside of ${dtype}, which goes from ${range.min} to ${range.max}`);
      return long ? BigInt(value) : value;
    }
    if (trimmed.length <= SAFE_DIGITS) {
      const value = Number(trimmed);
      if (value >= min && value <= max) return long ? BigInt(value) : value;
    }
    const value = BigInt(trimmed.replace(/^\+/, ""));
    if (value < range.min || value > range.max) {
      refuse(text, `is outside of ${dtype}, which goes from ${range.min} to ${range.max}`);
    }
    return long ? value : Number(value);
  };
}

/**
 * Returns a parser of elements of a dtype. Numbers may be surrounded by spaces; integer dtypes also accept "3.0"; bool
 * accepts true, false, 1 and 0; complex dtypes accept Python's syntax.
 * The parser throws ElementError for invalid texts and values outside the dtype's range.
 * @throws ElementError for dtypes without a text form (resource, variant)
 */
export function elementParser(dtype: DType): (text: string) => TensorElement {
  switch (dtypeKind(dtype)) {
    case "float":
    case "bits":
      return (text) => checkFloatRange(realOf(text), dtype, text);
    case "int":
    case "uint":
    case "long":
      return wholeParser(dtype);
    case "bool":
      return (text) => {
        const lower = text.trim().toLowerCase();
        if (lower === TRUE || lower === "1") return true;
        if (lower === FALSE || lower === "0") return false;
        return refuse(text, "is neither true nor false");
      };
    case "complex":
      return (text) => {
        const value = complexOf(text.trim());
        if (value === undefined) return refuse(text, "is not a complex number; write it like 1+2j");
        checkFloatRange(value.re, dtype, text);
        checkFloatRange(value.im, dtype, text);
        return value;
      };
    case "string":
      return (text) => text;
    case "opaque":
      throw new ElementError(
        `A ${dtype} tensor stands for something inside TensorFlow and cannot be written as text`,
      );
  }
}
