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

/** Nanoseconds of a string, of a byte of it, and of a byte for each one of the pattern: so many ways to match there may be. */
const NANOSECONDS_PER_STRING = 2000;
const NANOSECONDS_PER_BYTE = 200;
const NANOSECONDS_PER_STEP = 50;

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** A string's code points; bytes that are no UTF-8 as a code point each. */
interface Text {
  readonly codePoints: readonly number[];
  bytesOf(text: string): Uint8Array;
}

function textOf(bytes: Uint8Array): Text {
  try {
    const text = strict.decode(bytes);
    return {
      codePoints: Array.from(text, (one) => one.codePointAt(0) ?? 0),
      bytesOf: (result) => Buffer.from(result),
    };
  } catch {
    return { codePoints: [...bytes], bytesOf: (result) => Buffer.from(result, "latin1") };
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

/** Literal text, or the number of a group to put in. */
type RewritePart = string | number;

/** What a match is replaced by. */
interface Rewrite {
  readonly parts: readonly RewritePart[];
  /** The highest group that it names. */
  readonly groups: number;
  /** False where it ends at an escape that means nothing. */
  readonly complete: boolean;
}

/** Parses "\\1 and \\\\": groups by one digit. */
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
  const { codePoints, bytesOf } = textOf(bytes);
  const slice = (from: number, to: number) =>
    codePoints
      .slice(from, to)
      .map((one) => String.fromCodePoint(one))
      .join("");
  let result = "";
  let done = 0;
  let lastEnd = -1;
  for (let from = 0; from <= codePoints.length; ) {
    const match = regex.find(codePoints, from);
    if (match === undefined) {
      break;
    }
    const [start = 0, end = 0] = match;
    // Nothing is not found right after a match, as in RE2.
    if (start === end && start === lastEnd) {
      from = end + 1;
      continue;
    }
    result += slice(done, start);
    for (const part of rewrite) {
      result += typeof part === "string" ? part : slice(match[2 * part] ?? 0, match[2 * part + 1] ?? 0);
    }
    done = end;
    lastEnd = end;
    from = start === end ? end + 1 : end;
    if (!all) {
      break;
    }
  }
  return lastEnd < 0 ? bytes : bytesOf(result + slice(done, codePoints.length));
}

function replaceAll(input: Tensor, regex: Regex, rewrite: string, all: boolean): Tensor {
  const { parts, groups, complete } = parseRewrite(rewrite);
  // TensorFlow only logs a rewrite that is none; what RE2 then does is done here, too.
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
