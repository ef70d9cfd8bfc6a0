/** Everything that can be done on the canvas, for menu, keyboard and palette alike. */

import { wiringOf } from "../document/wiring.js";
import { documentActions, useDocument } from "../stores/document-store.js";
import { useKernels } from "../stores/kernel-store.js";
import { isMinimapShown } from "../viewport/minimap-shown.js";
import { fitGraph, toGraph, toScreen, viewCentre, viewDuration } from "../viewport/view.js";
import { useCanvas } from "../viewport/view-store.js";
import { clipboardCommands } from "./clipboard-commands.js";
import type { Command } from "./command.js";
import { nodeCommands, nothingSelected, selectionHint } from "./node-commands.js";

const hasSelection = () => useDocument.getState().selection.size > 0;
const hasNodes = () => useDocument.getState().document.nodes.size > 0;
const noNodes = () => (hasNodes() ? undefined : "The graph has no nodes.");

/** Deletes selected nodes, or else takes selected edges away. */
function deleteSelected(): void {
  if (hasSelection()) {
    documentActions.deleteSelection();
    return;
  }
  const { selectedEdges } = useCanvas.getState();
  const { edges } = wiringOf(useDocument.getState().document.nodes);
  documentActions.disconnect(
    edges.filter(({ id }) => selectedEdges.has(id)).map(({ to, input }) => ({ node: to, input })),
  );
  useCanvas.setState({ selectedEdges: new Set() });
}

function unpinned(): string[] {
  return [...useDocument.getState().document.nodes.values()]
    .filter(({ device }) => device === "")
    .map(({ name }) => name);
}

export const canvasCommands: Command[] = [
  ...nodeCommands,
  {
    id: "graph.selectUnpinned",
    label: "Select nodes that are not pinned",
    icon: "filter",
    group: "Graph",
    run: () => documentActions.select(unpinned()),
    enabled: () => unpinned().length > 0,
    hint: () => (unpinned().length === 1 ? "1 node" : `${unpinned().length} nodes`),
  },
  {
    id: "graph.addOp",
    label: "Add an op here…",
    icon: "plus",
    keywords: "node",
    group: "Graph",
    run: () => {
      const at = useCanvas.getState().contextMenu?.screen ?? toScreen(viewCentre());
      useCanvas.setState({ edgeMenu: { from: undefined, at: toGraph(at), screen: at } });
    },
  },
  {
    id: "graph.arrange",
    label: "Arrange the graph",
    group: "Graph",
    run: () => {
      documentActions.arrange();
      requestAnimationFrame(() => fitGraph());
    },
    unavailable: noNodes,
  },
  {
    id: "graph.nextProblem",
    label: "Show the next node that cannot run",
    icon: "warning",
    group: "Graph",
    run: showNextProblem,
    enabled: () => useDocument.getState().problems.size > 0,
  },
  {
    id: "graph.nextWithoutKernel",
    label: "Show the next node that its task has no kernel for",
    icon: "warning",
    group: "Graph",
    run: showNextWithoutKernel,
    enabled: () => useKernels.getState().missing.nodes.size > 0,
  },
  {
    id: "edit.delete",
    label: "Delete selection",
    icon: "trash",
    shortcut: "Delete Backspace",
    group: "Edit",
    onCanvas: true,
    run: deleteSelected,
    unavailable: () => (useCanvas.getState().selectedEdges.size > 0 ? undefined : nothingSelected()),
    hint: selectionHint,
  },
  ...clipboardCommands,
  {
    id: "edit.duplicate",
    label: "Duplicate nodes",
    shortcut: "Mod+D",
    group: "Edit",
    onCanvas: true,
    run: () => void documentActions.duplicate(),
    unavailable: nothingSelected,
  },
  {
    id: "edit.selectAll",
    label: "Select all nodes",
    shortcut: "Mod+A",
    group: "Edit",
    onCanvas: true,
    run: () => documentActions.selectAll(),
    unavailable: noNodes,
  },
  {
    id: "view.fit",
    label: "Fit the graph to the window",
    icon: "fit",
    shortcut: "F",
    group: "View",
    run: () => fitGraph(),
    unavailable: noNodes,
  },
  {
    id: "view.zoomIn",
    label: "Zoom in",
    icon: "plus",
    shortcut: "+ =",
    group: "View",
    onCanvas: true,
    run: () => void useCanvas.getState().flow?.zoomIn({ duration: viewDuration() }),
  },
  {
    id: "view.zoomOut",
    label: "Zoom out",
    icon: "minus",
    shortcut: "-",
    group: "View",
    onCanvas: true,
    run: () => void useCanvas.getState().flow?.zoomOut({ duration: viewDuration() }),
  },
  {
    id: "view.minimap",
    label: "Show or hide the minimap",
    icon: "minimap",
    shortcut: "M",
    group: "View",
    onCanvas: true,
    run: () => useCanvas.setState({ minimapOpen: !isMinimapShown() }),
  },
  {
    id: "view.list",
    label: "Show the graph as a list",
    icon: "list",
    shortcut: "L",
    group: "View",
    onCanvas: true,
    run: () => useCanvas.setState(({ listOpen }) => ({ listOpen: !listOpen })),
  },
  {
    id: "view.find",
    label: "Find a node…",
    icon: "search",
    shortcut: "Mod+F",
    group: "View",
    run: () => {
      useCanvas.setState({ listOpen: true });
      requestAnimationFrame(() => document.querySelector<HTMLElement>("[data-graph-search]")?.focus());
    },
    enabled: hasNodes,
  },
];

export function showNextProblem(): void {
  showNext(useDocument.getState().problems);
}

export function showNextWithoutKernel(): void {
  showNext(useKernels.getState().missing.nodes);
}

/** Selects, of these nodes, the one after the selected one in the document's order, and shows it. */
function showNext(among: { has(name: string): boolean }): void {
  const { selection, document } = useDocument.getState();
  const names = [...document.nodes.keys()].filter((name) => among.has(name));
  const current = names.findIndex((name) => selection.has(name));
  const next = names[(current + 1) % names.length];
  if (next === undefined) return;
  documentActions.select([next]);
  fitGraph([next]);
}
