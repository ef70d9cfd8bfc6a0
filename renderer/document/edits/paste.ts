import { type FunctionDef, FunctionDefLibrary } from "../../../protos/generated/tensorflow/function.js";
import { GraphDef } from "../../../protos/generated/tensorflow/graph.js";
import type { MetaGraphDef } from "../../../protos/generated/tensorflow/meta_graph.js";
import type { NodeDef } from "../../../protos/generated/tensorflow/node_def.js";
import { formatText } from "../../../worker-runtime/graph/text-format.js";
import { texts } from "../../texts/texts.js";
import { type GraphDocument, MISSING_INPUT, type Point } from "../model.js";
import { nodeWidth, roughHeight } from "../node-size.js";
import type { Operation } from "../operations.js";
import { parseInput, renameInput, uniqueName } from "../tensor-names.js";
import { renameColocations } from "./rename.js";
import { type EditResult, edit, nodesText, refused } from "./types.js";

const words = texts.document.edits.paste;

/** Copied nodes. Positions are relative to the top left of them all. */
export interface Clip {
  readonly nodes: readonly NodeDef[];
  readonly offsets: ReadonlyMap<string, Point>;
  readonly origin: Point;
  /** Functions that the nodes call; a document that lacks them gets them. */
  readonly functions: readonly FunctionDef[];
}

export function clipOf(document: GraphDocument, names: ReadonlySet<string>): Clip | undefined {
  const nodes = [...document.nodes.values()].filter(({ name }) => names.has(name));
  const points = nodes.flatMap(({ name }) => document.layout.get(name) ?? []);
  if (nodes.length === 0) return undefined;
  // Nodes that the window arranges have no positions.
  const origin = points.length > 0 ? originOf(points) : { x: 0, y: 0 };
  const offsets = new Map(
    nodes.map(({ name }) => {
      const point = document.layout.get(name) ?? origin;
      return [name, { x: point.x - origin.x, y: point.y - origin.y }];
    }),
  );
  return { nodes, offsets, origin, functions: [] };
}

/** The top left of all these points. */
export function originOf(points: readonly Point[]): Point {
  return points.reduce((least, { x, y }) => ({ x: Math.min(least.x, x), y: Math.min(least.y, y) }), {
    x: Number.POSITIVE_INFINITY,
    y: Number.POSITIVE_INFINITY,
  });
}

/** Distance of a copy from its original, and of the places that are tried for it, in canvas pixels. */
const COPY_OFFSET = 32;
/** Attempts before a copy is placed over other nodes, so that it does not land far out of view. */
const MAX_TRIES = 60;

/** Below and slightly right of the original, where the copies cover no other node. */
export function freePlaceFor(
  document: GraphDocument,
  { nodes, offsets, origin }: Pick<Clip, "nodes" | "offsets" | "origin">,
): Point {
  const first = { x: origin.x + COPY_OFFSET, y: origin.y + COPY_OFFSET };
  return firstFreePlace(first, nodes, offsets, [...document.nodes.values()], document.layout);
}

/**
 * The first place, from a point downwards, where nodes cover none of the others; the point itself if there is none near.
 *
 * @param offsets of the nodes from that place
 */
export function firstFreePlace(
  from: Point,
  nodes: readonly NodeDef[],
  offsets: ReadonlyMap<string, Point>,
  others: readonly NodeDef[],
  layout: GraphDocument["layout"],
): Point {
  const rects = others.map((node) => rectOf(node, layout.get(node.name)));
  for (let tried = 0; tried < MAX_TRIES; tried++) {
    const at = { x: from.x, y: from.y + tried * COPY_OFFSET };
    const isFree = nodes.every((node) => {
      const offset = offsets.get(node.name) ?? { x: 0, y: 0 };
      const placed = rectOf(node, { x: at.x + offset.x, y: at.y + offset.y });
      return !rects.some((rect) => overlap(rect, placed));
    });
    if (isFree) return at;
  }
  return from;
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
 * Adds copies. Edges among the copied nodes lead to the copies; edges from nodes outside stay if the document has
 * such a node and become missing inputs otherwise.
 */
export function paste(
  document: GraphDocument,
  clip: Clip,
  at: Point,
  step: "paste" | "duplicate",
): EditResult {
  if (clip.nodes.length === 0) return refused(words.nothingCopied);
  const taken = new Set(document.nodes.keys());
  const names = new Map<string, string>();
  for (const { name } of clip.nodes) {
    const copy = uniqueName(name, taken);
    taken.add(copy);
    names.set(name, copy);
  }
  const withFunctions = functionsFor(document, clip.functions);
  if (typeof withFunctions === "string") return refused(withFunctions);
  const copies = clip.nodes.map((node) => copyOf(node, names, document));
  return edit({
    label: words[step]({ nodes: nodesText(clip.nodes.map(({ name }) => name)) }),
    operations: [
      ...withFunctions,
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

/** The operations that add the functions that the document lacks, or why they cannot be added. */
function functionsFor({ metaGraph }: GraphDocument, wanted: readonly FunctionDef[]): Operation[] | string {
  const { graphDef } = metaGraph;
  const own = new Map(graphDef?.library?.function.map((one) => [one.signature?.name, one]));
  const added: FunctionDef[] = [];
  for (const definition of wanted) {
    const known = own.get(definition.signature?.name);
    if (!known) added.push(definition);
    else if (!sameFunction(known, definition)) {
      return words.otherFunction({ name: definition.signature?.name ?? "" });
    }
  }
  if (added.length === 0) return [];
  const { library } = graphDef ?? {};
  const after: MetaGraphDef = {
    ...metaGraph,
    graphDef: {
      ...(graphDef ?? GraphDef.fromPartial({})),
      library: {
        ...(library ?? FunctionDefLibrary.fromPartial({})),
        function: [...(library?.function ?? []), ...added],
      },
    },
  };
  return [{ type: "meta-graph", before: metaGraph, after }];
}

/** Whether two functions are the same as written, in any order of their maps. */
function sameFunction(one: FunctionDef, other: FunctionDef): boolean {
  const text = (definition: FunctionDef) => formatText("tensorflow.FunctionDef", definition);
  return one === other || text(one) === text(other);
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
  return renameColocations({ ...node, name: names.get(node.name) ?? node.name, input }, names);
}
