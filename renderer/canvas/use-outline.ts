import { useMemo } from "react";
import { isArranged, slicedHierarchy } from "../document/arrangement.js";
import { type OutlineRow, outlineRows } from "../document/outline.js";
import type { Hierarchy } from "../document/visible-graph.js";
import { wiringOf } from "../document/wiring.js";
import { useSliced } from "../parts/use-sliced.js";
import { useGraph } from "../stores/document-store.js";
import { useGraphView } from "../stores/graph-view-store.js";
import { useCanvas } from "../viewport/view-store.js";

const NO_ROWS: readonly OutlineRow[] = [];

export interface Outline {
  /** Empty until the scopes of a large graph are found. */
  readonly rows: readonly OutlineRow[];
  readonly hierarchy: Hierarchy | undefined;
}

/** The rows of the open document's outline: its scopes as the canvas has them, or all nodes where it draws all. */
export function useOutline(): Outline {
  const nodes = useGraph((state) => state.document.nodes);
  const annotations = useGraph((state) => state.document.annotations);
  const generation = useGraph((state) => state.generation);
  const arranged = useGraph((state) => isArranged(state.document));
  const openWeights = useGraphView((state) => state.openness.weights);
  const expanded = useCanvas((state) => state.listExpanded);
  const weights = arranged ? openWeights : "all";
  const hierarchy = useSliced({
    size: nodes.size,
    work: () => slicedHierarchy(nodes, weights),
    of: [nodes, weights],
    subject: generation,
  });
  const rows = useMemo(
    () =>
      hierarchy ? outlineRows({ nodes, hierarchy, wiring: wiringOf(nodes), annotations }, expanded) : NO_ROWS,
    [nodes, hierarchy, annotations, expanded],
  );
  return { rows, hierarchy };
}
