/** The parts of tf.compat.v1.train for a graph: optimizers, learning rates, the counter of steps. */
export { getOrCreateGlobalStep } from "./global-step.js";
export * from "./learning-rates.js";
export {
  type ApplyGradientsOptions,
  type ComputeGradientsOptions,
  type GradientOfVariable,
  type Hyperparameter,
  Optimizer,
} from "./optimizer.js";
export * from "./optimizers.js";
export { type SyncReplicasOps, SyncReplicasOptimizer, type SyncReplicasOptions } from "./sync-replicas.js";
