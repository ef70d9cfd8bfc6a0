/** Between literals and TensorProto, for the value of a Const and other tensor attributes. */
import { TensorProto } from "../../protos/generated/tensorflow/tensor.js";
import type { DataType } from "../../protos/generated/tensorflow/types.js";
import {
  type DType,
  dataTypeOf,
  dtypeKind,
  dtypeOf,
  integerRange,
} from "../../worker-runtime/protocol/dtype.js";
import { Tensor, tensorFromProto, tensorToProto } from "../../worker-runtime/protocol/tensor.js";
import { texts } from "../texts/texts.js";
import { type Leaf, type Literal, LiteralError, parseLiteral } from "./literal.js";

const words = texts.document.values;

type Nested = number | bigint | boolean | string | readonly Nested[];

/**
 * The tensor that a literal stands for in a dtype.
 * @throws LiteralError when the text cannot be read or a value does not fit the dtype
 */
export function tensorOfText(text: string, dtype: DType): TensorProto {
  const kind = dtypeKind(dtype);
  if (kind === "opaque") throw new LiteralError(words.opaque({ dtype }));
  const bare = kind === "string" && !/^\s*[["'(]/.test(text);
  const literal = bare ? { shape: [], leaves: [{ text, quoted: true }] } : parseLiteral(text);
  if (kind === "complex") return complexTensor(literal, dtype);
  const values = literal.leaves.map((leaf) => scalar(leaf, dtype));
  return tensorToProto(Tensor.of(nest(values, literal.shape), dtype, literal.shape));
}

function scalar(leaf: Leaf, dtype: DType): number | bigint | boolean | string {
  const kind = dtypeKind(dtype);
  if (kind === "string") return leaf.text;
  if (leaf.quoted) throw new LiteralError(words.quoted({ text: leaf.text, dtype }));
  if (kind === "bool") {
    if (/^(true|1)$/i.test(leaf.text)) return true;
    if (/^(false|0)$/i.test(leaf.text)) return false;
    throw new LiteralError(words.noBool({ text: leaf.text }));
  }
  const range = integerRange(dtype);
  if (!range) return decimal(leaf.text, dtype);
  const value = integer(leaf.text, dtype);
  if (value < range.min || value > range.max) {
    throw new LiteralError(
      words.outOfRange({ text: leaf.text, dtype, min: String(range.min), max: String(range.max) }),
    );
  }
  return kind === "long" ? value : Number(value);
}

function integer(text: string, dtype: DType): bigint {
  const plain = text.replaceAll("_", "");
  if (/^[+-]?\d+$/.test(plain)) return BigInt(plain.replace("+", ""));
  if (/^0x[0-9a-f]+$/i.test(plain)) return BigInt(plain);
  const value = Number(plain);
  if (plain !== "" && Number.isSafeInteger(value)) return BigInt(value);
  throw new LiteralError(words.noInteger({ text, dtype }));
}

function decimal(text: string, dtype: DType): number {
  const plain = text.replaceAll("_", "");
  const infinity = /^([+-]?)inf(inity)?$/i.exec(plain);
  if (infinity) return infinity[1] === "-" ? -Infinity : Infinity;
  if (/^nan$/i.test(plain)) return Number.NaN;
  const value = Number(plain);
  if (plain === "" || Number.isNaN(value)) throw new LiteralError(words.noNumber({ text, dtype }));
  return value;
}

/** "1+2j", "3j", "4". */
const COMPLEX =
  /^([+-]?(?:[\d.]+(?:e[+-]?\d+)?|inf|nan)(?![jd.]))?(?:([+-]?(?:[\d.]+(?:e[+-]?\d+)?|inf|nan)?)j)?$/i;

function complexTensor(literal: Literal, dtype: DType): TensorProto {
  const parts = literal.leaves.flatMap((leaf) => {
    const match = COMPLEX.exec(leaf.text.replaceAll(" ", ""));
    if (!match || (match[1] === undefined && match[2] === undefined)) {
      throw new LiteralError(words.noComplex({ text: leaf.text }));
    }
    const imaginary = match[2] === "" || match[2] === "+" ? "1" : match[2] === "-" ? "-1" : (match[2] ?? "0");
    return [decimal(match[1] ?? "0", dtype), decimal(imaginary, dtype)];
  });
  const shape = { dim: literal.shape.map((size) => ({ size: BigInt(size), name: "" })), unknownRank: false };
  const values = dtype === "complex64" ? { scomplexVal: parts } : { dcomplexVal: parts };
  return TensorProto.fromPartial({ dtype: dataTypeOf(dtype), tensorShape: shape, ...values });
}

function nest(values: readonly Nested[], shape: readonly number[]): Nested {
  const [first, ...rest] = shape;
  if (first === undefined) return values[0] ?? 0;
  const size = rest.reduce((product, length) => product * length, 1);
  return Array.from({ length: first }, (_, row) => nest(values.slice(row * size, (row + 1) * size), rest));
}

/** Elements beyond this are not written out as a literal; the value is then shown by its shape alone. */
export const MAX_LITERAL_ELEMENTS = 1_000;

/** The literal of a tensor; undefined when it is too large to be edited as text or cannot be read. */
export function textOfTensor(proto: TensorProto): string | undefined {
  try {
    const tensor = tensorFromProto(proto);
    if (tensor.size > MAX_LITERAL_ELEMENTS) return undefined;
    const text = (index: number) => {
      const element = tensor.elementText(index);
      return tensor.dtype === "string" && !/^(["']).*\1$/s.test(element) ? JSON.stringify(element) : element;
    };
    let next = 0;
    const write = (depth: number): string => {
      const length = tensor.shape[depth];
      if (length === undefined) return text(next++);
      return `[${Array.from({ length }, () => write(depth + 1)).join(", ")}]`;
    };
    return write(0);
  } catch {
    return undefined;
  }
}

/** The same value in another dtype if possible, otherwise zero. */
export function convertTensor(proto: TensorProto, dataType: DataType): TensorProto {
  const dtype = dtypeOf(dataType);
  const text = textOfTensor(proto);
  for (const attempt of [text, text?.replace(/(\d)\.0+(?=\D|$)/g, "$1"), defaultText(dtype)]) {
    if (attempt === undefined) continue;
    try {
      return tensorOfText(attempt, dtype);
    } catch {
      // The next attempt is less exact but fits more dtypes.
    }
  }
  return TensorProto.fromPartial({ dtype: dataType, tensorShape: { dim: [], unknownRank: false } });
}

export function defaultText(dtype: DType): string {
  const kind = dtypeKind(dtype);
  if (kind === "string") return '""';
  return kind === "bool" ? "false" : "0";
}
