/** Functions of the graph's library: made of nodes, and put back in place of their calls. */
import { calledFunction } from "../document/edits/inline-function.js";
import { useDocument } from "../stores/document-store.js";
import { functionActions } from "../stores/function-actions.js";
import { defineCommands } from "./command.js";
import { nodeCount } from "./node-commands.js";
import { nodesTarget, nodeTarget } from "./target-kinds.js";

export const extractCommands = defineCommands(nodesTarget, {
  extract: {
    id: "graph.extractFunction",
    group: "Graph",
    label: "Extract to a function",
    note: () => "one node that calls it comes in their place",
    keywords: "subgraph, tf.function, PartitionedCall, group, reuse",
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
    label: "Inline the function",
    note: () => "its nodes come in place of the call",
    keywords: "expand, PartitionedCall",
    applies: (node) => calledFunction(useDocument.getState().document, node) !== undefined,
    run: ({ name }) => {
      functionActions.inline(name);
    },
  },
});
