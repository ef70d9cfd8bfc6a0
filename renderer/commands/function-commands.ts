/** Functions of the graph's library: made of nodes, and put back in place of their calls. */
import { calledFunction } from "../document/edits/inline-function.js";
import { useDocument } from "../stores/document-store.js";
import { functionActions } from "../stores/function-actions.js";
import { texts } from "../texts/texts.js";
import { defineCommands } from "./command.js";
import { nodeCount } from "./node-commands.js";
import { nodesTarget, nodeTarget } from "./target-kinds.js";

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
    applies: (node) => calledFunction(useDocument.getState().document, node) !== undefined,
    run: ({ name }) => {
      functionActions.inline(name);
    },
  },
});
