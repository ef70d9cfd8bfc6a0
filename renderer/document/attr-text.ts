/** Attribute values as text that a person reads and types. */
import type { AttrValue, AttrValue_ListValue } from "../../protos/generated/tensorflow/attr_value.js";
import type { TensorShapeProto } from "../../protos/generated/tensorflow/tensor_shape.js";
import { stringAttr } from "../../worker-runtime/graph/attr-values.js";
import { dataTypeOf, dtypeName, dtypeOf, isDType } from "../../worker-runtime/protocol/dtype.js";
import { texts } from "../texts/texts.js";
import { LiteralError, parseLiteral } from "./literal.js";
import { shapeText } from "./shapes.js";
import { tensorOfText, textOfTensor } from "./values.js";

const words = texts.document.attrText;

export function protoShape(shape: TensorShapeProto | undefined): readonly number[] | undefined {
  return !shape || shape.unknownRank ? undefined : shape.dim.map(({ size }) => Number(size));
}

/** "unknown" if the rank is unknown. */
export function protoShapeText(shape: TensorShapeProto | undefined): string {
  return shapeText(protoShape(shape)) || "unknown";
}

/** Bytes as text if they are valid UTF-8, otherwise as \x escapes. */
function bytesText(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return [...bytes].map((byte) => `\\x${byte.toString(16).padStart(2, "0")}`).join("");
  }
}

export function attrText(attr: AttrValue | undefined): string {
  const value = attr?.value;
  switch (value?.$case) {
    case undefined:
      return "";
    case "s":
      return bytesText(value.value);
    case "i":
      return String(value.value);
    case "f":
      return floatText(value.value);
    case "b":
      return String(value.value);
    case "type":
      return dtypeName(value.value);
    case "shape":
      return protoShapeText(value.value);
    case "tensor": {
      const text = textOfTensor(value.value);
      return text ?? `${dtypeName(value.value.dtype)} ${protoShapeText(value.value.tensorShape)}`;
    }
    case "list":
      return listText(value.value);
    case "func":
      return value.value.name;
    case "placeholder":
      return `$${value.value}`;
  }
}

function floatText(value: number): string {
  // A float attribute is a float32: seven digits are all it has.
  return Number.isFinite(value) ? String(Number(value.toPrecision(7))) : String(value).toLowerCase();
}

function listText(list: AttrValue_ListValue): string {
  const items = [
    ...list.s.map((bytes) => JSON.stringify(bytesText(bytes))),
    ...list.i.map(String),
    ...list.f.map(floatText),
    ...list.b.map(String),
    ...list.type.map(dtypeName),
    ...list.shape.map(protoShapeText),
    ...list.tensor.map((tensor) => `${dtypeName(tensor.dtype)} ${protoShapeText(tensor.tensorShape)}`),
    ...list.func.map(({ name }) => name),
  ];
  return `[${items.join(", ")}]`;
}

/**
 * The value that a text stands for in an attribute of `type` (OpDef.AttrDef.type).
 * @param previous decides the dtype of a tensor
 * @throws Error with words for the user when the text does not fit
 */
export function parseAttr(type: string, text: string, previous?: AttrValue): AttrValue {
  const trimmed = text.trim();
  switch (type) {
    case "string":
      return stringAttr(text);
    case "int":
      return { value: { $case: "i", value: int64(trimmed) } };
    case "float":
      return { value: { $case: "f", value: float(trimmed) } };
    case "bool":
      return { value: { $case: "b", value: bool(trimmed) } };
    case "type":
      return { value: { $case: "type", value: dataType(trimmed) } };
    case "shape":
      return { value: { $case: "shape", value: parseShape(trimmed) } };
    case "func":
      return {
        value: {
          $case: "func",
          value: {
            name: trimmed,
            attr: previous?.value?.$case === "func" ? previous.value.value.attr : new Map(),
          },
        },
      };
    case "tensor": {
      const dtype = previous?.value?.$case === "tensor" ? dtypeOf(previous.value.value.dtype) : "float32";
      return { value: { $case: "tensor", value: tensorOfText(text, dtype) } };
    }
    default:
      return parseList(type, trimmed);
  }
}

function parseList(type: string, text: string): AttrValue {
  const list: AttrValue_ListValue = { s: [], i: [], f: [], b: [], type: [], shape: [], tensor: [], func: [] };
  const items = type === "list(shape)" ? splitShapes(text) : leaves(text);
  for (const item of items) {
    switch (type) {
      case "list(string)":
        list.s.push(new TextEncoder().encode(item));
        break;
      case "list(int)":
        list.i.push(int64(item));
        break;
      case "list(float)":
        list.f.push(float(item));
        break;
      case "list(bool)":
        list.b.push(bool(item));
        break;
      case "list(type)":
        list.type.push(dataType(item));
        break;
      case "list(shape)":
        list.shape.push(parseShape(item));
        break;
      default:
        throw new LiteralError(words.wrongType({ type }));
    }
  }
  return { value: { $case: "list", value: list } };
}

function leaves(text: string): string[] {
  const bracketed = text.startsWith("[") ? text : `[${text}]`;
  return parseLiteral(bracketed).leaves.map((leaf) => leaf.text);
}

function splitShapes(text: string): string[] {
  const inner = text
    .replace(/^\[(?=\s*\[|\s*unknown|\s*\])/, "")
    .replace(/\](?=\s*$)/, (end) => (text.startsWith("[[") || text === "[]" ? "" : end));
  return inner.match(/\[[^\]]*\]|unknown/g) ?? [];
}

/** A text as a message quotes it; nothing may have been typed. */
function wrong(message: (values: { text: string }) => string, text: string): string {
  return text === "" ? words.missing : message({ text });
}

function int64(text: string): bigint {
  if (!/^[+-]?\d+$/.test(text)) throw new LiteralError(wrong(words.noInteger, text));
  const value = BigInt(text.replace("+", ""));
  if (BigInt.asIntN(64, value) !== value) throw new LiteralError(words.tooLarge({ text }));
  return value;
}

function float(text: string): number {
  const named = { inf: Infinity, "+inf": Infinity, "-inf": -Infinity, nan: Number.NaN }[text.toLowerCase()];
  const value = named ?? Number(text);
  if (text === "" || (named === undefined && Number.isNaN(value))) {
    throw new LiteralError(wrong(words.noNumber, text));
  }
  return value;
}

function bool(text: string): boolean {
  if (text === "true" || text === "false") return text === "true";
  throw new LiteralError(wrong(words.noBool, text));
}

function dataType(text: string) {
  if (!isDType(text)) throw new LiteralError(wrong(words.noDtype, text));
  return dataTypeOf(text);
}

/** "[2, 3]", "2,3", "[?, 3]" or "[-1, 3]", "[]" for a scalar, "unknown" for any rank. */
export function parseShape(text: string): TensorShapeProto {
  if (/^(unknown|\?|none)$/i.test(text) || text === "") return { dim: [], unknownRank: true };
  const inner = text.replace(/^[[(]\s*/, "").replace(/\s*[\])]$/, "");
  const sizes = inner === "" ? [] : inner.replace(/,\s*$/, "").split(/\s*,\s*/);
  const dim = sizes.map((size) => {
    if (/^(\?|none|-1)$/i.test(size)) return { size: -1n, name: "" };
    if (!/^\d+$/.test(size))
      throw new LiteralError(size === "" ? words.sizeMissing : words.noSize({ text: size }));
    return { size: BigInt(size), name: "" };
  });
  return { dim, unknownRank: false };
}
