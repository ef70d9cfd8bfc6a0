import type { NodeDef } from "../../../protos/generated/tensorflow/node_def.js";
import { type GraphDocument, MISSING_INPUT, type Point } from "../model.js";
import { nodeWidth, roughHeight } from "../node-size.js";
import { parseInput, renameInput, uniqueName } from "../tensor-names.js";
import { renameColocation } from "./rename.js";
import { type EditResult, edit, nodesText, refused } from "./types.js";

/** Copied nodes. Positions are relative to the top left of them all. */
export interface Clip {
  readonly nodes: readonly NodeDef[];
  readonly offsets: ReadonlyMap<string, Point>;
  readonly origin: Point;
}

export function clipOf(document: GraphDocument, names: ReadonlySet<string>): Clip | undefined {
  const nodes = [...document.nodes.values()].filter(({ name }) => names.has(name));
  const points = nodes.flatMap(({ name }) => document.layout.get(name) ?? []);
  if (nodes.length === 0) return undefined;
  const origin = { x: Math.min(...points.map(({ x }) => x)), y: Math.min(...points.map(({ y }) => y)) };
  const offsets = new Map(
    nodes.map(({ name }) => {
      const point = document.layout.get(name) ?? origin;
      return [name, { x: point.x - origin.x, y: point.y - origin.y }];
    }),
  );
  return { nodes, offsets, origin };
}

/** Distance of a copy from its original, and of the places that are tried for it, in canvas pixels. */
const COPY_OFFSET = 32;
/** Tries before a copy is put over other nodes after all, so that it does not land far out of view. */
const MAX_TRIES = 60;

/** Below and a little right of the original, where the copies lie over no other node. */
export function freePlaceFor(document: GraphDocument, { nodes, offsets, origin }: Clip): Point {
  const rects = [...document.nodes.values()].map((node) => rectOf(node, document.layout.get(node.name)));
  const first = { x: origin.x + COPY_OFFSET, y: origin.y + COPY_OFFSET };
  for (let tried = 0; tried < MAX_TRIES; tried++) {
    const at = { x: first.x, y: first.y + tried * COPY_OFFSET };
    const isFree = nodes.every((node) => {
      const offset = offsets.get(node.name) ?? { x: 0, y: 0 };
      const copy = rectOf(node, { x: at.x + offset.x, y: at.y + offset.y });
      return !rects.some((rect) => overlap(rect, copy));
    });
    if (isFree) return at;
  }
  return first;
}

interface Rect {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

function rectOf(node: NodeDef, { x, y }: Point = { x: 0, y: 0 }): Rect {
  return { left: x, top: y, right: x + nodeWidth(node.name, node.op), bottom: y + roughHeight(node) };
}

function overlap(one: Rect, other: Rect): boolean {
  return one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
}

/**
 * Adds copies. Edges among the copied nodes lead to the copies; edges from nodes outside stay where the document has
 * such a node and become missing inputs where it has not.
 */
export function paste(
  document: GraphDocument,
  clip: Clip,
  at: Point,
  verb: "Paste" | "Duplicate",
): EditResult {
  if (clip.nodes.length === 0) return refused("Nothing was copied.");
  const taken = new Set(document.nodes.keys());
  const names = new Map<string, string>();
  for (const { name } of clip.nodes) {
    const copy = uniqueName(name, taken);
    taken.add(copy);
    names.set(name, copy);
  }
  const copies = clip.nodes.map((node) => copyOf(node, names, document));
  return edit({
    label: `${verb} ${nodesText(clip.nodes.map(({ name }) => name))}`,
    operations: [
      {
        type: "nodes",
        changes: copies.map((after, number) => ({ after, index: document.nodes.size + number })),
      },
      {
        type: "layout",
        moves: clip.nodes.map(({ name }) => {
          const offset = clip.offsets.get(name) ?? { x: 0, y: 0 };
          return { node: names.get(name) ?? name, to: { x: at.x + offset.x, y: at.y + offset.y } };
        }),
      },
    ],
    select: copies.map(({ name }) => name),
  });
}

function copyOf(node: NodeDef, names: ReadonlyMap<string, string>, document: GraphDocument): NodeDef {
  const input = node.input.flatMap((text) => {
    const reference = parseInput(text);
    if (reference.kind === "missing") return [text];
    const copied = names.get(reference.node);
    if (copied !== undefined) return [renameInput(text, reference.node, copied)];
    if (document.nodes.has(reference.node)) return [text];
    return reference.kind === "control" ? [] : [MISSING_INPUT];
  });
  let copy: NodeDef = { ...node, name: names.get(node.name) ?? node.name, input };
  for (const [from, to] of names) copy = renameColocation(copy, from, to);
  return copy;
}
