/** The graph that tests train: a line through four points, with the variable `w` and the loss `loss`, which is 0 for w = 2. */
import { Graph } from "../../worker-runtime/graph/graph.js";
import * as ops from "../../worker-runtime/graph/ops/index.js";

export function lineGraph(): Graph {
  const graph = new Graph();
  const x = ops.constant(graph, [[0], [1], [2], [3]], { dtype: "float32", name: "x" });
  const y = ops.constant(graph, [[0], [2], [4], [6]], { dtype: "float32", name: "y" });
  const w = ops.variable(graph, [[0.5]], { name: "w" });
  ops.reduceMean(ops.square(ops.subtract(ops.matMul(x, w.value), y)), undefined, { name: "loss" });
  return graph;
}
