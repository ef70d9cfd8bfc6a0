import type { TensorPreview } from "../../main/api/runs.js";
import { numberText } from "../ui/format.js";

/** Elements shown in a row of the results table. */
const ROW_ELEMENTS = 12;

/** A tensor's first elements in one line: "11.0", "[1, 2, 3, … 997 more]". */
export function previewText(tensor: TensorPreview): string {
  if (tensor.shape.length === 0) return elementText(tensor.dtype, tensor.values[0] ?? "");
  const shown = tensor.values.slice(0, ROW_ELEMENTS).map((value) => elementText(tensor.dtype, value));
  const more = tensor.elementCount - shown.length;
  if (more > 0) shown.push(`… ${numberText(more)} more`);
  return `[${shown.join(", ")}]`;
}

const ESCAPES: Readonly<Record<string, string>> = { '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/**
 * An element as the window writes it: a string in quotes and on one line. Bytes that are no UTF-8 come written as
 * "\xff", so that backslashes stay as they are.
 */
export function elementText(dtype: string, value: string): string {
  return dtype === "string" ? `"${value.replace(/["\n\r\t]/g, (char) => ESCAPES[char] ?? char)}"` : value;
}

/** A tensor as a grid: its last dimension runs across, all others down. */
export interface GridShape {
  readonly rows: number;
  readonly columns: number;
}

export function gridShape(shape: readonly number[]): GridShape {
  const columns = shape.at(-1) ?? 1;
  const rows = shape.slice(0, -1).reduce((product, size) => product * size, 1);
  // A vector is easier to read downwards once it is long.
  if (shape.length === 1 && columns > 16) return { rows: Math.ceil(columns / 10), columns: 10 };
  return { rows, columns };
}

/** The indices before the last one of a row: "[2,1,:]" for row 9 of shape [3,4,8]; its first index for a vector. */
export function rowLabel(shape: readonly number[], row: number, columns: number): string {
  if (shape.length <= 1) return String(row * columns);
  const outer = shape.slice(0, -1);
  const indices: number[] = [];
  let rest = row;
  for (const size of outer.toReversed()) {
    indices.unshift(rest % size);
    rest = Math.floor(rest / size);
  }
  return indices.join(",");
}

/** Part of a tensor's rows, [from, to). */
export interface RowSlice {
  readonly from: number;
  readonly to: number;
}

/**
 * The rows that a slice text selects, in Python's manner for the first dimension: "5", "2:8", ":100", "". Undefined
 * where the text is not a slice or selects nothing.
 */
export function parseRowSlice(text: string, rows: number): RowSlice | undefined {
  const inner = text.trim().replace(/^\[/, "").replace(/\]$/, "").trim();
  if (inner === "" || inner === ":") return { from: 0, to: rows };
  const match = /^(-?\d+)?(:)?(-?\d+)?$/.exec(inner.replaceAll(" ", ""));
  if (match === null) return undefined;
  const [, first, colon, second] = match;
  const at = (value: string) => (Number(value) < 0 ? rows + Number(value) : Number(value));
  const from = first === undefined ? 0 : at(first);
  const to = colon === undefined ? from + 1 : second === undefined ? rows : at(second);
  const slice = { from: Math.max(0, from), to: Math.min(rows, to) };
  return slice.from < slice.to ? slice : undefined;
}
