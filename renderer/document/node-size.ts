/**
 * Sizes of drawn nodes in pixels at 100 % zoom. They follow from name, op and number of ports only, never from a value,
 * so a running graph does not move.
 */
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { nameParts } from "../ui/name-parts.js";

export const NODE_MIN_WIDTH = 136;
export const NODE_MAX_WIDTH = 240;
export const NODE_MIN_HEIGHT = 60;
/** Centre of the first data port below the node's top, and the distance to the next. */
export const FIRST_PORT_Y = 31;
export const PORT_PITCH = 20;
/** Centre of the control ports below the node's top. */
export const CONTROL_PORT_Y = 11;

/** A closed scope: its height with a title of one line, and the centre of the port that it has on each side. */
export const BOX_HEIGHT = 60;
export const BOX_PORT_Y = 30;
const BOX_MIN_WIDTH = 104;
/** A longer title takes several lines. */
const BOX_MAX_WIDTH = 216;
const BOX_MAX_LINES = 3;
/** Borders and padding on both sides of a box's title. */
const BOX_SIDES = 20;
/** Height of a line of a box's title, which is larger than those of nodes, to be read from further away. */
const BOX_LINE = 20;
const BOX_FONT = 15;
/** Height of the title of an open scope. */
export const FRAME_HEAD = 28;
const FRAME_FONT = 19;
/** A longer title is cut off. */
const FRAME_MAX_TITLE = 560;

/** Mean widths of the header's letters in the wide ones of the systems' fonts, in pixels. */
const TITLE_LETTER = 7.6;
const OP_LETTER = 6.4;

/** @param ports the larger of the number of inputs and outputs that are drawn */
export function nodeHeight(ports: number): number {
  return Math.max(NODE_MIN_HEIGHT, PORT_PITCH * ports + PORT_PITCH);
}

export function nodeWidth(title: string, op: string): number {
  const wanted = 26 + title.length * TITLE_LETTER + op.length * OP_LETTER;
  return Math.min(NODE_MAX_WIDTH, Math.max(NODE_MIN_WIDTH, Math.ceil(wanted / 8) * 8));
}

/** Ports that fit the inputs a node has, without knowledge of its op; for layouts. */
export function roughHeight(node: NodeDef): number {
  return nodeHeight(node.input.filter((input) => !input.startsWith("^")).length);
}

export function portY(index: number): number {
  return FIRST_PORT_Y + PORT_PITCH * index;
}

export interface BoxSize {
  readonly width: number;
  readonly height: number;
  /** Lines of its title. */
  readonly lines: number;
}

/**
 * The size of a closed scope: it shows its whole title, in as many lines as that takes.
 *
 * @param count what stands beside the title: "×3", or nothing
 */
export function boxSize(title: string, count: string): BoxSize {
  const reserved = BOX_SIDES + (count === "" ? 0 : 14 + boldWidth(count, 11));
  const wanted = reserved + boldWidth(title, BOX_FONT);
  const width = Math.min(BOX_MAX_WIDTH, Math.max(BOX_MIN_WIDTH, Math.ceil(wanted / 8) * 8));
  const lines = Math.min(BOX_MAX_LINES, linesOf(title, width - reserved));
  return { width, height: BOX_HEIGHT + (lines - 1) * BOX_LINE, lines };
}

/** The width that the frame of an open scope needs for its title, seen from afar, and the button before it. */
export function frameTitleWidth(title: string): number {
  return Math.min(FRAME_MAX_TITLE, 52 + boldWidth(title, FRAME_FONT));
}

/** The lines of a title that is broken between the parts of the name, and within a part that is too long for a line. */
function linesOf(title: string, space: number): number {
  let lines = 1;
  let used = 0;
  for (const part of nameParts(title)) {
    const length = boldWidth(part, BOX_FONT);
    if (used > 0 && used + length > space) {
      lines++;
      used = 0;
    }
    used += length;
    lines += Math.max(0, Math.ceil(used / space) - 1);
    used %= space;
  }
  return lines;
}

/** Widths of bold letters in the widest of the systems' fonts, in parts of the font's size. */
const LETTER_WIDTHS: readonly (readonly [letters: RegExp, width: number])[] = [
  [/[ijlIJ.,:;'|!]/, 0.4],
  [/[-ft r/_()[\]]/, 0.51],
  [/[mwMW@%]/, 1.04],
  [/[A-HK-Z×]/, 0.84],
];
const OTHER_LETTER = 0.72;

/** The width of a bold text in pixels, enough for any of the systems' fonts. */
function boldWidth(text: string, size: number): number {
  let width = 0;
  for (const letter of text) {
    width += LETTER_WIDTHS.find(([letters]) => letters.test(letter))?.[1] ?? OTHER_LETTER;
  }
  return width * size;
}
