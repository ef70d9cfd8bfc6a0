import { OptimizerOptions_Level } from "../../../protos/generated/tensorflow/config.js";
import type { SessionConfig } from "../session-options.js";

/**
 * A ConfigProto with which a graph runs node by node as built. Otherwise a master rewrites it first: a graph of
 * constants becomes a single constant, and neither a trace nor the partition graphs show where the nodes ran.
 *
 * Two rewriters must be off, as measured with 2.21 on a graph of constants over two tasks: the master's meta optimizer
 * (grappler), which folds across tasks, and the workers' own graph optimizer (level L0), which folds within one. With
 * only one of them off, nodes are still missing. Steps of large graphs become slower.
 */
export function unoptimizedConfig(): NonNullable<SessionConfig> {
  return {
    graphOptions: {
      rewriteOptions: { disableMetaOptimizer: true },
      optimizerOptions: { optLevel: OptimizerOptions_Level.L0 },
    },
  };
}
