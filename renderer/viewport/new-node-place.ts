/** Where a node goes that is added, and where the list of ops opens that it is chosen from. */
import type { ConnectFrom } from "../document/edits/add.js";
import { COLUMN_GAP } from "../document/layout.js";
import type { Point } from "../document/model.js";
import { FIRST_PORT_Y, NODE_MIN_WIDTH } from "../document/node-size.js";
import { useGraph } from "../stores/document-store.js";
import { currentMap, itemShowing } from "./current-map.js";
import { nodeRect } from "./graph-map.js";
import { revealNode, toGraph, toScreen, viewCentre } from "./view.js";
import { useCanvas } from "./view-store.js";

/** Where a node goes that is added without a place: right of the selection, or in the middle of the view. */
export function placeBesideSelection(): { x: number; y: number } {
  const { document, selection } = useGraph.getState();
  const last = [...selection].at(-1);
  const position = last === undefined ? undefined : document.layout.get(last);
  const centre = viewCentre();
  if (!position || last === undefined) return freePlace({ x: centre.x - 68, y: centre.y - 30 });
  return freePlace({ x: position.x + drawnWidth(last) + COLUMN_GAP, y: position.y });
}

/** Opens the list of all ops at a point of the screen, where the chosen one is added. */
export function openOpMenu(at: Point): void {
  useCanvas.setState({ edgeMenu: { from: undefined, at: toGraph(at), screen: at } });
}

/** Opens the list of what an end could be connected to beside its node, for those who do not pull edges. */
export function openEdgeMenu(from: ConnectFrom): void {
  const { document } = useGraph.getState();
  const { node: name } = from.end;
  const node = document.nodes.get(name);
  const position = document.layout.get(name);
  if (!node || !position) return;
  revealNode(name);
  const isOutput = from.type === "output";
  const port = { x: isOutput ? position.x + drawnWidth(name) : position.x, y: position.y + FIRST_PORT_Y };
  const nextTo = isOutput ? port.x + COLUMN_GAP : position.x - COLUMN_GAP - NODE_MIN_WIDTH;
  const at = freePlace({ x: nextTo, y: position.y });
  useCanvas.setState({ edgeMenu: { from, at, screen: toScreen(port) } });
}

/** Between two nodes: where a node goes that is inserted there, and the middle on the screen. */
export function insertPlace(from: string, to: string): { at: Point; screen: Point } {
  const map = currentMap();
  const [source, target] = [from, to].map((name) =>
    nodeRect(map, map.indexOf.get(itemShowing(name) ?? name) ?? 0),
  );
  if (!source || !target) return { at: viewCentre(), screen: toScreen(viewCentre()) };
  const middle = { x: (source.right + target.left) / 2, y: (source.top + target.top) / 2 };
  const at = freePlace({ x: middle.x - NODE_MIN_WIDTH / 2, y: middle.y });
  return { at, screen: toScreen({ x: middle.x, y: middle.y + FIRST_PORT_Y }) };
}

function drawnWidth(name: string): number {
  const map = currentMap();
  const { left, right } = nodeRect(map, map.indexOf.get(name) ?? 0);
  return right - left;
}

/** Moves down from `wanted` until no node is in the way. */
function freePlace(wanted: { x: number; y: number }): { x: number; y: number } {
  const points = [...useGraph.getState().document.layout.values()];
  const x = Math.round(wanted.x / 8) * 8;
  let y = Math.round(wanted.y / 8) * 8;
  while (points.some((point) => Math.abs(point.x - x) < 136 && Math.abs(point.y - y) < 72)) y += 92;
  return { x, y };
}
