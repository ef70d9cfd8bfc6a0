import { Tensor } from "../../protocol/tensor.js";
import type { Graph } from "../graph.js";
import { zerosInitializer } from "../ops/initializers.js";
import { GraphKeys, variable } from "../ops/state.js";
import { getVariable } from "../ops/variable-scope.js";
import { Variable } from "../variable.js";

/** The collection of the counter of steps. */
const GLOBAL_STEP = "global_step";

/**
 * The graph's counter of training steps: an int64 variable named "global_step", created if there is none.
 * @param kind "reference" where it is shared with scripts of tf.compat.v1 that have not enabled resource variables: variables
 *   of different kinds are different ones, and a worker would wait for the other's initializer for ever.
 */
export function getOrCreateGlobalStep(graph: Graph, kind: Variable["kind"] = "resource"): Variable {
  const known = graph.collection(GLOBAL_STEP).find((item) => item instanceof Variable);
  if (known) return known;
  const trainable = false;
  const collections = [GraphKeys.GLOBAL_VARIABLES, GLOBAL_STEP];
  if (kind === "reference") {
    const initial = Tensor.of([0n], "int64", []);
    return variable(graph, initial, { name: "global_step", trainable, collections });
  }
  const initializer = zerosInitializer();
  return getVariable(graph, "global_step", {
    shape: [],
    dtype: "int64",
    initializer,
    trainable,
    collections,
  });
}
