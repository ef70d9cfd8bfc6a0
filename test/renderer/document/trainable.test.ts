import { expect, it } from "vitest";
import { examineGraph } from "../../../renderer/document/examine.js";
import { lossesOf } from "../../../renderer/document/trainable.js";
import { Graph } from "../../../worker-runtime/graph/graph.js";
import * as ops from "../../../worker-runtime/graph/ops/index.js";
import { documentOf, lookup } from "./graphs.js";

function lossesIn(graph: Graph): string[] {
  const document = documentOf(graph.toGraphDef().node);
  return lossesOf(document, lookup, examineGraph(document, lookup, true).shapes);
}

it("losses are the scalars that are computed from variables, without first values, reads, updates and gradients", () => {
  const graph = new Graph();
  const range = ops.subtract(
    ops.constant(graph, 0.5, { dtype: "float32" }),
    ops.constant(graph, -0.5, { dtype: "float32" }),
    {
      name: "init/random_uniform/sub",
    },
  );
  const variable = ops.variable(graph, [1, 2], { name: "v" });
  const rate = ops.variable(graph, 0.9, { name: "rate" });
  ops.identity(rate.value, { name: "rate/read_again" });
  const loss = ops.reduceMean(ops.multiply(variable.value, range), undefined, { name: "loss" });
  ops.multiply(loss, loss, { name: "gradients/loss_grad/mul" });
  ops.assign(rate, ops.multiply(rate.value, rate.value, { name: "Adam/mul" }));
  ops.add(loss, rate.value, { name: "regularized" });
  expect(lossesIn(graph)).toEqual(["regularized:0", "loss:0"]);
});

it("without variables, all computed scalars of floats are losses, so that what is missing can be said", () => {
  const graph = new Graph();
  ops.reduceSum(ops.constant(graph, [1, 2], { dtype: "float32" }), undefined, { name: "sum" });
  expect(lossesIn(graph)).toEqual(["sum:0"]);
});
