/** Making a graph trainable: what is added to it for one worker or several. */
export { type BatchTensor, batchTensors } from "./batch.js";
export { type GradientState, gradientStates } from "./gradient-states.js";
export { type GraphVariables, variablesOfGraph } from "./graph-variables.js";
export { makeTrainable, type Trainable, type TrainableOptions } from "./make-trainable.js";
export { OPTIMIZERS, type OptimizerChoice } from "./optimizer-choices.js";
export { isBetweenGraph, SCHEMES, type Scheme, type TrainingPlan } from "./plan.js";
export { workerGraph } from "./worker-graph.js";
