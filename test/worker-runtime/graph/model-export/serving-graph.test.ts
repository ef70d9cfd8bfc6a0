import { describe, expect, test } from "vitest";
import { Graph } from "../../../../worker-runtime/graph/graph.js";
import {
  frozenGraph,
  placeholdersFor,
  servingGraph,
  signatureNames,
} from "../../../../worker-runtime/graph/model-export/index.js";
import * as ops from "../../../../worker-runtime/graph/ops/index.js";
import { Tensor } from "../../../../worker-runtime/protocol/tensor.js";

/** out = double(x) · w, where x is computed from data; a target changes w. */
function graph() {
  const graph = new Graph();
  const data = ops.placeholder(graph, "float32", [-1, 2], { name: "data" });
  const x = graph.withDevice("/job:worker/task:1", () => ops.multiply(data, 2, { name: "scope/x" }));
  const w = ops.variable(graph, [[1], [2]], { name: "w" });
  ops.matMul(x, w.value, { name: "out" });
  graph.op("AssignAdd", [w.handle, ops.constant(graph, [[1], [1]], { dtype: "float32" })], {}, "grow");
  const queue = graph.op("FIFOQueueV2", [], { component_types: ["float32"] }, "queue").output;
  graph.op("QueueDequeueV2", [queue], { component_types: ["float32"] }, "item");
  return graph.toGraphDef();
}

const OUT = { out: "out:0" };
const opsOf = (nodes: readonly { readonly name: string; readonly op: string }[]) =>
  Object.fromEntries(nodes.map(({ name, op }) => [name, op]));

describe("the graph of a model", () => {
  test("has what its outputs need, without devices, and variables as resources", () => {
    const served = servingGraph(graph(), { inputs: { data: "data" }, outputs: OUT });
    expect(served.graphDef.node.every(({ device }) => device === "")).toBe(true);
    expect(opsOf(served.graphDef.node)).toMatchObject({
      data: "Placeholder",
      w: "VarHandleOp",
      "w/Read/ReadVariableOp": "ReadVariableOp",
      out: "MatMul",
    });
    expect(opsOf(served.graphDef.node)).not.toHaveProperty("grow");
    expect(served.variables).toEqual([{ name: "w", dtype: "float32", shape: [2, 1] }]);
  });

  test("is given an input instead of computing it", () => {
    const served = servingGraph(graph(), { inputs: { x: "scope/x:0" }, outputs: OUT });
    expect(opsOf(served.graphDef.node)).toMatchObject({ "scope/x": "Placeholder" });
    expect(opsOf(served.graphDef.node)).not.toHaveProperty("data");
    expect(Graph.fromGraphDef(served.graphDef).tensor("scope/x:0").shape).toEqual([-1, 2]);
  });

  test("cannot leave out a placeholder, or have a queue", () => {
    expect(() => servingGraph(graph(), { inputs: {}, outputs: OUT })).toThrow("make data an input");
    expect(() => servingGraph(graph(), { inputs: {}, outputs: { item: "item:0" } })).toThrow(
      "queue (FIFOQueueV2)",
    );
    expect(() => servingGraph(graph(), { inputs: {}, outputs: { o: "oout" } })).toThrow("Did you mean out?");
    expect(() => servingGraph(graph(), { inputs: {}, outputs: {} })).toThrow("A model needs an output");
  });

  test("is frozen with constants for variables, unless it changes them", () => {
    const values = new Map([["w", Tensor.of([[3], [4]], "float32")]]);
    const frozen = frozenGraph(servingGraph(graph(), { inputs: { data: "data" }, outputs: OUT }), values);
    expect(opsOf(frozen.node)).toMatchObject({ w: "Const", "w/Read/ReadVariableOp": "Identity" });
    const growing = servingGraph(graph(), { inputs: {}, outputs: { grown: "grow:0" } });
    expect(opsOf(growing.graphDef.node)).toMatchObject({ w: "VariableV2" });
    expect(() => frozenGraph(growing, values)).toThrow("grow (AssignAdd)");
  });

  test("names its inputs and outputs for Python", () => {
    expect(signatureNames(["a/x:0", "b/x:0", "top/BiasAdd:0", "split:1", "2d:0"])).toEqual({
      a_x: "a/x:0",
      b_x: "b/x:0",
      BiasAdd: "top/BiasAdd:0",
      split_1: "split:1",
      _2d: "2d:0",
    });
    expect(placeholdersFor(graph().node, ["out:0"])).toEqual({ data: "data:0" });
    expect(placeholdersFor(graph().node, ["out:0"], new Set(["scope/x:0"]))).toEqual({});
  });
});
