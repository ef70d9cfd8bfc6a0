/** Whether the minimap is shown: as chosen, or by default for graphs that do not fit on a screen, where there is room. */
import { useGraph } from "../stores/document-store.js";
import { type CanvasStore, useCanvas } from "./view-store.js";

const MAP_FROM_NODES = 12;

function shown({ minimapOpen, isSmall }: CanvasStore, nodes: number): boolean {
  return nodes > 0 && (minimapOpen ?? (nodes >= MAP_FROM_NODES && !isSmall));
}

export function isMinimapShown(): boolean {
  return shown(useCanvas.getState(), useGraph.getState().document.nodes.size);
}

export function useMinimapShown(): boolean {
  const nodes = useGraph((state) => state.document.nodes.size);
  return useCanvas((state) => shown(state, nodes));
}
