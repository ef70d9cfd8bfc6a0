/**
 * Sizes of drawn nodes in pixels at 100 % zoom. They follow from name, op and number of ports only, never from a value,
 * so a running graph does not move.
 */
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";

export const NODE_MIN_WIDTH = 136;
export const NODE_MAX_WIDTH = 240;
export const NODE_MIN_HEIGHT = 60;
/** Centre of the first data port below the node's top, and the distance to the next. */
export const FIRST_PORT_Y = 31;
export const PORT_PITCH = 20;
/** Centre of the control ports below the node's top. */
export const CONTROL_PORT_Y = 11;

/** A closed scope: its height, and the centre of the port that it has on each side. */
export const BOX_HEIGHT = 60;
export const BOX_PORT_Y = 30;
const BOX_MIN_WIDTH = 104;
const BOX_MAX_WIDTH = 216;
/** Letters of a box's title are larger than those of nodes, to be read from further away. */
const BOX_LETTER = 8.4;
/** Height of the title of an open scope. */
export const FRAME_HEAD = 28;

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

/** @param count what stands beside the title: "×3", or nothing */
export function boxWidth(title: string, count: string): number {
  const wanted = 26 + title.length * BOX_LETTER + (count === "" ? 0 : 12 + count.length * BOX_LETTER);
  return Math.min(BOX_MAX_WIDTH, Math.max(BOX_MIN_WIDTH, Math.ceil(wanted / 8) * 8));
}
