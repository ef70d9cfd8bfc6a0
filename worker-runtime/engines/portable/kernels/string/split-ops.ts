import { invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import type { PureKernelDefinition } from "../kernel.js";
import { pureKernel } from "../support/define.js";
import { noTypes } from "../support/dtypes.js";
import { inputAt, stringsOf } from "../support/elements.js";
import { cppShapeText } from "../support/shapes.js";

/** The parts of all strings as a sparse matrix: indexes, values, size. */
function sparseRows(rows: readonly (readonly Uint8Array[])[]): Tensor[] {
  const values = rows.flat();
  const indices = new BigInt64Array(values.length * 2);
  let at = 0;
  for (const [row, parts] of rows.entries()) {
    for (const column of parts.keys()) {
      indices[at] = BigInt(row);
      indices[at + 1] = BigInt(column);
      at += 2;
    }
  }
  const width = rows.reduce((most, parts) => Math.max(most, parts.length), 0);
  return [
    new Tensor("int64", [values.length, 2], indices),
    new Tensor("string", [values.length], values),
    new Tensor("int64", [2], BigInt64Array.of(BigInt(rows.length), BigInt(width))),
  ];
}

/** Splits at each byte of a set; with no set, into single bytes. */
function splitAtAny(bytes: Uint8Array, delimiters: Uint8Array, skipEmpty: boolean): Uint8Array[] {
  if (delimiters.length === 0) {
    return Array.from(bytes, (byte) => Uint8Array.of(byte));
  }
  const parts: Uint8Array[] = [];
  if (bytes.length === 0) {
    return parts;
  }
  let start = 0;
  for (let at = 0; at <= bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === undefined || delimiters.includes(byte)) {
      if (!skipEmpty || at > start) {
        parts.push(bytes.subarray(start, at));
      }
      start = at + 1;
    }
  }
  return parts;
}

const isSpace = (byte: number | undefined) => byte === 32 || (byte !== undefined && byte >= 9 && byte <= 13);

/**
 * Splits at runs of whitespace, like Python's str.split() without a limit. With a limit the remainder is a separate
 * part even if it is empty, and with a limit of 0 nothing is stripped.
 */
function splitAtSpaces(bytes: Uint8Array, maxSplit: number): Uint8Array[] {
  if (maxSplit === 0) {
    return [bytes];
  }
  const parts: Uint8Array[] = [];
  let at = 0;
  const skipSpaces = () => {
    while (at < bytes.length && isSpace(bytes[at])) {
      at += 1;
    }
  };
  for (skipSpaces(); at < bytes.length; skipSpaces()) {
    if (maxSplit > 0 && parts.length === maxSplit) {
      break;
    }
    const start = at;
    while (at < bytes.length && !isSpace(bytes[at])) {
      at += 1;
    }
    parts.push(bytes.subarray(start, at));
  }
  return maxSplit > 0 && parts.length === maxSplit ? [...parts, bytes.subarray(at)] : parts;
}

/** Splits at a separator, like Python's str.split(separator). */
function splitAt(bytes: Uint8Array, separator: Uint8Array, maxSplit: number): Uint8Array[] {
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const parts: Uint8Array[] = [];
  let start = 0;
  while (maxSplit < 0 || parts.length < maxSplit) {
    const found = whole.indexOf(separator, start);
    if (found < 0) {
      break;
    }
    parts.push(bytes.subarray(start, found));
    start = found + separator.length;
  }
  return [...parts, bytes.subarray(start)];
}

function inputRows(input: Tensor): readonly Uint8Array[] {
  if (input.shape.length !== 1) {
    throw invalidArgument(`input must be a vector, got shape: ${cppShapeText(input.shape)}`);
  }
  return stringsOf(input);
}

/** For words of two or three bytes, each of which becomes a string. */
const NANOS_PER_BYTE = 150;
/** Each byte is compared with the delimiters. */
const NANOS_PER_DELIMITER = 1;
/** For splits into single bytes. */
const NANOS_PER_SINGLE_BYTE = 1500;
/** For the list of words of each text. */
const NANOS_PER_TEXT = 1200;

function splitCost(input: Tensor, nanosPerByte: number): number {
  return input.byteLength * nanosPerByte + input.size * NANOS_PER_TEXT;
}

/** Ops that split strings. */
export const splitKernels: readonly PureKernelDefinition[] = [
  pureKernel(
    "StringSplit",
    (node) => {
      const skipEmpty = node.bool("skip_empty");
      return (inputs) => {
        const delimiter = inputAt(inputs, 1);
        const rows = inputRows(inputAt(inputs, 0));
        if (delimiter.shape.length > 1 || (delimiter.shape.length === 1 && delimiter.size !== 1)) {
          throw invalidArgument(`delimiter must be a scalar, got shape: ${cppShapeText(delimiter.shape)}`);
        }
        const delimiters = stringsOf(delimiter)[0] ?? new Uint8Array(0);
        return sparseRows(rows.map((bytes) => splitAtAny(bytes, delimiters, skipEmpty)));
      };
    },
    {
      types: noTypes,
      cost: (_, inputs) =>
        splitCost(
          inputAt(inputs, 0),
          inputAt(inputs, 1).byteLength === 0
            ? NANOS_PER_SINGLE_BYTE
            : NANOS_PER_BYTE + inputAt(inputs, 1).byteLength * NANOS_PER_DELIMITER,
        ),
    },
  ),
  pureKernel(
    "StringSplitV2",
    (node) => {
      const maxSplit = node.int("maxsplit");
      return (inputs) => {
        const separator = inputAt(inputs, 1);
        const rows = inputRows(inputAt(inputs, 0));
        if (separator.shape.length !== 0) {
          throw invalidArgument(`sep must be a scalar, got shape: ${cppShapeText(separator.shape)}`);
        }
        const bytes = stringsOf(separator)[0] ?? new Uint8Array(0);
        return sparseRows(
          rows.map((row) =>
            bytes.length === 0 ? splitAtSpaces(row, maxSplit) : splitAt(row, bytes, maxSplit),
          ),
        );
      };
    },
    { types: noTypes, cost: (_, inputs) => splitCost(inputAt(inputs, 0), NANOS_PER_BYTE) },
  ),
];
