import { numberOfText } from "../../../worker-runtime/protocol/element-text.js";
import type { Digits } from "../../stores/tensor-tabs.js";
import { figureText } from "../../ui/format.js";
import { elementText } from "../tensor-text.js";

/** Digits of the largest element that a cell shows. */
const DIGITS = 4;

/**
 * An element in a cell: rounded for reading, unless all of its digits are wanted. Whole numbers stay as they are.
 *
 * @param largest the largest absolute value around it, by which all get the same number of decimals
 */
export function cellText(dtype: string, value: string, digits: Digits, largest?: number): string {
  if (digits === "all" || !/float/.test(dtype)) return elementText(dtype, value);
  const number = numberOfText(value);
  if (!Number.isFinite(number)) return value;
  if (digits !== "auto") return number.toFixed(digits);
  if (largest === undefined || !(largest >= 1e-3 && largest < 1e6)) return figureText(number);
  return number.toFixed(Math.max(0, DIGITS - Math.ceil(Math.log10(largest))));
}

/** The strongest tint, in percent, at which digits on it stay readable. */
const MOST_TINT = 38;

/** How strongly a cell is tinted, in percent, with the sign of its value; 0 if it has none. */
export function tintOf(value: number, largest: number): number {
  if (!Number.isFinite(value) || !(largest > 0)) return 0;
  return Math.round(Math.max(-1, Math.min(1, value / largest)) * MOST_TINT);
}
