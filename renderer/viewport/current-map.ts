/** The map of the open document; recomputed when its graph, its layout, what is open of it, or the op list changes. */
import { isArranged } from "../document/arrangement.js";
import { recordPerGraph } from "../stores/document-session.js";
import { lookupOp, useGraph } from "../stores/document-store.js";
import { useGraphView } from "../stores/graph-view-store.js";
import { areSame } from "../stores/keep-equal.js";
import { useOps } from "../stores/ops-store.js";
import { type GraphMap, mapFrom, mapOf } from "./graph-map.js";
import { mapOfPlaced } from "./placed-graph.js";
import { mapOfVisible, visibleNow } from "./shown-graph.js";

const remembered = recordPerGraph(
  (): { known?: { readonly of: readonly unknown[]; readonly map: GraphMap } } => ({}),
);

export function currentMap(): GraphMap {
  const { document } = useGraph.getState();
  const { shown, moved } = useGraphView.getState();
  const of = [document.nodes, document.layout, document.metaGraph, useOps.getState().ops, shown, moved];
  const record = remembered();
  const { known } = record;
  if (known && areSame(of, known.of)) return known.map;
  const map = compute();
  record.known = { of, map };
  return map;
}

/** Releases the map of a document that is not shown. */
export function forgetMap(): void {
  delete remembered().known;
}

function compute(): GraphMap {
  const { document } = useGraph.getState();
  const visible = visibleNow();
  if (!isArranged(document)) {
    return visible ? mapOfPlaced(visible, document, lookupOp) : mapOf(document, lookupOp);
  }
  const { shown, moved } = useGraphView.getState();
  // Nothing is drawn before the first layout.
  if (!visible || !shown) return mapFrom([], new Float64Array(), [], new Map());
  return mapOfVisible(visible, shown.arrangement, document, moved);
}

/** The item of the drawing that shows a node: the node itself, or the closed scope that it is in. */
export function itemShowing(name: string): string | undefined {
  const { document } = useGraph.getState();
  const visible = visibleNow();
  if (visible || isArranged(document)) return visible?.itemOf(name);
  return document.nodes.has(name) ? name : undefined;
}
