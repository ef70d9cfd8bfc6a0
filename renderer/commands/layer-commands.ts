/** Adding layer blocks. */
import { uiActions } from "../stores/ui-store.js";
import { texts } from "../texts/texts.js";
import { defineCommands } from "./command.js";
import { noTarget } from "./target-kinds.js";

const words = texts.commands.layer;

export const layerCommands = defineCommands(noTarget, {
  add: {
    id: "graph.addLayer",
    group: "Graph",
    label: words.add.label,
    keywords: words.add.keywords,
    icon: "plus",
    run: () => uiActions.open({ kind: "layer" }),
  },
});
