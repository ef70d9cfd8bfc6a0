import { shapeText } from "../protocol/shape.js";
import type { Tensor } from "../protocol/tensor.js";

// NumPy's defaults for printing arrays (numpy.set_printoptions).
const THRESHOLD_ELEMENTS = 1000;
const EDGE_ITEMS = 3;
const LINE_WIDTH = 75;

/** Longer texts are truncated in arrays; a single string is printed in full. */
const MAX_ELEMENT_CHARACTERS = 60;

const GAP = -1;

/** The indices along an axis that are shown, with GAP for the omitted ones. */
function places(size: number, truncated: boolean): number[] {
  if (!truncated || size <= 2 * EDGE_ITEMS) return Array.from({ length: size }, (_, i) => i);
  const edge = Array.from({ length: EDGE_ITEMS }, (_, i) => i);
  return [...edge, GAP, ...edge.map((i) => size - EDGE_ITEMS + i)];
}

function textOf(tensor: Tensor, index: number): string {
  const text = tensor.elementText(index);
  if (tensor.dtype !== "string") return text;
  const cut = text.length > MAX_ELEMENT_CHARACTERS ? `${text.slice(0, MAX_ELEMENT_CHARACTERS)}…` : text;
  return JSON.stringify(cut);
}

/** Elements of the innermost axis on lines of at most LINE_WIDTH characters. */
function row(items: readonly string[], indent: number): string {
  const lines: string[] = [];
  let line = "";
  for (const item of items) {
    if (line !== "" && indent + line.length + 1 + item.length > LINE_WIDTH) {
      lines.push(line);
      line = item;
    } else {
      line = line === "" ? item : `${line} ${item}`;
    }
  }
  lines.push(line);
  return `[${lines.join(`\n${" ".repeat(indent)}`)}]`;
}

/** The elements as NumPy lays them out: nested brackets, columns aligned, the middle of large tensors left out. */
export function valuesText(tensor: Tensor): string {
  const { shape } = tensor;
  if (shape.length === 0)
    return tensor.dtype === "string" ? JSON.stringify(tensor.elementText(0)) : tensor.elementText(0);
  const truncated = tensor.size > THRESHOLD_ELEMENTS;
  let width = 0;
  const level = (axis: number, offset: number, visit: (items: string[], axis: number) => string): string => {
    const size = shape[axis] ?? 0;
    const stride = shape.slice(axis + 1).reduce((product, n) => product * n, 1);
    const items = places(size, truncated).map((index) => {
      if (index === GAP) return "...";
      const at = offset + index * stride;
      return axis === shape.length - 1 ? textOf(tensor, at) : level(axis + 1, at, visit);
    });
    return visit(items, axis);
  };
  // Once for the widths, once for the text.
  level(0, 0, (items, axis) => {
    if (axis === shape.length - 1) for (const item of items) width = Math.max(width, item.length);
    return "";
  });
  return level(0, 0, (items, axis) => {
    const indent = axis + 1;
    if (axis === shape.length - 1) {
      const pad = (item: string): string => {
        if (item === "...") return item;
        return tensor.dtype === "string" ? item.padEnd(width) : item.padStart(width);
      };
      return row(items.map(pad), indent).replace(/ +\]$/, "]");
    }
    const between = "\n".repeat(shape.length - axis - 1) + " ".repeat(indent);
    return `[${items.join(between)}]`;
  });
}

/** "z:0  float32 []" and the values below. */
export function tensorText(name: string, tensor: Tensor): string {
  return `${name}  ${tensor.dtype} ${shapeText(tensor.shape)}\n${valuesText(tensor)}\n`;
}

type JsonValue = string | number | boolean | JsonValue[];

/**
 * The values for JSON: nested arrays of numbers, booleans and strings. Values without a JSON number are strings: nan,
 * inf, whole numbers beyond 2^53, complex numbers.
 */
export function jsonValues(tensor: Tensor): JsonValue {
  let next = 0;
  const level = (axis: number): JsonValue => {
    const size = tensor.shape[axis];
    if (size !== undefined) return Array.from({ length: size }, () => level(axis + 1));
    const element = tensor.at(next);
    const text = (): string => tensor.elementText(next);
    let value: JsonValue;
    if (typeof element === "number") {
      // Through its shortest text, so that float32 0.1 is not 0.10000000149011612.
      value = Number.isFinite(element) ? Number(text()) : text();
    } else if (typeof element === "bigint") {
      value = Number.isSafeInteger(Number(element)) ? Number(element) : text();
    } else {
      value = typeof element === "boolean" ? element : text();
    }
    next += 1;
    return value;
  };
  return level(0);
}
