import type { TensorPreview } from "../../main/api/runs.js";
import { texts } from "../texts/texts.js";

const words = texts.dock.tensorText;

/** Elements shown in a row of the results table. */
const ROW_ELEMENTS = 12;

/** A tensor's first elements in one line: "11.0", "[1, 2, 3, … 997 more]". */
export function previewText(tensor: TensorPreview): string {
  if (tensor.shape.length === 0) return elementText(tensor.dtype, tensor.values[0] ?? "");
  const shown = tensor.values.slice(0, ROW_ELEMENTS).map((value) => elementText(tensor.dtype, value));
  const more = tensor.elementCount - shown.length;
  if (more > 0) shown.push(words.more({ count: more }));
  return `[${shown.join(", ")}]`;
}

const ESCAPES: Readonly<Record<string, string>> = { '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/**
 * An element as the window writes it: a string in quotes and on one line. Bytes that are no UTF-8 come written as
 * "\xff", so backslashes stay unchanged.
 */
export function elementText(dtype: string, value: string): string {
  return dtype === "string" ? `"${value.replace(/["\n\r\t]/g, (char) => ESCAPES[char] ?? char)}"` : value;
}
