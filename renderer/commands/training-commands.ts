/** Making a graph trainable. */
import { computesLoss } from "../document/trainable.js";
import { lookupOp, useGraph } from "../stores/document-store.js";
import { uiActions } from "../stores/ui-store.js";
import { texts } from "../texts/texts.js";
import { defineCommands } from "./command.js";
import { isRunByItself } from "./node-commands.js";
import { noTarget } from "./target-kinds.js";

const words = texts.commands.training;

/** The only selected node. */
function selectedNode(): string | undefined {
  const { selection } = useGraph.getState();
  return selection.size === 1 ? [...selection][0] : undefined;
}

/** Whether the selected node computes what could be a loss. */
export function isLossSelected(): boolean {
  const { document, shapes } = useGraph.getState();
  const node = selectedNode();
  return node !== undefined && computesLoss(document, lookupOp, shapes, node);
}

export const trainingCommands = defineCommands(noTarget, {
  make: {
    id: "graph.makeTrainable",
    group: "Graph",
    label: words.make.label,
    keywords: words.make.keywords,
    icon: "pulse",
    applies: isRunByItself,
    run: () => {
      const node = selectedNode();
      uiActions.open({ kind: "make-trainable", ...(node === undefined ? {} : { node }) });
    },
  },
});
