import { invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import type { PureKernelDefinition } from "../kernel.js";
import { costOfReading } from "../kernel-cost.js";
import type { KernelNode } from "../kernel-node.js";
import { pureKernel } from "../support/define.js";
import { indexTypes, noTypes } from "../support/dtypes.js";
import { inputAt, integersOf, integerTensor, newLongs, newNumbers, stringsOf } from "../support/elements.js";
import { type Decoder, decoderOf, encoderOf, isCharacter } from "./unicode-text.js";

/** How invalid bytes or numbers are handled: dropped, replaced, or reported as an error. */
interface ErrorRules {
  readonly errors: string;
  readonly replacement: number;
  /** Whether the characters 0 to 31 count as errors. */
  readonly controls: boolean;
}

function rulesOf(node: KernelNode): ErrorRules {
  return {
    errors: node.string("errors"),
    replacement: node.int("replacement_char"),
    controls: node.has("replace_control_characters") && node.bool("replace_control_characters"),
  };
}

/** The last of the control characters that may be replaced. */
const LAST_CONTROL = 0x1f;

/**
 * Decodes the characters of a text according to the rules. Strict rules replace control characters; with
 * `strictOnControls`, these are also errors.
 * @throws TensorFlowError INVALID_ARGUMENT if the rules are strict.
 */
function decode(
  bytes: Uint8Array,
  decoder: Decoder,
  { errors, replacement, controls }: ErrorRules,
  strictOnControls: boolean,
  take: (code: number, start: number) => void,
): void {
  decoder(bytes, (code, start, valid) => {
    if (valid && !(controls && code <= LAST_CONTROL)) {
      take(code, start);
      return;
    }
    if (errors === "strict") {
      if (valid && !strictOnControls) {
        take(replacement, start);
        return;
      }
      throw invalidArgument("Invalid formatting on input string");
    }
    if (errors === "replace") {
      take(replacement, start);
    }
  });
}

function decodeKernel(op: string, withOffsets: boolean): PureKernelDefinition {
  return pureKernel(
    op,
    (node) => {
      const decoder = decoderOf(node.string("input_encoding"));
      const rules = rulesOf(node);
      const splitType = node.type("Tsplits");
      return (inputs) => {
        const texts = stringsOf(inputAt(inputs, 0));
        const splits = [0];
        let count = 0;
        for (const bytes of texts) {
          decode(bytes, decoder, rules, false, () => {
            count += 1;
          });
          splits.push(count);
        }
        const codes = newNumbers("int32", [count]);
        const starts = newLongs("int64", [withOffsets ? count : 0]);
        let at = 0;
        for (const bytes of texts) {
          decode(bytes, decoder, rules, false, (code, start) => {
            codes[at] = code;
            if (withOffsets) {
              starts[at] = BigInt(start);
            }
            at += 1;
          });
        }
        const outputs = [
          integerTensor(splitType, [splits.length], splits),
          new Tensor("int32", [count], codes),
        ];
        return withOffsets ? [...outputs, new Tensor("int64", [count], starts)] : outputs;
      };
    },
    { types: { Tsplits: indexTypes }, cost: (_, inputs) => 10 * costOfReading(inputs) },
  );
}

const transcodeKernel = pureKernel(
  "UnicodeTranscode",
  (node) => {
    const decoder = decoderOf(node.string("input_encoding"));
    const encoder = encoderOf(node.string("output_encoding"));
    const rules = rulesOf(node);
    return (inputs) => {
      const input = inputAt(inputs, 0);
      const texts = stringsOf(input).map((bytes) => {
        const codes: number[] = [];
        decode(bytes, decoder, rules, true, (code) => codes.push(code));
        return encoder(codes);
      });
      return [new Tensor("string", input.shape, texts)];
    };
  },
  { types: noTypes, cost: (_, inputs) => 10 * costOfReading(inputs) },
);

/** @throws TensorFlowError INVALID_ARGUMENT if they do not divide `count` numbers. */
function checkSplits(splits: readonly number[], count: number): void {
  if (splits.length === 0) {
    throw invalidArgument("Input_splits should contain elements, but given input_values has 0 elements");
  }
  if (splits[0] !== 0) {
    throw invalidArgument("First value in input_splits must be zero.");
  }
  if (splits.at(-1) !== count) {
    throw invalidArgument("Last value in input_splits must be equal to length of input_tensor.");
  }
  if (splits.some((split, i) => i > 0 && split < (splits[i - 1] ?? 0))) {
    throw invalidArgument("Values in input_splits must be equal or in ascending order.");
  }
}

const encodeKernel = pureKernel(
  "UnicodeEncode",
  (node) => {
    const encoder = encoderOf(node.string("output_encoding"));
    const { errors, replacement } = rulesOf(node);
    const checked = (code: number): readonly number[] => {
      if (isCharacter(code)) {
        return [code];
      }
      if (errors === "strict") {
        throw invalidArgument("Code point is out of range for Unicode, or is a surrogate.");
      }
      return errors === "replace" ? [replacement] : [];
    };
    return (inputs) => {
      const codes = integersOf(inputAt(inputs, 0));
      const splits = integersOf(inputAt(inputs, 1));
      checkSplits(splits, codes.length);
      const texts = splits.slice(1).map((end, i) => encoder(codes.slice(splits[i], end).flatMap(checked)));
      return [new Tensor("string", [texts.length], texts)];
    };
  },
  { types: { Tsplits: indexTypes }, cost: (_, inputs) => 10 * costOfReading(inputs) },
);

/** Converts text to code points and back. */
export const unicodeKernels: readonly PureKernelDefinition[] = [
  decodeKernel("UnicodeDecode", false),
  decodeKernel("UnicodeDecodeWithOffsets", true),
  transcodeKernel,
  encodeKernel,
];
