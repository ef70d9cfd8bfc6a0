import { invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import type { PureKernelDefinition } from "../kernel.js";
import type { KernelNode } from "../kernel-node.js";
import { pureKernel } from "../support/define.js";
import { noTypes } from "../support/dtypes.js";
import { inputAt, stringsOf } from "../support/elements.js";
import { cppShapeText } from "../support/shapes.js";
import { Regex } from "./regex/regex.js";
import { RegexSyntaxError } from "./regex/syntax.js";

/** Nanoseconds per string, per byte, and per byte for each byte of the pattern, which bounds the threads per byte. */
const NANOSECONDS_PER_STRING = 2000;
const NANOSECONDS_PER_BYTE = 200;
const NANOSECONDS_PER_STEP = 50;

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Added to a byte that is no valid UTF-8: beyond all code points, so that no pattern matches it, as in RE2. */
const INVALID = 0x110000;

/** A string's code points, and its bytes from one of them to another; none for a group that took no part, at -1. */
interface Text {
  readonly codePoints: readonly number[];
  slice(from: number, to: number): Uint8Array;
}

function textOf(bytes: Uint8Array): Text {
  const codePoints = validCodePoints(bytes) ?? someCodePoints(bytes);
  const offsets = [0];
  let end = 0;
  for (const codePoint of codePoints) {
    end += bytesOf(codePoint);
    offsets.push(end);
  }
  const slice = (from: number, to: number) => bytes.subarray(offsets[from] ?? end, offsets[to] ?? end);
  return { codePoints, slice };
}

/** The bytes of a code point in UTF-8, or of one invalid byte. */
function bytesOf(codePoint: number): number {
  if (codePoint < 0x80 || codePoint >= INVALID) {
    return 1;
  }
  return codePoint < 0x800 ? 2 : codePoint < 0x10000 ? 3 : 4;
}

/** undefined if some bytes are not valid UTF-8. */
function validCodePoints(bytes: Uint8Array): readonly number[] | undefined {
  try {
    return Array.from(strict.decode(bytes), (one) => one.codePointAt(0) ?? 0);
  } catch {
    return undefined;
  }
}

function someCodePoints(bytes: Uint8Array): readonly number[] {
  const codePoints: number[] = [];
  for (let offset = 0; offset < bytes.length; ) {
    const length = lengthOfCodePoint(bytes, offset);
    const valid = length === 0 ? undefined : strict.decode(bytes.subarray(offset, offset + length));
    codePoints.push(valid?.codePointAt(0) ?? INVALID + (bytes[offset] ?? 0));
    offset += Math.max(1, length);
  }
  return codePoints;
}

/** The bytes of the code point at an offset; 0 if they are not valid UTF-8. */
function lengthOfCodePoint(bytes: Uint8Array, offset: number): number {
  const first = bytes[offset] ?? 0;
  if (first < 0x80) {
    return 1;
  }
  const length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  try {
    return length > 0 && strict.decode(bytes.subarray(offset, offset + length)) !== "" ? length : 0;
  } catch {
    return 0;
  }
}

/** @throws TensorFlowError INVALID_ARGUMENT */
function compile(pattern: string): Regex {
  try {
    return new Regex(pattern);
  } catch (error) {
    if (error instanceof RegexSyntaxError) {
      throw invalidArgument(`Invalid pattern: ${pattern}, error: ${error.message}`);
    }
    throw error;
  }
}

/** The text of a scalar pattern or rewrite. @throws TensorFlowError INVALID_ARGUMENT */
function scalarText(tensor: Tensor, what: string): string {
  if (tensor.shape.length !== 0) {
    throw invalidArgument(`${what} must be scalar, but received ${cppShapeText(tensor.shape)}`);
  }
  return Buffer.from(stringsOf(tensor)[0] ?? new Uint8Array(0)).toString("utf8");
}

/** Literal text, or the number of a group to insert. */
type RewritePart = string | number;

/** The replacement of a match. */
interface Rewrite {
  readonly parts: readonly RewritePart[];
  /** The highest group that it refers to. */
  readonly groups: number;
  /** False if it was cut off at an invalid escape. */
  readonly complete: boolean;
}

/** Parses "\\1 and \\\\": groups have one digit. */
function parseRewrite(rewrite: string): Rewrite {
  const parts: RewritePart[] = [];
  let groups = 0;
  for (let at = 0; at < rewrite.length; at += 1) {
    const character = rewrite.charAt(at);
    if (character !== "\\") {
      parts.push(character);
      continue;
    }
    at += 1;
    const escaped = rewrite.charAt(at);
    if (/\d/.test(escaped)) {
      groups = Math.max(groups, Number(escaped));
      parts.push(Number(escaped));
    } else if (escaped === "\\") {
      parts.push("\\");
    } else {
      return { parts, groups, complete: false };
    }
  }
  return { parts, groups, complete: true };
}

function replace(bytes: Uint8Array, regex: Regex, rewrite: readonly RewritePart[], all: boolean): Uint8Array {
  const { codePoints, slice } = textOf(bytes);
  const result: Uint8Array[] = [];
  let done = 0;
  let lastEnd = -1;
  for (let from = 0; from <= codePoints.length; ) {
    const match = regex.find(codePoints, from);
    if (match === undefined) {
      break;
    }
    const [start = 0, end = 0] = match;
    // An empty match right after a match is skipped, as in RE2.
    if (start === end && start === lastEnd) {
      from = end + 1;
      continue;
    }
    result.push(slice(done, start));
    for (const part of rewrite) {
      result.push(
        typeof part === "string" ? Buffer.from(part) : slice(match[2 * part] ?? 0, match[2 * part + 1] ?? 0),
      );
    }
    done = end;
    lastEnd = end;
    from = start === end ? end + 1 : end;
    if (!all) {
      break;
    }
  }
  return lastEnd < 0 ? bytes : Buffer.concat([...result, slice(done, codePoints.length)]);
}

function replaceAll(input: Tensor, regex: Regex, rewrite: string, all: boolean): Tensor {
  const { parts, groups, complete } = parseRewrite(rewrite);
  // TensorFlow only logs an invalid rewrite; this does what RE2 then does.
  if (groups > regex.groups || (!complete && !all)) {
    return input;
  }
  return new Tensor(
    "string",
    input.shape,
    stringsOf(input).map((bytes) => replace(bytes, regex, parts, all)),
  );
}

function fullMatch(input: Tensor, regex: Regex): Tensor {
  return new Tensor(
    "bool",
    input.shape,
    Uint8Array.from(stringsOf(input), (bytes) => Number(regex.matchesWhole(textOf(bytes).codePoints))),
  );
}

/** @param pattern its length in bytes. */
function matchingCost(input: Tensor, pattern: number): number {
  const perByte = NANOSECONDS_PER_BYTE + pattern * NANOSECONDS_PER_STEP;
  return input.size * NANOSECONDS_PER_STRING + input.byteLength * perByte;
}

const fromInput = {
  types: noTypes,
  cost: (_: KernelNode, inputs: readonly Tensor[]) =>
    matchingCost(inputAt(inputs, 0), inputAt(inputs, 1).byteLength),
};
const fromAttribute = {
  types: noTypes,
  cost: (node: KernelNode, inputs: readonly Tensor[]) =>
    matchingCost(inputAt(inputs, 0), node.bytes("pattern").length),
};

/** Regular expressions in RE2's syntax. */
export const regexKernels: readonly PureKernelDefinition[] = [
  pureKernel(
    "RegexReplace",
    (node) => (inputs) => [
      replaceAll(
        inputAt(inputs, 0),
        compile(scalarText(inputAt(inputs, 1), "Pattern")),
        scalarText(inputAt(inputs, 2), "Rewrite"),
        node.bool("replace_global"),
      ),
    ],
    fromInput,
  ),
  pureKernel(
    "StaticRegexReplace",
    (node) => {
      const regex = compile(node.string("pattern"));
      return (inputs) => [
        replaceAll(inputAt(inputs, 0), regex, node.string("rewrite"), node.bool("replace_global")),
      ];
    },
    fromAttribute,
  ),
  pureKernel(
    "RegexFullMatch",
    () => (inputs) => [fullMatch(inputAt(inputs, 0), compile(scalarText(inputAt(inputs, 1), "Pattern")))],
    fromInput,
  ),
  pureKernel(
    "StaticRegexFullMatch",
    (node) => {
      const regex = compile(node.string("pattern"));
      return (inputs) => [fullMatch(inputAt(inputs, 0), regex)];
    },
    fromAttribute,
  ),
];
