/** Functions of the graph's library: made of nodes, opened, renamed, and put back in place of their calls. */
import { calledFunction } from "../document/edits/inline-function.js";
import { functionUses } from "../document/library.js";
import type { DocumentStore } from "../stores/document-state.js";
import { useGraph } from "../stores/document-store.js";
import { functionActions } from "../stores/function-actions.js";
import { shownFunction } from "../stores/function-bodies.js";
import { uiActions } from "../stores/ui-store.js";
import { texts } from "../texts/texts.js";
import { countText } from "../ui/format.js";
import { goIntoFunction, goOutOfFunctions } from "../viewport/travel.js";
import { defineCommands, when } from "./command.js";
import { nodeCount } from "./node-commands.js";
import { remember } from "./remember.js";
import {
  callTarget,
  documentTarget,
  functionTarget,
  nodesTarget,
  nodeTarget,
  noTarget,
} from "./target-kinds.js";

export const callCommands = defineCommands(callTarget, {
  open: {
    id: "graph.openCall",
    group: "Graph",
    label: "Open the function that it calls",
    short: ({ name }) => `Open ${name}`,
    named: (name) => `Open ${name}`,
    note: ({ as }) => (as === "" || as === "f" ? "its nodes are shown as a graph of their own" : as),
    keywords: "body, subgraph, go into, PartitionedCall, If, While, Case",
    icon: "cube",
    run: ({ name }) => goIntoFunction(name),
  },
});

const functionCount = remember((document: DocumentStore["document"]) => {
  const uses = functionUses(document);
  return { all: uses.length, unused: uses.filter(({ isUsed }) => !isUsed).length };
});

export const functionCommands = defineCommands(functionTarget, {
  open: {
    id: "graph.openFunction",
    group: "Graph",
    label: "Open a function of the graph",
    short: () => "Open",
    named: (name) => `Open the function ${name}`,
    keywords: "body, library, subgraph",
    icon: "cube",
    applies: (name) => name !== shownFunction(),
    run: (name) => goIntoFunction(name),
  },
  rename: {
    id: "graph.renameFunction",
    group: "Graph",
    label: "Rename the function…",
    short: () => "Rename…",
    named: (name) => `Rename the function ${name}…`,
    note: () => "its calls follow",
    keywords: "library",
    run: (name) => uiActions.open({ kind: "rename-function", name }),
  },
});

export const libraryCommands = defineCommands(documentTarget, {
  deleteUnused: {
    id: "graph.deleteUnusedFunctions",
    group: "Graph",
    label: "Delete unused functions",
    keywords: "library, clean, prune",
    icon: "trash",
    danger: true,
    hint: ({ document }) => countText(functionCount(document).unused, "function"),
    isEnabled: ({ document }) => {
      const { all, unused } = functionCount(document);
      return when(unused > 0, all === 0 ? "The graph has no functions." : "Every function is called.");
    },
    run: () => {
      functionActions.deleteUnused();
    },
  },
});

export const outOfFunctionCommands = defineCommands(noTarget, {
  leave: {
    id: "graph.leaveFunction",
    group: "Graph",
    label: "Leave the function",
    note: () => "to the graph that calls it",
    keywords: "go out, back, up, close, parent",
    icon: "chevron-left",
    shortcut: "U",
    onCanvas: true,
    isEnabled: () => when(shownFunction() !== undefined, "The graph itself is shown."),
    run: () => goOutOfFunctions("outer"),
  },
});

const words = texts.commands.function;

export const extractCommands = defineCommands(nodesTarget, {
  extract: {
    id: "graph.extractFunction",
    group: "Graph",
    label: words.extract.extract.label,
    note: () => words.extract.extract.note,
    keywords: words.extract.extract.keywords,
    icon: "cube",
    hint: nodeCount,
    run: (names) => {
      functionActions.extract(names);
    },
  },
});

export const inlineCommands = defineCommands(nodeTarget, {
  inline: {
    id: "graph.inlineFunction",
    group: "Graph",
    label: words.inline.inline.label,
    note: () => words.inline.inline.note,
    keywords: words.inline.inline.keywords,
    applies: (node) => calledFunction(useGraph.getState().document, node) !== undefined,
    run: ({ name }) => {
      functionActions.inline(name);
    },
  },
});
