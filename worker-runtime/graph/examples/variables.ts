import type { MetaGraphDef } from "../../../protos/generated/tensorflow/meta_graph.js";
import { Graph } from "../graph.js";
import { assignAdd, constant, globalVariablesInitializer, variable, zeros } from "../ops/index.js";
import { documentOf, FIRST_WORKER, SECOND_WORKER, setRun } from "./document.js";

/** A variable that lives on one worker and is incremented by the other; it keeps its value between runs. */
export function counterGraph(): MetaGraphDef {
  const graph = new Graph();
  const counter = graph.withDevice(FIRST_WORKER, () => {
    const start = zeros(graph, [], { name: "start" });
    return variable(graph, start, { name: "counter" });
  });
  const step = graph.withDevice(SECOND_WORKER, () => constant(graph, 1, { name: "step" }));
  assignAdd(counter, step, { name: "count" });
  globalVariablesInitializer(graph, { name: "init" });
  // The variable is not fetched: unordered with count, it could show the value before or after.
  setRun(graph, { fetches: ["count:0"] });
  return documentOf(graph, {
    start: [0, 0],
    counter: [0, 92],
    step: [0, 184],
    "counter/Assign": [220, 0],
    "counter/read": [220, 92],
    count: [220, 184],
    init: [440, 0],
  });
}

/**
 * "var" and "var2" in two places, both counted up from one worker: the trace shows what the other one computes for it, and
 * what is transferred. Every session of the cluster shares them.
 */
export function placesGraph(): MetaGraphDef {
  const graph = new Graph();
  const variables = [FIRST_WORKER, SECOND_WORKER].map((device, index) =>
    graph.withDevice(device, () =>
      variable(graph, zeros(graph, [], { name: `zero_${index}` }), { name: ["var", "var2"][index] }),
    ),
  );
  const one = graph.withDevice(FIRST_WORKER, () => constant(graph, 1, { name: "one" }));
  for (const counted of variables) assignAdd(counted, one, { name: `${counted.name}_add` });
  globalVariablesInitializer(graph, { name: "init" });
  setRun(graph, { fetches: ["var_add:0", "var2_add:0"], trace: true });
  return graph.toMetaGraphDef();
}
