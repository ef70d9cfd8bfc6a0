import type { RunRequest } from "../../../main/api/runs.js";
import { GraphDef } from "../../../protos/generated/tensorflow/graph.js";
import { GradientDescentOptimizer } from "../../../worker-runtime/graph/training/optimizers.js";
import { makeTrainable, type Scheme } from "../../../worker-runtime/graph/training/trainable/index.js";
import { lineGraph } from "../../support/line-graph.js";

/** A training of a line through points on ps/0, which has its variables, and two workers. */
export function lineTraining(scheme: Scheme, steps: number, learningRate: number): RunRequest {
  const graphDef = lineGraph().toGraphDef();
  const { added, pinned, plan } = makeTrainable(graphDef, {
    ...{ loss: "loss:0", variables: ["w"], scheme, batch: ["x:0", "y:0"] },
    parameterServers: [{ job: "ps", index: 0 }],
    workers: [0, 1].map((index) => ({ job: "worker", index })),
    optimizer: () => new GradientDescentOptimizer(learningRate),
  });
  const node = graphDef.node.map((one) => ({ ...one, device: pinned.get(one.name) ?? one.device }));
  return {
    ...{ graph: GraphDef.encode({ ...graphDef, node: [...node, ...added] }).finish(), feeds: [] },
    ...{ fetches: ["loss:0"], targets: scheme === "sync" ? [] : [plan.train], steps, training: plan },
    ...{ trace: false, softPlacement: true, logDevicePlacement: false },
  };
}
