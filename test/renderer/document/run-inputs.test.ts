import { describe, expect, it } from "vitest";
import { makeTrainable as addTraining } from "../../../renderer/document/edits/make-trainable.js";
import type { GraphDocument } from "../../../renderer/document/model.js";
import { suggestedRun } from "../../../renderer/document/run-inputs.js";
import type { Graph } from "../../../worker-runtime/graph/graph.js";
import { GradientDescentOptimizer } from "../../../worker-runtime/graph/training/optimizers.js";
import {
  makeTrainable,
  OPTIMIZERS,
  SCHEMES,
} from "../../../worker-runtime/graph/training/trainable/index.js";
import { lineGraph } from "../../support/line-graph.js";
import { documentOf, edited, lookup } from "./graphs.js";

/** A line whose graph trains itself already. */
function trainedLine(): Graph {
  const graph = lineGraph();
  new GradientDescentOptimizer(0.1).minimize(graph.tensor("loss:0"), { name: "own_update" });
  return graph;
}

const suggestion = (document: GraphDocument) => suggestedRun(document, lookup);

describe.each([
  ["does not train", lineGraph, { fetches: ["loss:0"], targets: [] }],
  ["trains itself", trainedLine, { fetches: [], targets: ["own_update"] }],
])("of a graph that %s, what is suggested", (_, graphOf, suggested) => {
  it.each(SCHEMES)("stays the same when it is made trainable: %s", (scheme) => {
    const graphDef = graphOf().toGraphDef();
    const document = documentOf(graphDef.node);
    const before = suggestion(document);
    expect(before).toMatchObject(suggested);
    const made = makeTrainable(graphDef, {
      ...{ loss: "loss:0", variables: ["w"], scheme, batch: ["x:0", "y:0"] },
      parameterServers: [{ job: "ps", index: 0 }],
      workers: [0, 1].map((index) => ({ job: "worker", index })),
      optimizer: () => {
        const momentum = OPTIMIZERS.find(({ name }) => name === "Momentum");
        if (!momentum) throw new Error("There is no Momentum.");
        return momentum.make({ learningRate: 0.1, momentum: 0.9, nesterov: false });
      },
    });
    const trainable = edited(document, addTraining(document, made, 10));
    expect(trainable.nodes.size).toBeGreaterThan(document.nodes.size);
    expect(suggestion(trainable)).toEqual(before);
  });
});
