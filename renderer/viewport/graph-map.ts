/** Where the nodes and edges of a document lie, in arrays that even the whole of a large graph is looked through in. Pure. */
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import type { GraphDocument, Point } from "../document/model.js";
import { CONTROL_PORT_Y, nodeWidth, portY } from "../document/node-size.js";
import type { OpLookup } from "../document/signature.js";
import { type Edge, wiringOf } from "../document/wiring.js";
import { BACK_CLEARANCE, BACK_STUB, distanceToEdge } from "./edge-path.js";
import { nodeTitle } from "./node-text.js";
import { drawnHeight } from "./ports.js";
import { overlap, type Rect } from "./rect.js";

export interface GraphMap {
  /** In the document's order. */
  readonly nodes: readonly NodeDef[];
  readonly edges: readonly Edge[];
  readonly indexOf: ReadonlyMap<string, number>;
  /** Left, top, right and bottom of each node. */
  readonly rects: Float64Array;
  /** x and y of where each edge begins, then of where it ends. */
  readonly ends: Float64Array;
  /** Around all nodes; undefined for an empty graph. */
  readonly bounds: Rect | undefined;
}

/** Half a port stands out of its node on either side, and the edge begins there. */
const PORT_HALF = 4.5;
const CONTROL_PORT_HALF = 3.5;

export function mapOf(
  { nodes, layout }: Pick<GraphDocument, "nodes" | "layout">,
  lookup: OpLookup,
): GraphMap {
  const { edges, outgoing } = wiringOf(nodes);
  const rects = new Float64Array(nodes.size * 4);
  const indexOf = new Map<string, number>();
  const all = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
  let index = 0;
  for (const node of nodes.values()) {
    const { x, y } = layout.get(node.name) ?? { x: 0, y: 0 };
    const right = x + widthOf(node);
    const bottom = y + drawnHeight(node, lookup, usedOutputs(outgoing.get(node.name)));
    rects.set([x, y, right, bottom], index * 4);
    all.left = Math.min(all.left, x);
    all.top = Math.min(all.top, y);
    all.right = Math.max(all.right, right);
    all.bottom = Math.max(all.bottom, bottom);
    indexOf.set(node.name, index++);
  }
  const ends = new Float64Array(edges.length * 4);
  edges.forEach(({ from, to, output, input }, number) => {
    const source = (indexOf.get(from) ?? 0) * 4;
    const target = (indexOf.get(to) ?? 0) * 4;
    const half = output < 0 ? CONTROL_PORT_HALF : PORT_HALF;
    ends[number * 4] = (rects[source + 2] ?? 0) + half;
    ends[number * 4 + 1] = (rects[source + 1] ?? 0) + (output < 0 ? CONTROL_PORT_Y : portY(output));
    ends[number * 4 + 2] = (rects[target] ?? 0) - half;
    ends[number * 4 + 3] = (rects[target + 1] ?? 0) + (output < 0 ? CONTROL_PORT_Y : portY(input));
  });
  return { nodes: [...nodes.values()], edges, indexOf, rects, ends, bounds: index > 0 ? all : undefined };
}

const widths = new WeakMap<NodeDef, number>();

function widthOf(node: NodeDef): number {
  const known = widths.get(node);
  if (known !== undefined) return known;
  const width = nodeWidth(nodeTitle(node), node.op);
  widths.set(node, width);
  return width;
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

/** Numbers of the nodes that lie in a rectangle, partly or, with `whole`, entirely. */
export function nodesIn({ nodes, rects }: GraphMap, area: Rect, whole = false): number[] {
  const found: number[] = [];
  for (let index = 0, at = 0; index < nodes.length; index++, at += 4) {
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
    if (overlap(edgeBox(map.ends, index), area)) found.push(index);
  }
  return found;
}

function edgeBox(ends: Float64Array, index: number): Rect {
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

/** The uppermost of these nodes at a point. */
export function nodeAt(map: GraphMap, among: readonly number[], { x, y }: Point): number | undefined {
  return among.findLast((index) => {
    const { left, top, right, bottom } = nodeRect(map, index);
    return x >= left && x <= right && y >= top && y <= bottom;
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
    if (!overlap(edgeBox(map.ends, index), near)) continue;
    const { from, to } = edgeEnds(map, index);
    const distance = distanceToEdge(from, to, point);
    if (distance > least) continue;
    least = distance;
    best = index;
  }
  return best;
}
