import { invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import type { PureKernelDefinition } from "../kernel.js";
import type { KernelNode } from "../kernel-node.js";
import { checkedSize } from "../support/allocation.js";
import { pureKernel } from "../support/define.js";
import { indexTypes } from "../support/dtypes.js";
import { inputAt, integersOf, integerTensor, stringsOf } from "../support/elements.js";

interface NgramRules {
  readonly separator: Uint8Array;
  readonly left: Uint8Array;
  readonly right: Uint8Array;
  readonly widths: readonly number[];
  /** The number of pads on each side of a sequence; -1 for the n-gram width minus 1. */
  readonly padWidth: number;
  /** Whether a sequence too short for any n-gram becomes a single n-gram. */
  readonly keepShort: boolean;
}

function rulesOf(node: KernelNode): NgramRules {
  const rules = {
    separator: node.bytes("separator"),
    left: node.bytes("left_pad"),
    right: node.bytes("right_pad"),
    widths: node.ints("ngram_widths"),
    padWidth: node.int("pad_width"),
    keepShort: node.bool("preserve_short_sequences"),
  };
  if (rules.keepShort && rules.widths.length === 0 && rules.padWidth < 0) {
    throw invalidArgument(
      `Pad width should be >= 0 when preserve_short_sequences is True and ngram_widths are not provided, got ${rules.padWidth}`,
    );
  }
  return rules;
}

/** The number of pads on each side for a width: no n-gram consists of pads only. */
function padsFor(width: number, { padWidth }: NgramRules): number {
  return padWidth < 0 ? width - 1 : Math.min(padWidth, width - 1);
}

function countFor(length: number, width: number, rules: NgramRules): number {
  return Math.max(0, length + 2 * padsFor(width, rules) - width + 1);
}

/** The number of n-grams of a sequence for all widths, and whether it is the whole sequence. */
function countOf(length: number, rules: NgramRules): { readonly count: number; readonly whole: boolean } {
  const count = rules.widths.reduce((sum, width) => sum + countFor(length, width, rules), 0);
  const whole = count === 0 && rules.keepShort && length > 0;
  return { count: whole ? 1 : count, whole };
}

/** The n-gram that starts at an index of the padded sequence. */
function ngram(
  tokens: readonly Uint8Array[],
  pads: number,
  first: number,
  width: number,
  { separator, left, right }: NgramRules,
): Uint8Array {
  const parts: Uint8Array[] = [];
  for (let i = first; i < first + width; i += 1) {
    if (i > first) {
      parts.push(separator);
    }
    const at = i - pads;
    parts.push(at < 0 ? left : (tokens[at] ?? right));
  }
  return Buffer.concat(parts);
}

function* ngramsOf(tokens: readonly Uint8Array[], rules: NgramRules): Generator<Uint8Array> {
  if (countOf(tokens.length, rules).whole) {
    const pads = Math.max(0, rules.padWidth);
    yield ngram(tokens, pads, 0, tokens.length + 2 * pads, rules);
    return;
  }
  for (const width of rules.widths) {
    const count = countFor(tokens.length, width, rules);
    for (let first = 0; first < count; first += 1) {
      yield ngram(tokens, padsFor(width, rules), first, width, rules);
    }
  }
}

/** @throws TensorFlowError INVALID_ARGUMENT if they do not divide `count` strings. */
function checkSplits(splits: readonly number[], count: number): void {
  if (splits[0] !== 0) {
    throw invalidArgument(`First split value must be 0, got ${splits[0]}`);
  }
  for (const [i, split] of splits.entries()) {
    const before = splits[i - 1] ?? 0;
    if (split < before || split > count) {
      throw invalidArgument(`Invalid split value ${split}, must be in [${before}, ${count}]`);
    }
  }
  if (splits.at(-1) !== count) {
    throw invalidArgument(`Last split value must be data size. Expected ${count}, got ${splits.at(-1)}`);
  }
}

/** The number of tokens and pads in all n-grams; with large widths, far more than in the input. */
function tokensOf(splits: readonly number[], rules: NgramRules): number {
  return rules.widths.reduce(
    (sum, width) =>
      splits.reduce(
        (count, end, i) => count + (i === 0 ? 0 : countFor(end - (splits[i - 1] ?? 0), width, rules) * width),
        sum,
      ),
    (splits.length - 1) * 2 * Math.max(0, rules.padWidth),
  );
}

/** Joins neighbouring strings of each sequence. */
export const ngramKernel: PureKernelDefinition = pureKernel(
  "StringNGrams",
  (node) => {
    const rules = rulesOf(node);
    const splitType = node.type("Tsplits");
    return (inputs) => {
      const data = stringsOf(inputAt(inputs, 0));
      const splits = integersOf(inputAt(inputs, 1));
      if (splits.length === 0) {
        return [inputAt(inputs, 0), integerTensor(splitType, [0], [])];
      }
      checkSplits(splits, data.length);
      const ends = [0];
      for (const [i, end] of splits.slice(1).entries()) {
        ends.push((ends.at(-1) ?? 0) + countOf(end - (splits[i] ?? 0), rules).count);
      }
      checkedSize("string", [ends.at(-1) ?? 0]);
      checkedSize("uint8", [tokensOf(splits, rules)]);
      const ngrams = splits.slice(1).flatMap((end, i) => [...ngramsOf(data.slice(splits[i], end), rules)]);
      return [new Tensor("string", [ngrams.length], ngrams), integerTensor(splitType, [ends.length], ends)];
    };
  },
  {
    types: { Tsplits: indexTypes },
    cost: (node, inputs) =>
      inputAt(inputs, 0).size * node.ints("ngram_widths").reduce((sum, width) => sum + width, 1) * 300,
  },
);
