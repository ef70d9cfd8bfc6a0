import { type DType, dtypeKind, integerRange } from "../../../../protocol/dtype.js";
import { numberFromBits } from "../../../../protocol/small-float.js";
import { invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import { isByteList, type TensorData } from "../../../../protocol/tensor-data.js";
import type { PureKernelDefinition } from "../kernel.js";
import type { KernelNode } from "../kernel-node.js";
import { perElement, pureKernel } from "../support/define.js";
import { dataTypes, isLong } from "../support/dtypes.js";
import { inputAt, newLongs, newNumbers, stringsOf } from "../support/elements.js";
import { formatFixed, formatGeneral, formatScientific } from "./printf.js";

/** C's default for %f, %e and %g. */
const DEFAULT_PRECISION = 6;

const floatPattern = /^[+-]?(?:\d+\.?\d*(?:e[+-]?\d+)?|\.\d+(?:e[+-]?\d+)?|inf(?:inity)?|nan)$/i;
const hexPattern = /^[+-]?0x[0-9a-f]+$/i;

/** Parses a number as C's strtod does; undefined if the text is not a number. */
function parseFloatText(text: string): number | undefined {
  if (hexPattern.test(text)) {
    return text.startsWith("-") ? -Number(text.slice(1)) : Number(text.replace("+", ""));
  }
  if (!floatPattern.test(text)) {
    return undefined;
  }
  const unsigned = text.replace(/^[+-]/, "").toLowerCase();
  const value = unsigned.startsWith("inf") ? Infinity : unsigned === "nan" ? Number.NaN : Number(unsigned);
  return text.startsWith("-") ? -value : value;
}

/** Parses an integer in the range of a dtype; undefined if the text is not one. */
function parseIntText(text: string, dtype: DType): bigint | undefined {
  const range = integerRange(dtype);
  if (range === undefined || !/^[+-]?\d+$/.test(text)) {
    return undefined;
  }
  const value = BigInt(text.replace("+", ""));
  return value < range.min || value > range.max ? undefined : value;
}

/** Parses a number, ignoring surrounding whitespace. @throws TensorFlowError INVALID_ARGUMENT */
export function parseNumber(bytes: Uint8Array, dtype: DType): number | bigint {
  const text = Buffer.from(bytes)
    .toString("latin1")
    .replace(/^[\t-\r ]+|[\t-\r ]+$/g, "");
  const value = dtypeKind(dtype) === "float" ? parseFloatText(text) : parseIntText(text, dtype);
  if (value === undefined) {
    throw invalidArgument(
      `StringToNumberOp could not correctly convert string: ${Buffer.from(bytes).toString("utf8")}`,
    );
  }
  return value;
}

function stringToNumber(node: KernelNode, input: Tensor): Tensor {
  const dtype = node.type("out_type");
  const strings = stringsOf(input);
  if (isLong(dtype)) {
    const longs = newLongs(dtype, input.shape);
    for (const [index, bytes] of strings.entries()) {
      longs[index] = BigInt(parseNumber(bytes, dtype));
    }
    return new Tensor(dtype, input.shape, longs);
  }
  const numbers = newNumbers(dtype, input.shape);
  for (const [index, bytes] of strings.entries()) {
    numbers[index] = Number(parseNumber(bytes, dtype));
  }
  return new Tensor(dtype, input.shape, numbers);
}

/** How a printf directive writes one number: "%<fill><width>.<precision><letter>". */
interface Directive {
  readonly precision: number;
  readonly letter: "f" | "e" | "g";
  /** "", " ", "0", "-" or "+". */
  readonly fill: string;
  readonly width: number;
}

/** @throws TensorFlowError INVALID_ARGUMENT for attributes that do not fit the dtype or each other. */
function directiveOf(node: KernelNode): Directive {
  const dtype = node.type("T");
  const precision = node.int("precision");
  const scientific = node.bool("scientific");
  const shortest = node.bool("shortest");
  const fill = node.string("fill");
  const kind = dtypeKind(dtype);
  if (kind !== "float" && kind !== "bits" && kind !== "complex") {
    if (scientific || shortest) {
      throw invalidArgument(`scientific and shortest format not supported for datatype ${dtype}`);
    }
    if (precision >= 0) {
      throw invalidArgument(`precision not supported for datatype ${dtype}`);
    }
  }
  if (fill.length > 1) {
    throw invalidArgument("Fill string must be one or fewer characters");
  }
  if (scientific && shortest) {
    throw invalidArgument("Cannot select both scientific and shortest notation");
  }
  if (fill !== "" && !" +-0#".includes(fill)) {
    throw invalidArgument(`Fill argument not supported: ${fill}`);
  }
  if (Math.max(precision, node.int("width")) > MAX_TEXT_LENGTH) {
    throw invalidArgument(`precision and width must be at most ${MAX_TEXT_LENGTH}`);
  }
  const letter = shortest ? "g" : scientific ? "e" : "f";
  return { precision, letter, fill, width: node.int("width") };
}

/** The maximum width and precision: a billion blanks per number would exhaust the memory. */
const MAX_TEXT_LENGTH = 65_536;

/** @param hasSign whether the type of the number is signed; other types never get a "+" or a blank. */
function padded(text: string, { fill, width }: Directive, hasSign = true): string {
  const signed = hasSign && width > -1 && !text.startsWith("-") && (fill === "+" || fill === " ");
  const full = signed ? `${fill}${text}` : text;
  if (full.length >= width) {
    return full;
  }
  if (fill === "-") {
    return full.padEnd(width);
  }
  if (fill === "0" && !/inf|nan/.test(full)) {
    const sign = full.startsWith("-") ? "-" : "";
    return sign + full.slice(sign.length).padStart(width - sign.length, "0");
  }
  return full.padStart(width);
}

function realText(value: number, directive: Directive): string {
  const precision = directive.precision < 0 ? DEFAULT_PRECISION : directive.precision;
  const format = { f: formatFixed, e: formatScientific, g: formatGeneral }[directive.letter];
  return padded(format(value, precision), directive);
}

function elementText(dtype: DType, data: TensorData, index: number, directive: Directive): Uint8Array {
  if (isByteList(data)) {
    const bytes = data[index] ?? new Uint8Array(0);
    const { width, fill } = directive;
    if (bytes.length >= width) {
      return bytes;
    }
    const spaces = Buffer.alloc(width - bytes.length, " ");
    return Buffer.concat(fill === "-" ? [bytes, spaces] : [spaces, bytes]);
  }
  const value = data[index] ?? 0;
  switch (dtypeKind(dtype)) {
    case "bool":
      return Buffer.from(value === 1 ? "true" : "false");
    case "float":
      return Buffer.from(realText(Number(value), directive));
    case "bits":
      return Buffer.from(realText(numberFromBits(dtype, Number(value)), directive));
    case "complex": {
      const parts = [data[2 * index], data[2 * index + 1]].map((part) => realText(Number(part), directive));
      return Buffer.from(`(${parts.join(",")})`);
    }
    default:
      return Buffer.from(padded(String(value), directive, integerRange(dtype)?.min !== 0n));
  }
}

/** Converts numbers to text and back. */
export const numberTextKernels: readonly PureKernelDefinition[] = [
  pureKernel("StringToNumber", (node) => (inputs) => [stringToNumber(node, inputAt(inputs, 0))], {
    types: { out_type: ["float32", "float64", "int32", "int64", "uint32", "uint64"] },
  }),
  pureKernel(
    "AsString",
    (node) => {
      const directive = directiveOf(node);
      return (inputs) => {
        const { dtype, shape, data, size } = inputAt(inputs, 0);
        const strings = Array.from({ length: size }, (_, index) =>
          elementText(dtype, data, index, directive),
        );
        return [new Tensor("string", shape, strings)];
      };
    },
    { types: { T: dataTypes }, cost: perElement(2000) },
  ),
];
