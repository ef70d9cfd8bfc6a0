import { getTextEncoding } from "@bufbuild/protobuf/wire";
import { type DType, dtypeKind } from "./dtype.js";
import { bitsFromNumber, numberFromBits } from "./small-float.js";
import { isByteList, type TensorData } from "./tensor-data.js";
import type { Complex } from "./tensor-values.js";

/** An element in JavaScript: 64-bit integers as bigint, strings as UTF-8 text, resource and variant as bytes. */
export type ElementValue = number | bigint | boolean | string | Complex | Uint8Array;

/** Element `index` of `data`. The index must be within the data. */
export function elementValue(dtype: DType, data: TensorData, index: number): ElementValue {
  if (isByteList(data)) {
    const bytes = data[index] ?? new Uint8Array(0);
    return dtypeKind(dtype) === "string" ? getTextEncoding().decodeUtf8(bytes) : bytes;
  }
  switch (dtypeKind(dtype)) {
    case "bool":
      return data[index] !== 0;
    case "bits":
      return numberFromBits(dtype, Number(data[index] ?? 0));
    case "complex":
      return { re: Number(data[2 * index] ?? 0), im: Number(data[2 * index + 1] ?? 0) };
    default:
      return data[index] ?? 0;
  }
}

/** True when `text` reads back as exactly the value `number` of the dtype. */
function readsBack(dtype: DType, text: string, number: number): boolean {
  const read = Number(text);
  if (dtypeKind(dtype) === "bits") {
    return numberFromBits(dtype, bitsFromNumber(dtype, read)) === number;
  }
  return Math.fround(read) === number;
}

/** Significant decimal digits that always suffice to tell two float32 values apart. */
const FLOAT32_DIGITS = 9;

/** The shortest decimal text that identifies `number` among the values of `dtype`, with ".0" for integers. */
function realText(dtype: DType, number: number): string {
  if (Number.isNaN(number)) {
    return "nan";
  }
  if (!Number.isFinite(number)) {
    return number > 0 ? "inf" : "-inf";
  }
  let text = Object.is(number, -0) ? "-0" : String(number);
  // Integers are written in full: 65504.0 is more informative than the equally valid 65500.0.
  if (dtype !== "float64" && dtype !== "complex128" && !Number.isSafeInteger(number)) {
    for (let digits = 1; digits <= FLOAT32_DIGITS; digits += 1) {
      const shorter = number.toPrecision(digits);
      if (readsBack(dtype, shorter, number)) {
        text = String(Number(shorter));
        break;
      }
    }
  }
  return /[.e]/.test(text) ? text : `${text}.0`;
}

/** Text with every byte that is not part of valid UTF-8 written as \xNN, so nothing is hidden. */
function stringText(bytes: Uint8Array): string {
  try {
    return getTextEncoding().decodeUtf8(bytes, true);
  } catch {
    return Array.from(bytes, (byte) =>
      byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, "0")}`,
    ).join("");
  }
}

/**
 * Element `index` as text for display: "11.0" for floats (the shortest text that identifies the value), "true", "7",
 * "1.0+2.0j", strings unchanged except for bytes that are not text, which become \xNN.
 */
export function elementText(dtype: DType, data: TensorData, index: number): string {
  if (isByteList(data)) {
    const bytes = data[index] ?? new Uint8Array(0);
    return dtypeKind(dtype) === "string" ? stringText(bytes) : `<${dtype}, ${bytes.byteLength} bytes>`;
  }
  const value = elementValue(dtype, data, index);
  if (typeof value === "object" && "re" in value) {
    const imaginary = realText(dtype, value.im);
    return `${realText(dtype, value.re)}${/^[-]/.test(imaginary) ? "" : "+"}${imaginary}j`;
  }
  const kind = dtypeKind(dtype);
  return kind === "float" || kind === "bits" ? realText(dtype, Number(value)) : String(value);
}

/** The number that `elementText` wrote, booleans as 0 and 1; NaN for a text that is no real number. */
export function numberOfText(text: string): number {
  if (/^[+-]?inf$/.test(text)) {
    return text.startsWith("-") ? -Infinity : Infinity;
  }
  if (text === "true") {
    return 1;
  }
  return text === "false" ? 0 : Number(text);
}
