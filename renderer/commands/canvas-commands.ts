/** Commands for what the canvas shows of the graph. */
import { useGraph } from "../stores/document-store.js";
import { texts } from "../texts/texts.js";
import { isMinimapShown } from "../viewport/minimap-shown.js";
import { fitGraph, viewDuration } from "../viewport/view.js";
import { useCanvas } from "../viewport/view-store.js";
import { defineCommands } from "./command.js";
import { hasNodes } from "./graph-commands.js";
import { noTarget } from "./target-kinds.js";

const words = texts.commands.canvas;

const graphHasNodes = () => hasNodes(useGraph.getState());

export const canvasCommands = defineCommands(noTarget, {
  fit: {
    id: "view.fit",
    group: "View",
    label: words.fit.label,
    icon: "fit",
    shortcut: "F",
    isEnabled: graphHasNodes,
    run: () => fitGraph(),
  },
  zoomIn: {
    id: "view.zoomIn",
    group: "View",
    label: words.zoomIn.label,
    icon: "plus",
    shortcut: "+ =",
    onCanvas: true,
    run: () => void useCanvas.getState().flow?.zoomIn({ duration: viewDuration() }),
  },
  zoomOut: {
    id: "view.zoomOut",
    group: "View",
    label: words.zoomOut.label,
    icon: "minus",
    shortcut: "-",
    onCanvas: true,
    run: () => void useCanvas.getState().flow?.zoomOut({ duration: viewDuration() }),
  },
  zoomReset: {
    id: "view.zoomReset",
    group: "View",
    label: words.zoomReset.label,
    run: () => void useCanvas.getState().flow?.zoomTo(1, { duration: viewDuration() }),
  },
  minimap: {
    id: "view.minimap",
    group: "View",
    label: words.minimap.label,
    short: () => words.minimap.short,
    keywords: words.minimap.keywords,
    icon: "minimap",
    shortcut: "M",
    onCanvas: true,
    isOn: isMinimapShown,
    run: () => useCanvas.setState({ minimapOpen: !isMinimapShown() }),
  },
  list: {
    id: "view.list",
    group: "View",
    label: words.list.label,
    short: () => words.list.short,
    keywords: words.list.keywords,
    icon: "list",
    shortcut: "L",
    onCanvas: true,
    isOn: () => useCanvas.getState().listOpen,
    run: () => useCanvas.setState(({ listOpen }) => ({ listOpen: !listOpen })),
  },
  find: {
    id: "view.find",
    group: "View",
    label: words.find.label,
    icon: "search",
    shortcut: "Mod+F",
    isEnabled: graphHasNodes,
    run: () => {
      useCanvas.setState({ listOpen: true });
      requestAnimationFrame(() => document.querySelector<HTMLElement>("[data-graph-search]")?.focus());
    },
  },
});
