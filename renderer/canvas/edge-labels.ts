/** Decides which edges have room for a label. Pure. */
import type { GraphDocument, Point } from "../document/model.js";
import { nodeWidth, portY, roughHeight } from "../document/node-size.js";
import type { Edge } from "../document/wiring.js";
import { curvePoint, routePath } from "../viewport/edge-path.js";
import { nodeTitle, opTitle } from "../viewport/node-text.js";
import { overlap, type Rect } from "../viewport/rect.js";

/** Width of a letter of the label's monospaced font, in pixels. */
const LETTER = 6.1;
const HEIGHT = 14;
/** Space that stays free between a label and the nodes on both sides. */
const MARGIN = 4;
/** In larger graphs labels only appear on the edges of selected nodes. */
const MAX_EDGES = 300;
/** Points of an edge that are tested for being covered by a label. */
const SAMPLES = 9;

interface Drawn {
  readonly edge: Edge;
  readonly from: Point;
  readonly to: Point;
}

/**
 * Labels by edge. The edges of an output with several readers are too close together for labels. A label covers no
 * node, no other edge and no other label.
 */
export function placeLabels(
  document: GraphDocument,
  edges: readonly Edge[],
  text: (edge: Edge) => string | undefined,
): Map<string, string> {
  const labels = new Map<string, string>();
  if (edges.length > MAX_EDGES) return labels;
  const rects = nodeRects(document);
  const drawn = edges.flatMap((edge) => ends(edge, document, rects));
  const taken: Rect[] = [...rects.values()];
  const readers = new Map<string, number>();
  const outputOf = ({ from, output }: Edge) => `${from} ${output}`;
  for (const edge of edges) readers.set(outputOf(edge), (readers.get(outputOf(edge)) ?? 0) + 1);
  for (const one of drawn) {
    const label = readers.get(outputOf(one.edge)) === 1 ? text(one.edge) : undefined;
    if (label === undefined) continue;
    const width = label.length * LETTER + 6;
    if (one.to.x - one.from.x < width + 2 * MARGIN) continue;
    const middle = { x: (one.from.x + one.to.x) / 2, y: (one.from.y + one.to.y) / 2 };
    const rect = around(middle, width, HEIGHT);
    if (taken.some((other) => overlap(rect, other))) continue;
    const covers = drawn.some((other) => other !== one && crosses(other, rect));
    if (covers) continue;
    labels.set(one.edge.id, label);
    taken.push(rect);
  }
  return labels;
}

function nodeRects(document: GraphDocument): Map<string, Rect> {
  const rects = new Map<string, Rect>();
  for (const node of document.nodes.values()) {
    const { x, y } = document.layout.get(node.name) ?? { x: 0, y: 0 };
    const width = nodeWidth(nodeTitle(node), opTitle(node));
    rects.set(node.name, { left: x, top: y, right: x + width, bottom: y + roughHeight(node) });
  }
  return rects;
}

function ends(edge: Edge, document: GraphDocument, rects: ReadonlyMap<string, Rect>): Drawn[] {
  const source = rects.get(edge.from);
  const target = rects.get(edge.to);
  if (!source || !target || !document.nodes.has(edge.from)) return [];
  const from = { x: source.right, y: source.top + portY(Math.max(edge.output, 0)) };
  const to = { x: target.left, y: target.top + portY(edge.input) };
  return [{ edge, from, to }];
}

function around({ x, y }: Point, width: number, height: number): Rect {
  return { left: x - width / 2, right: x + width / 2, top: y - height / 2, bottom: y + height / 2 };
}

function crosses({ from, to }: Drawn, rect: Rect): boolean {
  for (let sample = 1; sample < SAMPLES; sample++) {
    const { x, y } = curvePoint(from, to, sample / SAMPLES);
    if (x > rect.left && x < rect.right && y > rect.top && y < rect.bottom) return true;
  }
  return false;
}

/** Gives labels to edges that are led through corners, as far as they have room and do not cover each other. */
export function routeLabels(): (route: readonly Point[], label: string | undefined) => string | undefined {
  const taken: Rect[] = [];
  return (route, label) => {
    if (label === undefined) return undefined;
    const { middle, straight } = routePath(route);
    const width = label.length * LETTER + 6;
    const rect = around(middle, width, HEIGHT);
    if (straight < width + 2 * MARGIN || taken.some((other) => overlap(rect, other))) return undefined;
    taken.push(rect);
    return label;
  };
}
