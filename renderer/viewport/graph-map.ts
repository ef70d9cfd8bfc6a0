/** Where the nodes and edges of a document lie, in arrays that even the whole of a large graph is looked through in. Pure. */
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import type { GraphDocument, Point } from "../document/model.js";
import { BOX_PORT_Y, CONTROL_PORT_Y, FRAME_HEAD, nodeWidth, portY } from "../document/node-size.js";
import type { Scope } from "../document/scope-tree.js";
import type { OpLookup } from "../document/signature.js";
import { type Edge, wiringOf } from "../document/wiring.js";
import { BACK_CLEARANCE, BACK_STUB, distanceToEdge, distanceToLines } from "./edge-path.js";
import { nodeTitle, opTitle } from "./node-text.js";
import { drawnHeight } from "./ports.js";
import { grown, overlap, type Rect } from "./rect.js";

/** The item in a place: a node, a closed scope, or the frame of an open one. */
export type MapItem =
  | { readonly kind: "node"; readonly id: string; readonly node: NodeDef; readonly title: string }
  | { readonly kind: "box" | "frame"; readonly id: string; readonly scope: Scope };

/** An edge of the drawing; among closed scopes it stands for several of the graph, its `wires`. */
export interface MapEdge extends Edge {
  readonly wires?: readonly Edge[];
}

export interface GraphMap {
  /** Items drawn above come later: in the document's order, frames before what is in them. */
  readonly items: readonly MapItem[];
  readonly edges: readonly MapEdge[];
  /** By id: the name of a node, the id of a scope. */
  readonly indexOf: ReadonlyMap<string, number>;
  /** Left, top, right and bottom of each item. */
  readonly rects: Float64Array;
  /** x and y of where each edge begins, then of where it ends. */
  readonly ends: Float64Array;
  /** Corners of edges that are led round the nodes, by their ids; others are drawn from end to end. */
  readonly routes: ReadonlyMap<string, readonly Point[]>;
  /** Around all items and routes; undefined for an empty graph. */
  readonly bounds: Rect | undefined;
}

const NO_ROUTES: ReadonlyMap<string, readonly Point[]> = new Map();

/** Half a port stands out of its node on either side, and the edge begins there. */
const PORT_HALF = 4.5;
const CONTROL_PORT_HALF = 3.5;

/** The map of a document whose nodes have positions. */
export function mapOf(
  { nodes, layout }: Pick<GraphDocument, "nodes" | "layout">,
  lookup: OpLookup,
): GraphMap {
  const { edges, outgoing } = wiringOf(nodes);
  const items: MapItem[] = [];
  const rects = new Float64Array(nodes.size * 4);
  let index = 0;
  for (const node of nodes.values()) {
    const { x, y } = layout.get(node.name) ?? { x: 0, y: 0 };
    const title = titleOf(node);
    const { width, height } = nodeSize(node, title, lookup, outgoing.get(node.name));
    rects.set([x, y, x + width, y + height], index * 4);
    items.push({ kind: "node", id: node.name, node, title });
    index++;
  }
  return mapFrom(items, rects, edges, NO_ROUTES);
}

const titles = new WeakMap<NodeDef, string>();

/** The title of a node where its whole name is shown. */
export function titleOf(node: NodeDef): string {
  const known = titles.get(node);
  if (known !== undefined) return known;
  const title = nodeTitle(node);
  titles.set(node, title);
  return title;
}

/** @param rects left, top, right and bottom of each item */
export function mapFrom(
  items: readonly MapItem[],
  rects: Float64Array,
  edges: readonly MapEdge[],
  routes: GraphMap["routes"],
): GraphMap {
  const indexOf = new Map<string, number>();
  const all = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
  items.forEach(({ id }, index) => {
    indexOf.set(id, index);
    all.left = Math.min(all.left, rects[index * 4] ?? 0);
    all.top = Math.min(all.top, rects[index * 4 + 1] ?? 0);
    all.right = Math.max(all.right, rects[index * 4 + 2] ?? 0);
    all.bottom = Math.max(all.bottom, rects[index * 4 + 3] ?? 0);
  });
  for (const route of routes.values()) {
    for (const { x, y } of route) {
      all.left = Math.min(all.left, x);
      all.top = Math.min(all.top, y);
      all.right = Math.max(all.right, x);
      all.bottom = Math.max(all.bottom, y);
    }
  }
  const ends = new Float64Array(edges.length * 4);
  edges.forEach(({ from, to, output, input }, number) => {
    const source = indexOf.get(from) ?? 0;
    const target = indexOf.get(to) ?? 0;
    const half = output < 0 ? CONTROL_PORT_HALF : PORT_HALF;
    ends[number * 4] = (rects[source * 4 + 2] ?? 0) + half;
    ends[number * 4 + 1] = (rects[source * 4 + 1] ?? 0) + endY(items[source], output, output);
    ends[number * 4 + 2] = (rects[target * 4] ?? 0) - half;
    ends[number * 4 + 3] = (rects[target * 4 + 1] ?? 0) + endY(items[target], output, input);
  });
  return { items, edges, indexOf, rects, ends, routes, bounds: items.length > 0 ? all : undefined };
}

/** Where an edge begins or ends below the top of an item. A closed scope has one port on each side. */
function endY(item: MapItem | undefined, output: number, port: number): number {
  if (item?.kind === "box") return BOX_PORT_Y;
  return output < 0 ? CONTROL_PORT_Y : portY(port);
}

/** Width and height of a node as it is drawn. */
export function nodeSize(
  node: NodeDef,
  title: string,
  lookup: OpLookup,
  outgoing: readonly Edge[] | undefined,
): { readonly width: number; readonly height: number } {
  return { width: nodeWidth(title, opTitle(node)), height: drawnHeight(node, lookup, usedOutputs(outgoing)) };
}

/** How many outputs of a node others read, as far as they are known by that. */
export function usedOutputs(outgoing: readonly Edge[] | undefined): number {
  return (outgoing ?? []).reduce((most, { output }) => Math.max(most, output + 1), 0);
}

export function nodeRect({ rects }: GraphMap, index: number): Rect {
  const at = index * 4;
  return {
    left: rects[at] ?? 0,
    top: rects[at + 1] ?? 0,
    right: rects[at + 2] ?? 0,
    bottom: rects[at + 3] ?? 0,
  };
}

export function edgeEnds({ ends }: GraphMap, index: number): { readonly from: Point; readonly to: Point } {
  const at = index * 4;
  return {
    from: { x: ends[at] ?? 0, y: ends[at + 1] ?? 0 },
    to: { x: ends[at + 2] ?? 0, y: ends[at + 3] ?? 0 },
  };
}

/** Numbers of the items that lie in a rectangle, partly or, with `whole`, entirely. */
export function nodesIn({ items, rects }: GraphMap, area: Rect, whole = false): number[] {
  const found: number[] = [];
  for (let index = 0, at = 0; index < items.length; index++, at += 4) {
    const left = rects[at] ?? 0;
    const top = rects[at + 1] ?? 0;
    const right = rects[at + 2] ?? 0;
    const bottom = rects[at + 3] ?? 0;
    const isIn = whole
      ? left >= area.left && right <= area.right && top >= area.top && bottom <= area.bottom
      : left < area.right && right > area.left && top < area.bottom && bottom > area.top;
    if (isIn) found.push(index);
  }
  return found;
}

/** Numbers of the edges whose curve may pass through a rectangle. */
export function edgesIn(map: GraphMap, area: Rect): number[] {
  const found: number[] = [];
  for (let index = 0; index < map.edges.length; index++) {
    if (overlap(edgeBox(map, index), area)) found.push(index);
  }
  return found;
}

function edgeBox({ ends, edges, routes }: GraphMap, index: number): Rect {
  const route = routes.size === 0 ? undefined : routes.get(edges[index]?.id ?? "");
  if (route) return grown(boxAround(route), 1);
  const at = index * 4;
  const fromX = ends[at] ?? 0;
  const fromY = ends[at + 1] ?? 0;
  const toX = ends[at + 2] ?? 0;
  const toY = ends[at + 3] ?? 0;
  const goesBack = toX - fromX <= BACK_STUB;
  return {
    left: goesBack ? toX - BACK_STUB : fromX,
    right: goesBack ? fromX + BACK_STUB : toX,
    // A straight edge is a line, which has to overlap as well.
    top: Math.min(fromY, toY) - 1,
    bottom: Math.max(fromY, toY) + (goesBack ? BACK_CLEARANCE : 0) + 1,
  };
}

function boxAround(points: readonly Point[]): Rect {
  const box = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
  for (const { x, y } of points) {
    box.left = Math.min(box.left, x);
    box.top = Math.min(box.top, y);
    box.right = Math.max(box.right, x);
    box.bottom = Math.max(box.bottom, y);
  }
  return box;
}

/** The uppermost of these items at a point; a frame only where its title is. */
export function nodeAt(map: GraphMap, among: readonly number[], { x, y }: Point): number | undefined {
  return among.findLast((index) => {
    const { left, top, right, bottom } = nodeRect(map, index);
    const end = map.items[index]?.kind === "frame" ? top + FRAME_HEAD : bottom;
    return x >= left && x <= right && y >= top && y <= end;
  });
}

/** The nearest of these edges within a distance of a point. */
export function edgeAt(
  map: GraphMap,
  among: readonly number[],
  point: Point,
  within: number,
): number | undefined {
  const near = {
    left: point.x - within,
    right: point.x + within,
    top: point.y - within,
    bottom: point.y + within,
  };
  let best: number | undefined;
  let least = within;
  for (const index of among) {
    if (!overlap(edgeBox(map, index), near)) continue;
    const { from, to } = edgeEnds(map, index);
    const route = map.routes.get(map.edges[index]?.id ?? "");
    const distance = route ? distanceToLines(route, point) : distanceToEdge(from, to, point);
    if (distance > least) continue;
    least = distance;
    best = index;
  }
  return best;
}
