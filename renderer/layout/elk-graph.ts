/** The contents of a scope in the form that the Eclipse Layout Kernel takes, and back. Pure. */
import type { ElkExtendedEdge, ElkNode, ElkPort } from "elkjs/lib/elk-api.js";
import type { Point } from "../document/model.js";
import { BOUNDARY, type CellEnd, type CellGraph, type CellLayout } from "./cells.js";
import { type Box, type Drawing, foldedRows, isSlanted, sizeShown } from "./rows.js";

/** Options of the algorithm "layered" (https://eclipse.dev/elk/reference/algorithms/org-eclipse-elk-layered.html). */
const OPTIONS = {
  "elk.algorithm": "layered",
  "elk.direction": "RIGHT",
  "elk.edgeRouting": "ORTHOGONAL",
  // Keeps the order of what stayed when a little was changed.
  "elk.layered.considerModelOrder.strategy": "NODES_AND_EDGES",
  "elk.spacing.nodeNode": "20",
  "elk.spacing.edgeNode": "12",
  "elk.spacing.edgeEdge": "8",
  "elk.layered.spacing.nodeNodeBetweenLayers": "36",
  "elk.layered.spacing.edgeNodeBetweenLayers": "14",
  "elk.layered.spacing.edgeEdgeBetweenLayers": "8",
  // Parts without edges between them stay in the common columns, between which rows are cut.
  "elk.separateConnectedComponents": "false",
  "elk.padding": "[top=0,left=0,bottom=0,right=0]",
};
/**
 * How cells are placed within their columns: so that edges are straight, or in the middle. Between open scopes that follow
 * each other, edges leave lower than they enter, and straight ones lead ever further down.
 */
const PLACEMENTS = {
  straight: { "elk.layered.nodePlacement.bk.fixedAlignment": "BALANCED" },
  level: { "elk.layered.nodePlacement.strategy": "SIMPLE" },
};
/** A level drawing must be shown larger than one with straight edges by this factor. */
const LEVEL_COST = 1.25;
/** Beyond this many cells the order within columns is searched for less long. */
const MANY_CELLS = 200;

const ENTRY = ">";
const EXIT = "<";

export function elkGraphOf(
  { cells, edges, aspect }: CellGraph,
  placement: keyof typeof PLACEMENTS = "straight",
): ElkNode {
  const entries = new Set(edges.flatMap(({ from }) => (from.cell === BOUNDARY ? [from.port] : [])));
  const exits = new Set(edges.flatMap(({ to }) => (to.cell === BOUNDARY ? [to.port] : [])));
  const dummy = (id: string, layer: string): ElkNode => ({
    id,
    width: 1,
    height: 1,
    layoutOptions: { "elk.layered.layering.layerConstraint": layer },
  });
  return {
    id: "scope",
    layoutOptions: {
      ...OPTIONS,
      ...PLACEMENTS[placement],
      "elk.aspectRatio": String(aspect),
      "elk.layered.thoroughness": cells.length > MANY_CELLS ? "3" : "7",
    },
    children: [
      ...[...entries].map((port) => dummy(ENTRY + port, "FIRST_SEPARATE")),
      ...cells.map(
        ({ id, width, height, inputs, outputs }): ElkNode => ({
          id: `cell ${id}`,
          width,
          height,
          layoutOptions: { "elk.portConstraints": "FIXED_POS" },
          ports: [
            ...inputs.map((port): ElkPort => portOf(id, "i", port.id, 0, port.y, "WEST")),
            ...outputs.map((port): ElkPort => portOf(id, "o", port.id, width, port.y, "EAST")),
          ],
        }),
      ),
      ...[...exits].map((port) => dummy(EXIT + port, "LAST_SEPARATE")),
    ],
    edges: edges.map(
      ({ id, from, to }): ElkExtendedEdge => ({
        id,
        sources: [from.cell === BOUNDARY ? ENTRY + from.port : portId(from, "o")],
        targets: [to.cell === BOUNDARY ? EXIT + to.port : portId(to, "i")],
      }),
    ),
  };
}

function portOf(
  cell: string,
  side: "i" | "o",
  port: string,
  x: number,
  y: number,
  sideName: string,
): ElkPort {
  return {
    id: portId({ cell, port }, side),
    x,
    y,
    width: 0,
    height: 0,
    layoutOptions: { "elk.port.side": sideName },
  };
}

/** Ports of both sides may have one name. */
function portId({ cell, port }: CellEnd, side: "i" | "o"): string {
  return `${side} ${cell} ${port}`;
}

/** The contents of a scope in rows, by a function that lays out a graph of ELK's. */
export async function layoutBy(
  layOut: (graph: ElkNode) => Promise<ElkNode>,
  graph: CellGraph,
): Promise<CellLayout> {
  const drawing = drawingOf(await layOut(elkGraphOf(graph)));
  const straight = layoutOf(graph, drawing);
  if (!isSlanted(drawing)) return straight;
  const level = layoutOf(graph, drawingOf(await layOut(elkGraphOf(graph, "level"))));
  const size = (layout: CellLayout) => sizeShown(layout, graph.aspect);
  return size(level) > LEVEL_COST * size(straight) ? level : straight;
}

function drawingOf(laidOut: ElkNode): Drawing {
  const boxes = new Map<string, Box>();
  for (const { id, x = 0, y = 0, width = 0, height = 0 } of laidOut.children ?? []) {
    boxes.set(id, { left: x, top: y, right: x + width, bottom: y + height });
  }
  const routes = new Map<string, readonly Point[]>();
  for (const { id, sections } of laidOut.edges ?? []) {
    const [section] = sections ?? [];
    if (section) routes.set(id, [section.startPoint, ...(section.bendPoints ?? []), section.endPoint]);
  }
  return { boxes, routes };
}

function layoutOf({ cells, edges, aspect }: CellGraph, drawing: Drawing): CellLayout {
  const folded = foldedRows(drawing, aspect);
  const middle = (id: string) => {
    const box = folded.boxes.get(id);
    return box ? (box.top + box.bottom) / 2 : 0;
  };
  const places = new Map<string, Point>();
  for (const { id } of cells) {
    const box = folded.boxes.get(`cell ${id}`);
    if (box) places.set(id, { x: box.left, y: box.top });
  }
  const entries = new Map<string, number>();
  const exits = new Map<string, number>();
  for (const { from, to } of edges) {
    if (from.cell === BOUNDARY) entries.set(from.port, middle(ENTRY + from.port));
    if (to.cell === BOUNDARY) exits.set(to.port, middle(EXIT + to.port));
  }
  const { width, height } = folded;
  return { width, height, places, routes: folded.routes, entries, exits };
}
