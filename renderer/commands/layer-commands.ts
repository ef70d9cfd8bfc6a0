/** Adding layer blocks. */
import { uiActions } from "../stores/ui-store.js";
import { defineCommands } from "./command.js";
import { noTarget } from "./target-kinds.js";

export const layerCommands = defineCommands(noTarget, {
  add: {
    id: "graph.addLayer",
    group: "Graph",
    label: "Add a layer…",
    keywords:
      "block, Keras, Dense, Conv2D, LSTM, GRU, attention, BatchNorm, Dropout, Embedding, loss, accuracy, tf.data, pipeline, CSV, TFRecord",
    icon: "plus",
    run: () => uiActions.open({ kind: "layer" }),
  },
});
