/** Keeps the graph arranged while the canvas is shown, and the view on what the user looks at meanwhile. */
import { type RefObject, useEffect } from "react";
import { reportError } from "../actions/report-error.js";
import type { Point } from "../document/model.js";
import { isGraphArranged, useGraphView } from "../stores/graph-view-store.js";
import { texts } from "../texts/texts.js";
import { keepArranged } from "../viewport/arranging.js";
import { currentMap } from "../viewport/current-map.js";
import { nodeRect } from "../viewport/graph-map.js";
import {
  arrangedSpace,
  currentView,
  fitGraph,
  isSeenWhole,
  moveView,
  revealItem,
  revealNodes,
} from "../viewport/view.js";

const words = texts.canvas.useArranged;

export function useArranged(canvas: RefObject<HTMLElement | null>): void {
  useEffect(
    () =>
      keepArranged({
        beforeShow: () => {
          const { shown, next } = useGraphView.getState();
          if (!shown) return () => fitGraph(undefined, 0);
          if (next?.kind === "fit") return () => fitGraph();
          if (next?.kind === "reveal") return () => revealNodes(next.nodes);
          if (next?.kind === "move") return () => moveView(next.view);
          if (next?.kind !== "keep") return () => undefined;
          // Positions of the document stay where they are seen.
          const wasWhole = isGraphArranged() && isSeenWhole();
          const before = cornerOf(next.scope);
          return () => (wasWhole ? fitGraph() : keepInPlace(next.scope, before));
        },
        size: () => {
          const { width = 0, height = 0 } = canvas.current?.getBoundingClientRect() ?? {};
          return arrangedSpace(width > 0 && height > 0 ? { width, height } : DEFAULT_SIZE);
        },
        onError: (error) => reportError(words.name, error),
      }),
    [canvas],
  );
}

/** The size of a canvas that is not laid out yet. */
const DEFAULT_SIZE = { width: 840, height: 600 };

function cornerOf(id: string): Point | undefined {
  const map = currentMap();
  const index = map.indexOf.get(id);
  if (index === undefined) return undefined;
  const { left, top } = nodeRect(map, index);
  return { x: left, y: top };
}

/** Moves the view by as much as the scope was moved by the layout, then brings it into view whole if it can be. */
function keepInPlace(id: string, before: Point | undefined): void {
  const after = cornerOf(id);
  if (before && after) {
    const { x, y, zoom } = currentView();
    moveView({ x: x - (after.x - before.x) * zoom, y: y - (after.y - before.y) * zoom, zoom }, 0);
  }
  revealItem(id);
}
