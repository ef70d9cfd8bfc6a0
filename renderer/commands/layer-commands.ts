/** Adding layer blocks. */
import { uiActions } from "../stores/ui-store.js";
import { texts } from "../texts/texts.js";
import { defineCommands } from "./command.js";
import { layerTarget, noTarget } from "./target-kinds.js";

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

export const namedLayerCommands = defineCommands(layerTarget, {
  add: {
    id: "graph.addNamedLayer",
    group: "Graph",
    label: words.addNamed.label,
    named: (layer) => words.addNamed.named({ layer }),
    keywords: words.addNamed.keywords,
    icon: "plus",
    run: (name) => uiActions.open({ kind: "layer", name }),
  },
});
