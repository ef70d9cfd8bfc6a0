/** Maps React Flow's changes, which only concern the elements that it knows, to the selection in the document. */
import type { EdgeChange, NodeChange } from "@xyflow/react";
import { documentActions, useDocument } from "../stores/document-store.js";
import { currentMap } from "../viewport/current-map.js";
import { nodesIn } from "../viewport/graph-map.js";
import type { Rect } from "../viewport/rect.js";
import { useCanvas } from "../viewport/view-store.js";
import type { GraphFlowEdge } from "./flow-edges.js";
import type { GraphFlowNode } from "./flow-nodes.js";

/**
 * @param adding true while a key is held that adds to the selection; otherwise nodes that React Flow does not know,
 * because they are out of view, are deselected like the others
 */
export function applyNodeSelection(
  changes: readonly NodeChange<GraphFlowNode>[],
  adding: boolean,
  isKnown: (name: string) => boolean,
): void {
  const { selection } = useDocument.getState();
  const after = new Set(selection);
  let changed = false;
  for (const change of changes) {
    if (change.type !== "select") continue;
    changed = true;
    if (change.selected) after.add(change.id);
    else after.delete(change.id);
  }
  if (!changed) return;
  if (!adding) {
    for (const name of selection) if (!isKnown(name)) after.delete(name);
  }
  documentActions.select(after);
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
  documentActions.select(nodesIn(map, area, true).flatMap((index) => map.nodes[index]?.name ?? []));
}
