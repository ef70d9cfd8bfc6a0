/** Graphs as models for other programs: pruned to what computes the outputs, as SavedModels or with frozen variables. */
export { frozenGraph } from "./frozen-graph.js";
export { type ModelTensors, placeholdersFor, signatureNames } from "./model-tensors.js";
export { savedModelGraph, type TableContent } from "./saved-model.js";
export { type ServedTable, type ServedVariable, type ServingGraph, servingGraph } from "./serving-graph.js";
