/** Functions of the graph's library: made of nodes, opened, renamed, and put back in place of their calls. */
import { calledFunction } from "../document/edits/inline-function.js";
import { functionUses } from "../document/library.js";
import type { DocumentStore } from "../stores/document-state.js";
import { useGraph } from "../stores/document-store.js";
import { functionActions } from "../stores/function-actions.js";
import { shownFunction } from "../stores/function-bodies.js";
import { uiActions } from "../stores/ui-store.js";
import { texts } from "../texts/texts.js";
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

const words = texts.commands.function;

export const callCommands = defineCommands(callTarget, {
  open: {
    id: "graph.openCall",
    group: "Graph",
    label: words.call.open.label,
    short: ({ name }) => words.call.open.named({ name }),
    named: (name) => words.call.open.named({ name }),
    note: ({ as }) => (as === "" || as === "f" ? words.call.open.note : as),
    keywords: words.call.open.keywords,
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
    label: words.library.open.label,
    short: () => words.library.open.short,
    named: (name) => words.library.open.named({ name }),
    keywords: words.library.open.keywords,
    icon: "cube",
    applies: (name) => name !== shownFunction(),
    run: (name) => goIntoFunction(name),
  },
  rename: {
    id: "graph.renameFunction",
    group: "Graph",
    label: words.library.rename.label,
    short: () => words.library.rename.short,
    named: (name) => words.library.rename.named({ name }),
    note: () => words.library.rename.note,
    keywords: words.library.rename.keywords,
    run: (name) => uiActions.open({ kind: "rename-function", name }),
  },
});

export const libraryCommands = defineCommands(documentTarget, {
  deleteUnused: {
    id: "graph.deleteUnusedFunctions",
    group: "Graph",
    label: words.library.deleteUnused.label,
    keywords: words.library.deleteUnused.keywords,
    icon: "trash",
    danger: true,
    hint: ({ document }) => words.library.deleteUnused.hint({ count: functionCount(document).unused }),
    isEnabled: ({ document }) => {
      const { all, unused } = functionCount(document);
      return when(
        unused > 0,
        all === 0 ? words.library.deleteUnused.noFunctions : words.library.deleteUnused.allCalled,
      );
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
    label: words.leave.label,
    note: () => words.leave.note,
    keywords: words.leave.keywords,
    icon: "chevron-left",
    shortcut: "U",
    onCanvas: true,
    isEnabled: () => when(shownFunction() !== undefined, words.leave.reason),
    run: () => goOutOfFunctions("outer"),
  },
});

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
