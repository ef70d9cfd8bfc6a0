/** Maps React Flow's changes, which only concern the elements that it knows, to the selection in the document. */
import type { EdgeChange, NodeChange } from "@xyflow/react";
import { documentActions, useGraph } from "../stores/document-store.js";
import { currentMap } from "../viewport/current-map.js";
import { nodesIn } from "../viewport/graph-map.js";
import type { Rect } from "../viewport/rect.js";
import { nodesOfItem } from "../viewport/shown-graph.js";
import { useCanvas } from "../viewport/view-store.js";
import type { GraphFlowEdge } from "./flow-edges.js";
import type { CanvasNode } from "./flow-nodes.js";

/**
 * @param adding true while a key is held that adds to the selection; otherwise nodes that React Flow does not know,
 * because they are out of view, are deselected like the others
 */
export function applyNodeSelection(
  changes: readonly NodeChange<CanvasNode>[],
  adding: boolean,
  isKnown: (name: string) => boolean,
): void {
  const { selection } = useGraph.getState();
  const after = new Set(selection);
  let changed = false;
  for (const change of changes) {
    if (change.type !== "select") continue;
    changed = true;
    for (const name of namesOf(change.id)) {
      if (change.selected) after.add(name);
      else after.delete(name);
    }
  }
  if (!changed) return;
  if (!adding) {
    const chosen = new Set(
      changes.flatMap((change) => (change.type === "select" && change.selected ? namesOf(change.id) : [])),
    );
    for (const name of selection) if (!chosen.has(name) && !isKnown(name)) after.delete(name);
  }
  documentActions.select(after);
}

/** The nodes that an element of the canvas stands for: itself, or all that is in a scope. */
export function namesOf(id: string): readonly string[] {
  const map = currentMap();
  const item = map.items[map.indexOf.get(id) ?? -1];
  return item ? nodesOfItem(item) : [id];
}

export function applyEdgeSelection(changes: readonly EdgeChange<GraphFlowEdge>[]): void {
  const selected = new Set(useCanvas.getState().selectedEdges);
  let changed = false;
  for (const change of changes) {
    if (change.type !== "select") continue;
    changed = true;
    if (change.selected) selected.add(change.id);
    else selected.delete(change.id);
  }
  if (changed) useCanvas.setState({ selectedEdges: selected });
}

/** Selects an edge of the picture, or with `adding` adds it to the selection. */
export function selectEdge(id: string, adding: boolean): void {
  const { selectedEdges } = useCanvas.getState();
  if (!adding) documentActions.select([]);
  useCanvas.setState({ selectedEdges: new Set(adding ? [...selectedEdges, id] : [id]) });
}

export function selectNothing(): void {
  documentActions.select([]);
  if (useCanvas.getState().selectedEdges.size > 0) useCanvas.setState({ selectedEdges: new Set() });
}

/** Selects every node that lies within an area, in view or not, and drawn as an element or not. */
export function selectWithin(area: Rect): void {
  const map = currentMap();
  const inside = nodesIn(map, area, true).flatMap((index) => map.items[index] ?? []);
  // Nodes in an open scope are selected by themselves.
  documentActions.select(inside.flatMap((item) => (item.kind === "frame" ? [] : nodesOfItem(item))));
}
