/** Functions of the graph's library: made of nodes, opened, renamed, and put back in place of their calls. */
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { DataType } from "../../protos/generated/tensorflow/types.js";
import { isBorder, RESULT } from "../document/body-nodes.js";
import { borderBeside } from "../document/edits/arguments.js";
import { whyNotEdit } from "../document/edits/edit-function.js";
import { calledFunction } from "../document/edits/inline-function.js";
import { functionUses, libraryOf } from "../document/library.js";
import { signatureOf } from "../document/signature.js";
import type { DocumentStore } from "../stores/document-state.js";
import { lookupOp, useDocument, useGraph } from "../stores/document-store.js";
import { functionActions } from "../stores/function-actions.js";
import { shownFunction } from "../stores/function-bodies.js";
import { uiActions } from "../stores/ui-store.js";
import { texts } from "../texts/texts.js";
import { cancelEntering, useEntering } from "../viewport/entering.js";
import { placeBesideSelection } from "../viewport/new-node-place.js";
import { goIntoFunction, goOutOfFunctions } from "../viewport/travel.js";
import { defineCommands, type Enabled, when } from "./command.js";
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

export const enteringCommands = defineCommands(noTarget, {
  cancel: {
    id: "graph.cancelOpeningFunction",
    group: "Graph",
    label: words.entering.cancel.label,
    short: () => words.entering.cancel.short,
    note: () => words.entering.cancel.note,
    isEnabled: () => when(useEntering.getState().entered !== undefined, words.entering.cancel.reason),
    run: () => cancelEntering(),
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

/** Why the function that is shown cannot get another argument or result; true if it can. */
function hasOpenBorder(): Enabled {
  const name = shownFunction();
  if (name === undefined) return when(false, words.border.inGraph);
  const definition = libraryOf(useDocument.getState().document.metaGraph).get(name);
  return when(
    definition !== undefined && whyNotEdit(definition) === undefined,
    texts.functionCalls.dependsOnCaller({ name }),
  );
}

export const addBorderCommands = defineCommands(noTarget, {
  argument: {
    id: "graph.addArgument",
    group: "Graph",
    label: words.border.addArgument.label,
    note: () => words.border.addArgument.note,
    keywords: words.border.addArgument.keywords,
    icon: "plus",
    isEnabled: hasOpenBorder,
    run: () => {
      functionActions.addArgument(DataType.DT_FLOAT, placeBesideSelection());
    },
  },
  result: {
    id: "graph.addResult",
    group: "Graph",
    label: words.border.addResult.label,
    note: () => words.border.addResult.note,
    keywords: words.border.addResult.keywords,
    icon: "plus",
    isEnabled: hasOpenBorder,
    run: () => {
      functionActions.addResult(undefined, placeBesideSelection());
    },
  },
});

function placeOnBorder({ name }: NodeDef): { readonly at: number; readonly count: number } {
  const all = borderBeside(useGraph.getState().document, name);
  return { at: all.findIndex((node) => node.name === name), count: all.length };
}

export const borderCommands = defineCommands(nodeTarget, {
  giveBack: {
    id: "graph.makeResult",
    group: "Graph",
    label: words.border.giveBack.label,
    note: () => words.border.giveBack.note,
    keywords: words.border.giveBack.keywords,
    applies: (node) => shownFunction() !== undefined && node.op !== RESULT,
    isEnabled: (node) => {
      const open = hasOpenBorder();
      if (open !== true) return open;
      return when((signatureOf(node, lookupOp)?.outputs.length ?? 0) > 0, words.border.giveBack.noOutput);
    },
    run: ({ name }) => {
      functionActions.addResult({ node: name, output: 0 }, placeBesideSelection());
    },
  },
  forward: {
    id: "graph.moveArgumentForward",
    group: "Graph",
    label: words.border.forward.label,
    short: () => words.border.forward.short,
    note: () => words.border.forward.note,
    keywords: words.border.forward.keywords,
    icon: "chevron-up",
    applies: isBorder,
    isEnabled: (node) => {
      const open = hasOpenBorder();
      return open === true ? when(placeOnBorder(node).at > 0, words.border.forward.reason) : open;
    },
    run: ({ name }) => {
      functionActions.moveOnBorder(name, -1);
    },
  },
  back: {
    id: "graph.moveArgumentBack",
    group: "Graph",
    label: words.border.back.label,
    short: () => words.border.back.short,
    note: () => words.border.back.note,
    keywords: words.border.back.keywords,
    icon: "chevron-down",
    applies: isBorder,
    isEnabled: (node) => {
      const open = hasOpenBorder();
      const { at, count } = placeOnBorder(node);
      return open === true ? when(at < count - 1, words.border.back.reason) : open;
    },
    run: ({ name }) => {
      functionActions.moveOnBorder(name, 1);
    },
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
