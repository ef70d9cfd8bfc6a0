/** Everything that can be done on the canvas, for menu, keyboard and palette alike. */
import type { Command } from "../commands/command.js";
import type { ConnectFrom } from "../document/edits/add.js";
import { COLUMN_GAP } from "../document/layout.js";
import { FIRST_PORT_Y, NODE_MIN_WIDTH } from "../document/node-size.js";
import { signatureOf } from "../document/signature.js";
import { wiringOf } from "../document/wiring.js";
import { documentActions, lookupOp, useDocument } from "../stores/document-store.js";
import { useKernels } from "../stores/kernel-store.js";
import { currentMap } from "./current-map.js";
import { nodeRect } from "./graph-map.js";
import { isMinimapShown } from "./minimap-shown.js";
import { fitGraph, revealNode, toScreen, viewCentre, viewDuration } from "./view.js";
import { useCanvas } from "./view-store.js";

const hasSelection = () => useDocument.getState().selection.size > 0;
const hasNodes = () => useDocument.getState().document.nodes.size > 0;

function selectionHint(): string | undefined {
  const { size } = useDocument.getState().selection;
  return size === 0 ? undefined : size === 1 ? "1 node" : `${size} nodes`;
}

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
  {
    id: "graph.pin",
    label: "Pin selection to a task…",
    icon: "pin",
    shortcut: "P",
    group: "Graph",
    onCanvas: true,
    run: () => useCanvas.setState({ pinChooserOpen: true }),
    enabled: hasSelection,
    hint: selectionHint,
  },
  {
    id: "graph.connect",
    label: "Connect the node's output…",
    shortcut: "C",
    group: "Graph",
    onCanvas: true,
    run: () => {
      const [name] = useDocument.getState().selection;
      if (name !== undefined) openEdgeMenu({ type: "output", end: { node: name, output: 0 } });
    },
    enabled: () => {
      const { selection, document } = useDocument.getState();
      const [name] = selection;
      const node = selection.size === 1 && name !== undefined ? document.nodes.get(name) : undefined;
      return node !== undefined && (signatureOf(node, lookupOp)?.outputs.length ?? 0) > 0;
    },
  },
  {
    id: "graph.unpin",
    label: "Unpin selection",
    group: "Graph",
    run: () => void documentActions.pin([...useDocument.getState().selection], ""),
    enabled: hasSelection,
    hint: () => "let the engine place it",
  },
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
    id: "graph.arrange",
    label: "Arrange the graph",
    group: "Graph",
    run: () => {
      documentActions.arrange();
      requestAnimationFrame(() => fitGraph());
    },
    enabled: hasNodes,
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
    enabled: () => hasSelection() || useCanvas.getState().selectedEdges.size > 0,
    hint: selectionHint,
  },
  {
    id: "edit.copy",
    label: "Copy nodes",
    icon: "copy",
    shortcut: "Mod+C",
    group: "Edit",
    onCanvas: true,
    run: () => void documentActions.copy(),
    enabled: hasSelection,
  },
  {
    id: "edit.paste",
    label: "Paste nodes",
    shortcut: "Mod+V",
    group: "Edit",
    onCanvas: true,
    run: () => void documentActions.paste(),
    enabled: () => documentActions.canPaste(),
  },
  {
    id: "edit.duplicate",
    label: "Duplicate nodes",
    shortcut: "Mod+D",
    group: "Edit",
    onCanvas: true,
    run: () => void documentActions.duplicate(),
    enabled: hasSelection,
  },
  {
    id: "edit.selectAll",
    label: "Select all nodes",
    shortcut: "Mod+A",
    group: "Edit",
    onCanvas: true,
    run: () => documentActions.selectAll(),
    enabled: hasNodes,
  },
  {
    id: "view.fit",
    label: "Fit the graph to the window",
    icon: "fit",
    shortcut: "F",
    group: "View",
    onCanvas: true,
    run: () => fitGraph(),
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

/** Where a node goes that is added without a place: right of the selection, or in the middle of the view. */
export function placeBesideSelection(): { x: number; y: number } {
  const { document, selection } = useDocument.getState();
  const last = [...selection].at(-1);
  const position = last === undefined ? undefined : document.layout.get(last);
  const centre = viewCentre();
  if (!position || last === undefined) return freePlace({ x: centre.x - 68, y: centre.y - 30 });
  return freePlace({ x: position.x + drawnWidth(last) + COLUMN_GAP, y: position.y });
}

/** Opens the list of what an end could be connected to beside its node, for those who do not pull edges. */
export function openEdgeMenu(from: ConnectFrom): void {
  const { document } = useDocument.getState();
  const { node: name } = from.end;
  const node = document.nodes.get(name);
  const position = document.layout.get(name);
  if (!node || !position) return;
  revealNode(name);
  const isOutput = from.type === "output";
  const port = { x: isOutput ? position.x + drawnWidth(name) : position.x, y: position.y + FIRST_PORT_Y };
  const beside = isOutput ? port.x + COLUMN_GAP : position.x - COLUMN_GAP - NODE_MIN_WIDTH;
  const at = freePlace({ x: beside, y: position.y });
  useCanvas.setState({ edgeMenu: { from, at, screen: toScreen(port) } });
}

function drawnWidth(name: string): number {
  const map = currentMap();
  const { left, right } = nodeRect(map, map.indexOf.get(name) ?? 0);
  return right - left;
}

/** Moves down from `wanted` until no node is in the way. */
function freePlace(wanted: { x: number; y: number }): { x: number; y: number } {
  const points = [...useDocument.getState().document.layout.values()];
  const x = Math.round(wanted.x / 8) * 8;
  let y = Math.round(wanted.y / 8) * 8;
  while (points.some((point) => Math.abs(point.x - x) < 136 && Math.abs(point.y - y) < 72)) y += 92;
  return { x, y };
}
