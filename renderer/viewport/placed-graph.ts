/** The map of a document whose nodes have positions while some of its scopes are closed. Pure. */
import type { GraphDocument } from "../document/model.js";
import type { OpLookup } from "../document/signature.js";
import { nodesInScope, type VisibleGraph } from "../document/visible-graph.js";
import { wiringOf } from "../document/wiring.js";
import { type GraphMap, type MapEdge, type MapItem, mapFrom, nodeSize, titleOf } from "./graph-map.js";
import { aroundBoth, type Rect } from "./rect.js";
import { boxSize } from "./shown-graph.js";

/** The grid to which nodes snap: a box is dragged in the same steps, and its nodes with it. */
const GRID = 8;

/**
 * Nodes are where their positions say, and a closed scope is in the middle of what is in it. Open ones have no frame: other
 * nodes may lie between theirs.
 */
export function mapOfPlaced(
  { hierarchy, items: all, edges }: VisibleGraph,
  { nodes, layout }: Pick<GraphDocument, "nodes" | "layout">,
  lookup: OpLookup,
): GraphMap {
  const { outgoing } = wiringOf(nodes);
  const rectOf = (name: string): Rect | undefined => {
    const node = nodes.get(name);
    if (!node) return undefined;
    const { x: left, y: top } = layout.get(name) ?? { x: 0, y: 0 };
    const { width, height } = nodeSize(node, titleOf(node), lookup, outgoing.get(name));
    return { left, top, right: left + width, bottom: top + height };
  };
  const items: MapItem[] = [];
  const sides: number[] = [];
  const add = (item: MapItem, { left, top, right, bottom }: Rect) => {
    items.push(item);
    sides.push(left, top, right, bottom);
  };
  for (const item of all) {
    if (item.kind === "node") {
      const node = nodes.get(item.id);
      const rect = rectOf(item.id);
      if (node && rect) add({ kind: "node", id: item.id, node, title: titleOf(node) }, rect);
    } else if (item.kind === "box") {
      const rects = nodesInScope(item.scope, hierarchy).flatMap((name) => rectOf(name) ?? []);
      if (rects.length > 0) add(item, inMiddleOf(rects.reduce(aroundBoth), boxSize(item.scope)));
    }
  }
  const drawn = [...edges.values()].map((edge): MapEdge => {
    // Between nodes it is the edge of the graph, as where nothing is closed.
    const [wire = edge] = edge.wires;
    return wire.from === edge.from && wire.to === edge.to ? wire : edge;
  });
  return mapFrom(items, Float64Array.from(sides), drawn, new Map());
}

function inMiddleOf(
  { left, top, right, bottom }: Rect,
  { width, height }: { readonly width: number; readonly height: number },
): Rect {
  const x = onGrid((left + right - width) / 2);
  const y = onGrid((top + bottom - height) / 2);
  return { left: x, top: y, right: x + width, bottom: y + height };
}

function onGrid(length: number): number {
  return Math.round(length / GRID) * GRID;
}
