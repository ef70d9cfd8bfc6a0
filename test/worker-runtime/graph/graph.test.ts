import { describe, expect, test } from "vitest";
import { GraphDef } from "../../../protos/generated/tensorflow/graph.js";
import { NodeDef } from "../../../protos/generated/tensorflow/node_def.js";
import { examples } from "../../../worker-runtime/graph/examples/index.js";
import { Graph } from "../../../worker-runtime/graph/graph.js";
import * as ops from "../../../worker-runtime/graph/ops/index.js";
import { ancestors, consumers, scopeTree, topologicalOrder } from "../../../worker-runtime/graph/topology.js";

// That graphs are the ones that TensorFlow's Python builds is tested against it in test/interop.
describe("building", () => {
  test("values become constants of the dtype that the other inputs have", () => {
    const graph = new Graph();
    const x = ops.placeholder(graph, "int64", [-1], { name: "x" });
    const sum = ops.add(x, 1, { name: "sum" });
    expect(sum.dtype).toBe("int64");
    expect(sum.op.inputs.map((input) => input.name)).toEqual(["x:0", "sum/y:0"]);
    expect(ops.subtract(1, x).op.inputs[0]?.dtype).toBe("int64");
  });

  test("any op by name, attributes inferred or given", () => {
    const graph = new Graph();
    const image = ops.placeholder(graph, "float32", [1, 8, 8, 3]);
    const filter = ops.zeros(graph, [3, 3, 3, 4]);
    const conv = graph.op("Conv2D", [image, filter], { strides: [1, 1, 1, 1], padding: "SAME" }, "conv");
    expect(conv.output.dtype).toBe("float32");
    expect(conv.attrs.get("data_format")).toBeDefined();
  });

  test.each<[string, (g: Graph) => unknown]>([
    ["Did you mean Softmax", (g) => g.op("Sotfmax", [ops.zeros(g, [2, 2])])],
    ["'AddV2' takes 2 inputs (x, y), but 1 were given", (g) => g.op("AddV2", [ops.zeros(g, [])])],
    [
      "has type int32 that does not match type float32",
      (g) => ops.add(ops.zeros(g, []), ops.zeros(g, [], { dtype: "int32" })),
    ],
    ["'MatMul': 'T' cannot be string", (g) => ops.matMul(ops.constant(g, [["a"]]), ops.constant(g, [["b"]]))],
    [
      "'Conv2D' needs the attribute 'strides'",
      (g) => g.op("Conv2D", [ops.zeros(g, [1, 1, 1, 1]), ops.zeros(g, [1, 1, 1, 1])], { padding: "SAME" }),
    ],
    [
      "has no attribute 'transposeA'. Did you mean transpose_a",
      (g) => g.op("MatMul", [ops.zeros(g, [1, 1]), ops.zeros(g, [1, 1])], { transposeA: true }),
    ],
    ["requires a reference", (g) => g.op("Assign", [ops.zeros(g, []), ops.zeros(g, [])])],
    [
      "the inner sizes, 3 and 2, must be equal",
      (g) => ops.matMul(ops.zeros(g, [2, 3]), ops.zeros(g, [2, 3])),
    ],
    ["shapes [2] and [3] do not fit together", (g) => ops.add(ops.zeros(g, [2]), ops.zeros(g, [3]))],
    ["is a tensor of another graph", (g) => ops.add(ops.zeros(g, []), ops.zeros(new Graph(), []))],
    ["'a b' is not a valid scope name", (g) => ops.zeros(g, [], { name: "a b" })],
    ["is not a device name", (g) => g.withDevice("/jobs:worker", () => undefined)],
    [
      'x:1 does not exist: Const node "x" has one output',
      (g) => ops.constant(g, 1, { name: "x" }).op.outputAt(1),
    ],
    ['has no node "xs". Did you mean x?', (g) => [ops.constant(g, 1, { name: "x" }), g.operation("xs")]],
    [
      "Attribute 'T' of 'Cast'",
      (g) => g.op("Cast", [ops.zeros(g, [])], { SrcT: "int32", DstT: "int32", T: "int32" }),
    ],
  ])("refuses: %s", (expected, build) => {
    const graph = new Graph();
    if (expected.startsWith("Attribute")) expect(() => build(graph)).toThrow("'Cast' has no attribute 'T'");
    else expect(() => build(graph)).toThrow(expected);
  });

  test("a failed node leaves nothing behind but the constants made for it", () => {
    const graph = new Graph();
    const a = ops.zeros(graph, [2]);
    expect(() => ops.add(a, [1, 2, 3], { name: "sum" })).toThrow("do not fit");
    expect(graph.operations.map((op) => op.name)).toEqual(["zeros", "sum/y"]);
  });

  test("only the new part is handed out to a session that knows the rest", () => {
    const graph = new Graph();
    const a = ops.constant(graph, 1, { name: "a" });
    const known = graph.size;
    ops.negative(a, { name: "b" });
    expect(graph.toGraphDef(known).node.map((n) => n.name)).toEqual(["b"]);
  });

  test("a loop may use tensors from outside; its variables keep their dtype and shape", () => {
    const graph = new Graph();
    const step = ops.constant(graph, 2, { name: "step" });
    const [result] = ops.whileLoop(
      graph,
      (i) => ops.less(i, step),
      (i) => [ops.add(ops.multiply(i, step), step)],
      [0],
    );
    expect(result?.op.type).toBe("Exit");
    expect(
      graph.operations.filter((op) => op.inputs.some((input) => input.op === step.op)).map((op) => op.type),
    ).toEqual(["Enter"]);
    expect(() =>
      ops.whileLoop(
        graph,
        (i) => ops.less(i, 1),
        () => [ops.zeros(graph, [2])],
        [0],
      ),
    ).toThrow("must keep its shape");
    expect(() =>
      ops.whileLoop(
        graph,
        (i) => ops.less(i, 1),
        () => [],
        [0],
      ),
    ).toThrow("its body makes 0 values");
  });
});

describe("reading graphs", () => {
  test("nodes in any order, loops, unknown attributes", () => {
    const built = new Graph();
    ops.whileLoop(
      built,
      (i) => ops.less(i, 10),
      (i) => [ops.add(i, 1)],
      [0],
    );
    const graphDef = built.toGraphDef();
    graphDef.node.reverse();
    graphDef._unknownFields = { [99 << 3]: [new Uint8Array([5])] };
    graphDef.node[0]?.attr.set("_mine", { value: { $case: "i", value: 1n } });
    const read = Graph.fromGraphDef(graphDef);
    expect(GraphDef.encode(read.toGraphDef()).finish()).toEqual(GraphDef.encode(graphDef).finish());
    expect(read.operation("while/Exit").output.dtype).toBe("float32");
    expect(read.operation("while/Exit").output.shape).toBeUndefined();
  });

  test("a chain deeper than a call stack", () => {
    const node = [
      NodeDef.fromPartial({
        name: "n0",
        op: "Placeholder",
        attr: new Graph().op("Placeholder", [], { dtype: "float32", shape: [3] }).attrs as Map<string, never>,
      }),
    ];
    const attr = node[0]?.attr;
    for (let i = 1; i < 20_000; i++) {
      node.push(
        NodeDef.fromPartial({
          name: `n${i}`,
          op: "Neg",
          input: [`n${i - 1}`],
          attr: new Map([["T", attr?.get("dtype") ?? { value: undefined }]]),
        }),
      );
    }
    const graph = Graph.fromGraphDef(GraphDef.fromPartial({ node }));
    expect(graph.operation("n19999").output.shape).toEqual([3]);
    expect(topologicalOrder(node).order.length).toBe(20_000);
  });

  test("an input that no node has", () => {
    const node = [NodeDef.fromPartial({ name: "x", op: "NoOp", input: ["^y"] })];
    expect(() => Graph.fromGraphDef(GraphDef.fromPartial({ node }))).toThrow(
      'has the input "^y", but the graph has no node "y"',
    );
    const twice = [
      NodeDef.fromPartial({ name: "x", op: "NoOp" }),
      NodeDef.fromPartial({ name: "x", op: "NoOp" }),
    ];
    expect(() => Graph.fromGraphDef(GraphDef.fromPartial({ node: twice }))).toThrow('two nodes named "x"');
  });
});

describe("topology", () => {
  const nodes = (...lines: readonly [name: string, ...inputs: string[]][]) =>
    lines.map(([name, ...input]) => NodeDef.fromPartial({ name, op: "Any", input }));

  test("each node after its inputs, control inputs too", () => {
    const { order, cycle } = topologicalOrder(nodes(["z", "x", "y:1"], ["x", "a"], ["y", "^x"], ["a"]));
    expect(order.map((n) => n.name)).toEqual(["a", "x", "y", "z"]);
    expect(cycle).toBeUndefined();
  });

  test("a cycle is named in its direction; a while loop is none", () => {
    const { cycle, order } = topologicalOrder(
      nodes(["s"], ["a", "c", "s"], ["b", "a"], ["c", "b"], ["d", "c"]),
    );
    expect(new Set(cycle)).toEqual(new Set(["a", "b", "c"]));
    const [first = "", second = ""] = cycle ?? [];
    expect(`${first}${second}`).toMatch(/ab|bc|ca/);
    expect(order.length).toBe(5);
    const graph = new Graph();
    ops.whileLoop(
      graph,
      (i) => ops.less(i, 10),
      (i) => [ops.add(i, 1)],
      [0],
    );
    expect(topologicalOrder(graph.toGraphDef().node).cycle).toBeUndefined();
  });

  test("consumers and ancestors", () => {
    const graph = nodes(["a"], ["b", "a", "a"], ["c", "^a"], ["d", "b"], ["e"]);
    expect(consumers(graph).get("a")).toEqual(["b", "c"]);
    expect([...ancestors(graph, ["d"])].sort()).toEqual(["a", "b", "d"]);
  });

  test("name scopes; a node may be a scope at once", () => {
    const tree = scopeTree(nodes(["w"], ["w/Assign"], ["tower/a/b"], ["tower/c"]));
    expect(tree.nodeCount).toBe(4);
    expect(tree.children.map((c) => [c.name, c.node?.name, c.nodeCount])).toEqual([
      ["w", "w", 2],
      ["tower", undefined, 2],
    ]);
    expect(tree.children[1]?.children.map((c) => c.name)).toEqual(["tower/a", "tower/c"]);
  });
});

describe("examples", () => {
  test.each(examples.map((e) => [e.id, e] as const))(
    "%s is whole, and has a place for each of its nodes or for none",
    async (_, example) => {
      const { graphDef } = await example.build();
      if (!graphDef) throw new Error("no graph");
      expect(() => Graph.fromGraphDef(graphDef)).not.toThrow();
      const positions = graphDef.node.map((n) => [
        n.attr.get("_tensordeck_x")?.value,
        n.attr.get("_tensordeck_y")?.value,
      ]);
      // The window lays out the others.
      if (positions.flat().every((position) => position === undefined)) return;
      for (const position of positions.flat()) expect(position?.$case).toBe("f");
      expect(new Set(positions.map((position) => JSON.stringify(position.map((p) => p?.value)))).size).toBe(
        graphDef.node.length,
      );
    },
  );

  test("the welcome graph is the one of the first run", async () => {
    const nodes = (await examples[0]?.build())?.graphDef?.node ?? [];
    expect(nodes.map((n) => [n.name, n.op, n.device])).toEqual([
      ["a", "Const", "/job:worker/task:0"],
      ["b", "Const", "/job:worker/task:0"],
      ["x", "AddV2", "/job:worker/task:0"],
      ["y", "Mul", "/job:worker/task:0"],
      ["z", "AddV2", "/job:worker/task:1"],
    ]);
  });
});
