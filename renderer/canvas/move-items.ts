/** Where a drag on the canvas puts nodes and closed scopes. */
import type { Point } from "../document/model.js";
import { documentActions, useDocument } from "../stores/document-store.js";
import { graphViewActions, hasScopes, useGraphView } from "../stores/graph-view-store.js";
import { currentMap } from "../viewport/current-map.js";
import { type MapItem, nodeRect } from "../viewport/graph-map.js";
import { visibleNow } from "../viewport/shown-graph.js";
import { isSelected } from "./scope-nodes.js";

/**
 * Moves the held item, and with it all that is selected. Nodes get positions in the document; those of scopes are state of
 * the window. In a graph that is arranged, a position counts from where the contents of the scope around it begin.
 */
export function moveItems(held: string, { x, y }: Point): void {
  const map = currentMap();
  const { selection } = useDocument.getState();
  const isMoved = (item: MapItem) => item.kind !== "frame" && isSelected(item, selection);
  const heldItem = map.items[map.indexOf.get(held) ?? -1];
  const items = heldItem && isMoved(heldItem) ? map.items.filter(isMoved) : heldItem ? [heldItem] : [];
  const nodes = new Map<string, Point>();
  const boxes = new Map<string, Point>();
  for (const item of items) {
    const { left, top } = nodeRect(map, map.indexOf.get(item.id) ?? 0);
    const origin = originAround(item);
    const to = { x: left + x - origin.x, y: top + y - origin.y };
    if (item.kind === "node") nodes.set(item.id, to);
    else boxes.set(item.id, to);
  }
  if (nodes.size > 0) documentActions.moveNodes(nodes);
  if (boxes.size > 0) graphViewActions.moveBoxes(boxes);
}

/** What the position of an item counts from. */
function originAround(item: MapItem): Point {
  const visible = hasScopes() ? visibleNow() : undefined;
  const around = item.kind === "node" ? visible?.hierarchy.tree.scopeOf.get(item.id) : item.scope.parent;
  const origins = useGraphView.getState().shown?.arrangement.origins;
  return (visible && origins?.get(around?.id ?? "")) || { x: 0, y: 0 };
}
