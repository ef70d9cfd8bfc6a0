import { describe, expect, test } from "vitest";
import type { GraphDef } from "../../../protos/generated/tensorflow/graph.js";
import { addFunction } from "../../../worker-runtime/graph/functions/body-graph.js";
import { IndexedSlices } from "../../../worker-runtime/graph/gradients/gradient.js";
import { gradients } from "../../../worker-runtime/graph/gradients/gradients.js";
import { Graph } from "../../../worker-runtime/graph/graph.js";
import * as ops from "../../../worker-runtime/graph/ops/index.js";

describe("gradients", () => {
  test("stand in a scope of their own, named after the operations that they belong to", () => {
    const graph = new Graph();
    const x = ops.placeholder(graph, "float32", [2], { name: "x" });
    const [gradient] = gradients(ops.square(x, { name: "y" }), x);
    expect(gradient).toMatchObject({ name: "gradients/y_grad/Mul_1:0", shape: [2] });
    const [other] = gradients(ops.exp(x), x, { name: "others" });
    expect(other).toMatchObject({ name: "others/Exp_grad/Mul:0" });
  });

  test("name the node and the path where an op has none", () => {
    const graph = new Graph();
    const x = ops.placeholder(graph, "float32", [2, 2], { name: "x" });
    const middle = ops.exp(x, { name: "middle" });
    const y = ops.square(graph.op("MatrixLogarithm", [graph.op("Cast", [middle], { DstT: "complex64" })]));
    expect(() => gradients(y, x)).toThrow(
      "Square:0 is complex64; only floating-point tensors have gradients.",
    );
    const z = ops.square(graph.op("TopK", [middle], { k: 1 }, "bad").outputAt(0), { name: "z" });
    expect(() => gradients(z, x)).toThrow(
      'No gradient is defined for the op "TopK" of node "bad", which is on the way from x to z:0: x → middle → bad.',
    );
    const loss = ops.add(ops.multiply(graph.op("StopGradient", [z]), x), x);
    expect(gradients(loss, x)).toHaveLength(1);
  });

  test("of what nothing depends on are undefined, or zeros if wished", () => {
    const graph = new Graph();
    const [x, apart] = [ops.placeholder(graph, "float32", [2]), ops.placeholder(graph, "float32", [3])];
    const y = ops.square(x);
    expect(gradients(y, [apart])).toEqual([undefined]);
    expect(gradients(y, [apart], { unconnectedGradients: "zero" })).toMatchObject([{ shape: [3] }]);
  });

  test("do not pass what is stopped", () => {
    const graph = new Graph();
    const x = ops.placeholder(graph, "float32", [2], { name: "x" });
    const inner = ops.square(x);
    const y = ops.multiply(inner, x);
    const [through, stopped] = [gradients(y, x), gradients(y, x, { stopGradients: [inner] })];
    expect(through).toMatchObject([{ op: { type: "AddN" } }]);
    expect(stopped).toMatchObject([{ op: { type: "Mul" } }]);
  });

  test("of gathered rows of a variable are those rows", () => {
    const graph = new Graph();
    const table = ops.variable(graph, ops.zeros(graph, [100, 4]), { kind: "resource", name: "table" });
    const ids = ops.placeholder(graph, "int32", [-1]);
    const lookup = () => graph.op("ResourceGather", [table.handle, ids], { dtype: "float32" }).output;
    const [gradient] = gradients([lookup(), lookup()], table);
    expect(gradient).toBeInstanceOf(IndexedSlices);
    expect(gradient).toMatchObject({ values: { op: { type: "ConcatV2" } } });
  });

  test("are placed with their operations if wished", () => {
    const graph = new Graph();
    const x = ops.placeholder(graph, "float32", [2], { name: "x" });
    const y = graph.withDevice("/job:worker/task:1", () => ops.exp(x, { name: "y" }));
    const [gradient] = gradients(y, x, { colocateGradientsWithOps: true });
    expect(gradient).toMatchObject({ op: { device: "/job:worker/task:1", colocationGroups: ["loc:@y"] } });
  });

  test("of a loop come from a loop that runs backward, with lists of what its iterations computed", () => {
    const graph = new Graph();
    const x = ops.placeholder(graph, "float32", [], { name: "x" });
    const [result] = ops.whileLoop(
      graph,
      (v) => ops.less(v, 10),
      (v) => [ops.multiply(v, v)],
      [x],
    );
    if (!result) throw new Error("no result");
    const [gradient] = gradients(result, x);
    expect(gradient).toMatchObject({ op: { type: "StatelessWhile" }, shape: [] });
    const kept = graph.operations.filter(({ type }) => type === "TensorListPushBack");
    expect(kept.map(({ inputs }) => inputs[1]?.name)).toEqual(["while/Identity:0"]);
  });

  test("of a loop over batches of any size know the ranks of its variables", () => {
    const graph = new Graph();
    const x = ops.placeholder(graph, "float32", [-1, 3], { name: "x" });
    const [, result] = ops.whileLoop(
      graph,
      (i) => ops.less(i ?? x, 3),
      (i, value) => [
        ops.add(i ?? x, 1),
        graph.op("AddV2", [value ?? x, graph.op("GatherV2", [value ?? x, [0], 1])]).output,
      ],
      [ops.constant(graph, 0, { dtype: "int32" }), x],
    );
    if (!result) throw new Error("no result");
    expect(gradients(result, x)).toMatchObject([{ op: { type: "StatelessWhile" } }]);
  });

  test("of a loop whose variable has another size in each iteration assume none", () => {
    const graph = new Graph();
    const x = graph.op("PlaceholderWithDefault", [[1, 2, 3]], { shape: [-1] }).output;
    const [, result] = ops.whileLoop(
      graph,
      (i) => ops.less(i ?? x, 3),
      (i, value) => [
        ops.add(i ?? x, 1),
        graph.op("ConcatV2", [[value ?? x, value ?? x], 0], { N: 2 }).output,
      ],
      [ops.constant(graph, 0, { dtype: "int32" }), x],
    );
    if (!result) throw new Error("no result");
    expect(gradients(result, x)).toMatchObject([{ op: { type: "StatelessWhile" }, shape: [-1] }]);
  });

  test("give a call its intermediate results as further outputs, and keep the outputs that it has", () => {
    const graph = Graph.fromGraphDef(withFunction());
    const [x, y] = [graph.tensor("x"), graph.tensor("call")];
    const [gradient] = gradients(y, x);
    expect(gradient).toMatchObject({ op: { type: "PartitionedCall" } });
    expect(graph.tensor("call")).toBe(y);
    expect(y.op.outputs.map(({ dtype }) => dtype)).toEqual(["float32", "float32"]);
    const names = graph.toGraphDef().library?.function.map(({ signature }) => signature?.name);
    expect(names).toEqual(["inner", "inner_forward", "inner_backward"]);
  });

  test("name the function that is missing", () => {
    const { library: _, ...graphDef } = withFunction();
    const graph = Graph.fromGraphDef({ ...graphDef, library: undefined });
    expect(() => gradients(graph.tensor("call"), graph.tensor("x"))).toThrow(
      'The graph has no function "inner".',
    );
  });
});

/** sin(exp(x)) as a function that a graph calls. */
function withFunction(): GraphDef {
  const body = new Graph();
  const arg = ops.placeholder(body, "float32", [2], { name: "x" });
  const graph = new Graph({ functions: body.functions });
  const result = body.op("Sin", [body.op("Exp", [arg])]).output;
  addFunction(graph, { name: "inner", args: [arg], nodes: body.operations, results: [result] });
  const x = ops.placeholder(graph, "float32", [2], { name: "x" });
  graph.op("PartitionedCall", [[x]], { f: "inner", Tout: ["float32"] }, "call");
  return graph.toGraphDef();
}
