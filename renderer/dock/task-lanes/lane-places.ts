/** Pixels of the lanes. */
import type { PlacedItem } from "./lane-layout.js";

const HEAD_WIDTH = 128;
export const ITEM_WIDTH = 120;
export const ITEM_HEIGHT = 40;
const COLUMN = ITEM_WIDTH + 32;
const ROW = ITEM_HEIGHT + 8;
const PADDING = 12;

/** The upper side of each lane, and the lower side of the last one. */
export function laneTops(rows: readonly number[]): readonly number[] {
  const tops = [0];
  for (const count of rows) tops.push((tops.at(-1) ?? 0) + count * ROW - 8 + 2 * PADDING);
  return tops;
}

export function frameOf(
  columns: number,
  rows: readonly number[],
): { readonly width: number; readonly height: number } {
  return { width: HEAD_WIDTH + columns * COLUMN, height: laneTops(rows).at(-1) ?? 0 };
}

/** Where an item lies in its lane. */
export function placeInLane({ column, row }: PlacedItem): { readonly left: number; readonly top: number } {
  return { left: HEAD_WIDTH + column * COLUMN, top: PADDING + row * ROW };
}
