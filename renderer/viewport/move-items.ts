/** Where nodes and closed scopes are put: by a drag on the canvas, by keys, and by commands. */
import type { Point } from "../document/model.js";
import { documentActions, useGraph } from "../stores/document-store.js";
import { graphViewActions, isGraphArranged, useGraphView } from "../stores/graph-view-store.js";
import { currentMap } from "./current-map.js";
import { type MapItem, nodeRect } from "./graph-map.js";
import type { Rect } from "./rect.js";
import { nodesOfItem, visibleNow } from "./shown-graph.js";

/** A scope is selected when everything in it is. */
export function isSelected(item: MapItem, selection: ReadonlySet<string>): boolean {
  if (selection.size === 0) return false;
  return nodesOfItem(item).every((name) => selection.has(name));
}

/** The rectangles of nodes and of closed scopes that have no others, by their ids. */
export function rectsOf(selection: ReadonlySet<string>): ReadonlyMap<string, Rect> {
  const map = currentMap();
  const rects = new Map<string, Rect>();
  for (const [index, item] of map.items.entries()) {
    if (item.kind !== "frame" && isSelected(item, selection)) rects.set(item.id, nodeRect(map, index));
  }
  return rects;
}

/** Moves the held item, and with it all that is selected. */
export function moveItems(held: string, { x, y }: Point): void {
  const map = currentMap();
  const selected = rectsOf(useGraph.getState().selection);
  const index = map.indexOf.get(held);
  if (index === undefined) return;
  const moved = selected.has(held) ? selected : new Map([[held, nodeRect(map, index)]]);
  placeItems(new Map([...moved].map(([id, { left, top }]) => [id, { x: left + x, y: top + y }])));
}

/**
 * Puts the upper left corners of items at points of the canvas. Nodes get positions in the document, in one edit. In a
 * graph that is arranged, a position counts from where the contents of the scope around it begin, and those of scopes are
 * state of the window; in another one, a closed scope moves with its nodes.
 *
 * @param step as in `moveNodes`
 */
export function placeItems(corners: ReadonlyMap<string, Point>, step?: string): void {
  const map = currentMap();
  const nodes = new Map<string, Point>();
  const boxes = new Map<string, Point>();
  for (const [id, { x, y }] of corners) {
    const index = map.indexOf.get(id) ?? -1;
    const item = map.items[index];
    if (item === undefined) continue;
    if (item.kind !== "node" && !isGraphArranged()) {
      const { left, top } = nodeRect(map, index);
      for (const [name, at] of movedBy(nodesOfItem(item), { x: x - left, y: y - top })) nodes.set(name, at);
      continue;
    }
    const origin = originAround(item);
    (item.kind === "node" ? nodes : boxes).set(id, { x: x - origin.x, y: y - origin.y });
  }
  if (nodes.size > 0) documentActions.moveNodes(nodes, step);
  if (boxes.size > 0) graphViewActions.moveBoxes(boxes);
}

function movedBy(names: readonly string[], { x, y }: Point): [string, Point][] {
  const { layout } = useGraph.getState().document;
  return names.flatMap((name): [string, Point][] => {
    const at = layout.get(name);
    return at ? [[name, { x: at.x + x, y: at.y + y }]] : [];
  });
}

/** The origin of an item's position. */
function originAround(item: MapItem): Point {
  const visible = isGraphArranged() ? visibleNow() : undefined;
  const around = item.kind === "node" ? visible?.hierarchy.tree.scopeIds.get(item.id) : item.scope.parent;
  const origins = useGraphView.getState().shown?.arrangement.origins;
  return (visible && origins?.get(around ?? "")) || { x: 0, y: 0 };
}
