/** Losses and metrics: one number for a batch, from what a network computes and what it should. */
import type { LayerInput, LayerSpec } from "./layer.js";

/** The number of the right class of each example. */
const CLASSES: LayerInput = { name: "labels", dtype: "int32", shape: [-1] };
const VALUES: LayerInput = { name: "targets", dtype: "float32" };

export const crossEntropy: LayerSpec = {
  name: "CrossEntropyLoss",
  description: "The mean loss of logits [batch, classes] against the number of the right class.",
  others: [CLASSES],
  fields: [],
  build(layer, input) {
    layer.requireRank(input, 2, "logits [batch, classes]");
    const { graph } = layer;
    const labels = layer.other("labels");
    const loss = graph.op("SparseSoftmaxCrossEntropyWithLogits", [input, labels]).outputAt(0);
    return layer.op("Mean", [loss, layer.ints(0, "axis")]);
  },
};

export const meanSquaredError: LayerSpec = {
  name: "MeanSquaredError",
  description: "The mean of the squared differences from the targets.",
  others: [VALUES],
  fields: [],
  build(layer, input) {
    const squares = layer.op("SquaredDifference", [input, layer.other("targets")]);
    return layer.op("Mean", [
      layer.op("Reshape", [squares, layer.ints([-1], "flat")]),
      layer.ints(0, "axis"),
    ]);
  },
};

export const accuracy: LayerSpec = {
  name: "Accuracy",
  description: "The share of examples whose largest score is that of the right class.",
  others: [CLASSES],
  fields: [],
  build(layer, input) {
    layer.requireRank(input, 2, "scores [batch, classes]");
    const guess = layer.op("ArgMax", [input, layer.ints(-1, "classes")], { output_type: "int32" });
    const right = layer.op("Cast", [layer.op("Equal", [guess, layer.other("labels")])], { DstT: "float32" });
    return layer.op("Mean", [right, layer.ints(0, "axis")]);
  },
};
