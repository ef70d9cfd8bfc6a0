/** The commands of the whole graph and of the selection. */
import type { GraphDocument } from "../document/model.js";
import { wiringOf } from "../document/wiring.js";
import { type DocumentStore, documentActions, useGraph } from "../stores/document-store.js";
import { useGraphKernels } from "../stores/kernel-store.js";
import { texts } from "../texts/texts.js";
import { openOpMenu } from "../viewport/new-node-place.js";
import { fitGraph, toScreen, viewCentre } from "../viewport/view.js";
import { useCanvas } from "../viewport/view-store.js";
import { defineCommands, type Enabled, when } from "./command.js";
import { remember } from "./remember.js";
import { graphTarget, type Selection, selectionTarget } from "./target-kinds.js";

const words = texts.commands.graph;

export function hasNodes({ document }: DocumentStore): Enabled {
  return when(document.nodes.size > 0, words.graphNoNodes);
}

const unpinnedOf = remember((nodes: GraphDocument["nodes"]) =>
  [...nodes.values()].filter(({ device }) => device === "").map(({ name }) => name),
);
const unpinned = ({ document }: DocumentStore) => unpinnedOf(document.nodes);

const withoutKernel = () => useGraphKernels.getState().missing.nodes;
const showOrNext = (count: number) => (count === 1 ? words.show : words.next);

export const graphCommands = defineCommands(graphTarget, {
  selectAll: {
    id: "edit.selectAll",
    group: "Edit",
    label: words.selectAll.label,
    shortcut: "Mod+A",
    onCanvas: true,
    isEnabled: hasNodes,
    run: () => documentActions.selectAll(),
  },
  selectUnpinned: {
    id: "graph.selectUnpinned",
    group: "Graph",
    label: words.selectUnpinned.label,
    icon: "filter",
    hint: (document) => words.selectUnpinned.hint({ unpinned: unpinned(document).length }),
    isEnabled: (document) => when(unpinned(document).length > 0, words.selectUnpinned.reason),
    run: (document) => documentActions.select(unpinned(document)),
  },
  addOp: {
    id: "graph.addOp",
    group: "Graph",
    label: words.addOp.label,
    keywords: words.addOp.keywords,
    icon: "plus",
    run: () => openOpMenu(useCanvas.getState().contextMenu?.screen ?? toScreen(viewCentre())),
  },
  arrange: {
    id: "graph.arrange",
    group: "Graph",
    label: words.arrange.label,
    isEnabled: hasNodes,
    run: () => {
      documentActions.arrange();
      requestAnimationFrame(() => fitGraph());
    },
  },
  nextProblem: {
    id: "graph.nextProblem",
    group: "Graph",
    label: words.nextProblem.label,
    short: ({ problems }) => showOrNext(problems.size),
    icon: "warning",
    isEnabled: ({ problems }) => when(problems.size > 0, words.nextProblem.reason),
    run: (document) => showNext(document, document.problems),
  },
  nextWithoutKernel: {
    id: "graph.nextWithoutKernel",
    group: "Graph",
    label: words.nextWithoutKernel.label,
    short: () => showOrNext(withoutKernel().size),
    icon: "warning",
    isEnabled: () => when(withoutKernel().size > 0, words.nextWithoutKernel.reason),
    run: (document) => showNext(document, withoutKernel()),
  },
});

/** Selects, of these nodes, the one after the selected one in the document's order, and shows it. */
function showNext({ selection, document }: DocumentStore, among: { has(name: string): boolean }): void {
  const names = [...document.nodes.keys()].filter((name) => among.has(name));
  const current = names.findIndex((name) => selection.has(name));
  const next = names[(current + 1) % names.length];
  if (next === undefined) return;
  documentActions.select([next]);
  fitGraph([next]);
}

export const selectionCommands = defineCommands(selectionTarget, {
  delete: {
    id: "edit.delete",
    group: "Edit",
    label: words.selection.delete.label,
    icon: "trash",
    danger: true,
    shortcut: "Delete Backspace",
    onCanvas: true,
    hint: ({ nodes, edges }) =>
      nodes.length > 0
        ? words.selection.delete.nodes({ nodes: nodes.length })
        : words.selection.delete.edges({ edges: edges.length }),
    run: deleteSelected,
  },
});

/** Deletes selected nodes, otherwise selected edges. */
function deleteSelected({ nodes, edges }: Selection): void {
  if (nodes.length > 0) {
    documentActions.deleteSelection();
    return;
  }
  const wiring = wiringOf(useGraph.getState().document.nodes);
  documentActions.disconnect(
    wiring.edges.filter(({ id }) => edges.includes(id)).map(({ to, input }) => ({ node: to, input })),
  );
  useCanvas.setState({ selectedEdges: new Set() });
}
