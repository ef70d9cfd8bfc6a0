import { type DType, dtypeKind } from "../../../../protocol/dtype.js";
import { numberFromBits } from "../../../../protocol/small-float.js";
import type { Tensor } from "../../../../protocol/tensor.js";
import { isByteList } from "../../../../protocol/tensor-data.js";
import type { PausingWork } from "../../pauses.js";
import { doubleText, floatText } from "../string/printf.js";
import { productOf } from "../support/shapes.js";

/** Elements written between two pauses: a few milliseconds' work. */
const ELEMENTS_PER_PAUSE = 1024;

/**
 * A tensor's elements as TensorFlow's Print and Assert show them: "[0 1 2...]...", only the first ones.
 * @param limit how many elements; all if negative.
 */
export function* summarizeFirst(tensor: Tensor, limit: number): PausingWork<string> {
  const { shape, size } = tensor;
  const shown = limit < 0 ? size : Math.min(limit, size);
  const rest = shown < size ? "..." : "";
  if (shape.length === 0) {
    return `${shown > 0 ? elementText(tensor, 0, false) : ""}${rest}`;
  }
  let next = 0;
  function* level(dimension: number): PausingWork<string> {
    const count = shape[dimension] ?? 0;
    let text = "";
    for (let index = 0; index < count && next < size; index += 1) {
      if (next >= shown) {
        // Only within a row: omitted rows are indicated at the end.
        return dimension === shape.length - 1 && dimension !== 0 ? `${text}...` : text;
      }
      if (dimension === shape.length - 1) {
        text += `${index > 0 ? " " : ""}${elementText(tensor, next, false)}`;
        next += 1;
        if (next % ELEMENTS_PER_PAUSE === 0) {
          yield;
        }
      } else {
        text += `[${yield* level(dimension + 1)}]`;
      }
    }
    return text;
  }
  return `${yield* level(0)}${rest}`;
}

/**
 * A tensor's elements as TensorFlow's tf.print shows them: "[0 1 2 ... 7 8 9]", with each row on its own line.
 * @param ends how many elements at both ends of each dimension; all if negative.
 */
export function summarizeEnds(tensor: Tensor, ends: number): string {
  const { dtype, shape, size } = tensor;
  const shown = ends < 0 ? size : Math.min(ends, size);
  if (dtypeKind(dtype) === "complex") {
    return shape.length === 0
      ? "?"
      : `[${new Array<string>(shown).fill("?").join(" ")}${shown < size ? "..." : ""}]`;
  }
  const level = (dimension: number, first: number): string => {
    const count = shape[dimension];
    if (count === undefined) {
      return elementText(tensor, first, true);
    }
    const stride = productOf(shape, dimension + 1);
    const parts: string[] = [];
    for (let index = 0; index < Math.min(shown, count); index += 1) {
      parts.push(level(dimension + 1, first + index * stride));
    }
    if (count > 2 * shown) {
      // A separator precedes the ellipsis even if it comes first.
      parts.push(parts.length === 0 ? `${separator(dimension, shape.length)}...` : "...");
    }
    for (let index = Math.max(shown, count - shown); index < count; index += 1) {
      parts.push(level(dimension + 1, first + index * stride));
    }
    return `[${parts.join(separator(dimension, shape.length))}]`;
  };
  return level(0, 0);
}

function separator(dimension: number, rank: number): string {
  return dimension === rank - 1 ? " " : "\n".repeat(rank - dimension - 1) + " ".repeat(dimension + 1);
}

function elementText({ dtype, data }: Tensor, index: number, quoted: boolean): string {
  if (isByteList(data)) {
    const text = escapeText(data[index] ?? new Uint8Array(0));
    return quoted ? `"${text}"` : text;
  }
  return numberText(dtype, data[index] ?? 0);
}

function numberText(dtype: DType, value: number | bigint): string {
  switch (dtypeKind(dtype)) {
    case "float":
      return dtype === "float64" ? doubleText(Number(value)) : floatText(Number(value));
    case "bits":
      return floatText(numberFromBits(dtype, Number(value)));
    case "complex":
      return "?";
    default:
      return String(value);
  }
}

const escapes: Readonly<Record<number, string>> = {
  9: "\\t",
  10: "\\n",
  13: "\\r",
  34: '\\"',
  39: "\\'",
  92: "\\\\",
};

/** Escapes bytes as in C source, leaving UTF-8 unchanged. */
function escapeText(bytes: Uint8Array): string {
  const escaped: number[] = [];
  for (const byte of bytes) {
    const known = escapes[byte];
    if (known === undefined && byte >= 0x20 && byte !== 0x7f) {
      escaped.push(byte);
    } else {
      escaped.push(...Buffer.from(known ?? `\\${byte.toString(8).padStart(3, "0")}`));
    }
  }
  return Buffer.from(escaped).toString("utf8");
}
