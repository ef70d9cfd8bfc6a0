/** Commands for what the canvas shows of the graph. */
import { useGraph } from "../stores/document-store.js";
import { isMinimapShown } from "../viewport/minimap-shown.js";
import { fitGraph, viewDuration } from "../viewport/view.js";
import { useCanvas } from "../viewport/view-store.js";
import { defineCommands } from "./command.js";
import { hasNodes } from "./graph-commands.js";
import { noTarget } from "./target-kinds.js";

const graphHasNodes = () => hasNodes(useGraph.getState());

export const canvasCommands = defineCommands(noTarget, {
  fit: {
    id: "view.fit",
    group: "View",
    label: "Fit the graph to the window",
    icon: "fit",
    shortcut: "F",
    isEnabled: graphHasNodes,
    run: () => fitGraph(),
  },
  zoomIn: {
    id: "view.zoomIn",
    group: "View",
    label: "Zoom in",
    icon: "plus",
    shortcut: "+ =",
    onCanvas: true,
    run: () => void useCanvas.getState().flow?.zoomIn({ duration: viewDuration() }),
  },
  zoomOut: {
    id: "view.zoomOut",
    group: "View",
    label: "Zoom out",
    icon: "minus",
    shortcut: "-",
    onCanvas: true,
    run: () => void useCanvas.getState().flow?.zoomOut({ duration: viewDuration() }),
  },
  zoomReset: {
    id: "view.zoomReset",
    group: "View",
    label: "Zoom to 100 %",
    run: () => void useCanvas.getState().flow?.zoomTo(1, { duration: viewDuration() }),
  },
  minimap: {
    id: "view.minimap",
    group: "View",
    label: "Show the minimap",
    short: () => "Minimap",
    keywords: "hide",
    icon: "minimap",
    shortcut: "M",
    onCanvas: true,
    isOn: isMinimapShown,
    run: () => useCanvas.setState({ minimapOpen: !isMinimapShown() }),
  },
  list: {
    id: "view.list",
    group: "View",
    label: "Show the graph as a list",
    short: () => "List view",
    keywords: "hide",
    icon: "list",
    shortcut: "L",
    onCanvas: true,
    isOn: () => useCanvas.getState().listOpen,
    run: () => useCanvas.setState(({ listOpen }) => ({ listOpen: !listOpen })),
  },
  find: {
    id: "view.find",
    group: "View",
    label: "Find a node…",
    icon: "search",
    shortcut: "Mod+F",
    isEnabled: graphHasNodes,
    run: () => {
      useCanvas.setState({ listOpen: true });
      requestAnimationFrame(() => document.querySelector<HTMLElement>("[data-graph-search]")?.focus());
    },
  },
});
