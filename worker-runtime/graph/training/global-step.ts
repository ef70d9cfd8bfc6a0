import type { Graph } from "../graph.js";
import { zerosInitializer } from "../ops/initializers.js";
import { GraphKeys } from "../ops/state.js";
import { getVariable } from "../ops/variable-scope.js";
import { Variable } from "../variable.js";

/** The collection of the counter of steps. */
const GLOBAL_STEP = "global_step";

/** The graph's counter of training steps: an int64 variable named "global_step", created if there is none. */
export function getOrCreateGlobalStep(graph: Graph): Variable {
  const known = graph.collection(GLOBAL_STEP).find((item) => item instanceof Variable);
  if (known) return known;
  return getVariable(graph, "global_step", {
    shape: [],
    dtype: "int64",
    initializer: zerosInitializer(),
    trainable: false,
    collections: [GraphKeys.GLOBAL_VARIABLES, GLOBAL_STEP],
  });
}
