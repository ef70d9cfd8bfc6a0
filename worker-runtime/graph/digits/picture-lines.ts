/** Pictures as lines of text: the digit, then 8 by 8 pixels row by row, from 0 to g (16). */

export const SIDE = 8;
export const PIXELS = SIDE * SIDE;

/** Brightness of a pixel of full strength, 16 in the data set, as an 8-bit image has it. */
export const FULL = 240;
const DATA_FULL = 16;

/** Letters of pixels, by their strength. */
const RADIX = 17;

/** The digit that a line shows. */
export function digitOf(line: string): number {
  return Number(line[0]);
}

/** The picture of a line: 8-bit pixels, row by row. */
export function pixelsOf(line: string): number[] {
  return [...line.slice(1)].map((letter) => (Number.parseInt(letter, RADIX) * FULL) / DATA_FULL);
}
