import { expect, test } from "vitest";
import type { FunctionDef } from "../../../../../protos/generated/tensorflow/function.js";
import { GraphDef } from "../../../../../protos/generated/tensorflow/graph.js";
import type { NodeDef } from "../../../../../protos/generated/tensorflow/node_def.js";
import { withoutPauses } from "../../../../../worker-runtime/engines/portable/pauses.js";
import { typeAttr } from "../../../../../worker-runtime/graph/attr-values.js";
import { unaryFunction } from "./function-makers.js";
import { add, constant, countingLoop, graphOf, identity, intAttr, node, placeholder } from "./node-makers.js";
import { sessionGraph } from "./session-parts.js";

const T = typeAttr("float32");

// Codes and texts as TensorFlow 2.21's master answers them (measured).
test.each<[string, NodeDef[], number, string]>([
  ["an unknown op", [node("x", "NoSuchOp")], 5, "Op type not registered 'NoSuchOp' in binary running on "],
  ["an input that is not there", [identity("x", "nobody")], 3, "Node 'x': Unknown input node 'nobody'"],
  [
    "a control input that is not there",
    [node("x", "NoOp", ["^nobody"])],
    3,
    "Node 'x': Unknown input node '^nobody'",
  ],
  [
    "an output that is not there",
    [constant("k", 1), identity("x", "k:3")],
    3,
    "Node 'x': Connecting to invalid output 3 of source node k which has 1 outputs.",
  ],
  [
    "a missing attribute",
    [constant("k", 1), node("x", "Identity", ["k"])],
    5,
    "No attr named 'T' in NodeDef:",
  ],
  [
    "an attribute of another kind",
    [constant("k", 1), node("x", "Identity", ["k"], { T: intAttr(1) })],
    3,
    "attr 'T'",
  ],
  [
    "a dtype that the op does not take",
    [constant("k", true, "", "bool"), node("x", "Neg", ["k"], { T: typeAttr("bool") })],
    3,
    "Value for attr 'T'",
  ],
  [
    "a list without end",
    [constant("k", 1), node("x", "AddN", ["k"], { T, N: intAttr(2 ** 40) })],
    3,
    "attr 'N' of 1099511627776",
  ],
  ["a name twice", [constant("k", 1), constant("k", 1)], 3, "Node 'k' is not unique"],
  ["a cycle", [identity("x", "y"), identity("y", "x")], 3, "2 nodes in a cycle"],
  [
    "another dtype",
    [constant("k", 1, "", "int32"), identity("x", "k")],
    3,
    "Input 0 of node x was passed int32 from k:0 incompatible with expected float.",
  ],
  [
    "a value where a reference is wanted",
    [constant("v", 1), constant("k", 1), node("x", "Assign", ["v", "k"], { T })],
    3,
    "Input 0 of node x was passed float from v:0 incompatible with expected float_ref.",
  ],
  [
    "too many inputs",
    [constant("k", 1), node("x", "Identity", ["k", "k"], { T })],
    3,
    "Input 1 of node x does not exist. Node only has 1 inputs.",
  ],
  ["a blank in a name", [constant("a b", 1)], 3, "Illegal op name 'a b'"],
  ["a name of the master's own kind", [constant("_recv_x_0", 1)], 3, "Illegal op name '_recv_x_0'"],
  [
    "a data input behind a control input",
    [constant("k", 1), node("x", "Identity", ["^k", "k"], { T })],
    3,
    "All control inputs must follow all data inputs",
  ],
])("%s is refused", (_what, nodes, code, text) => {
  expect(() => sessionGraph(nodes)).toThrow(
    expect.objectContaining({ code, message: expect.stringContaining(text) }),
  );
});

test("all unknown ops are named", () => {
  expect(() => sessionGraph([node("x", "NoSuchOp"), node("y", "NorThis"), node("z", "NorThis")])).toThrow(
    "Not registered either: NorThis.",
  );
});

test("the back edge of a loop is no cycle; unknown attributes and missing inputs do not matter before a step", () => {
  expect(() => sessionGraph(countingLoop(3, ""))).not.toThrow();
  expect(() =>
    sessionGraph([
      constant("k", 1),
      node("x", "AddV2", ["k"], { T, _mark: intAttr(1), strange: intAttr(1) }),
    ]),
  ).not.toThrow();
});

test("nodes get the defaults of their ops", () => {
  const graph = sessionGraph([placeholder("p"), node("x", "MatMul", ["p", "p"], { T })]);
  expect(graph.nodes.get("x")?.attrs.get("transpose_a")?.value).toEqual({ $case: "b", value: false });
});

test("an extension must know the version, and add only new nodes; one that is refused changes nothing", () => {
  const graph = sessionGraph([constant("k", 1)]);
  expect(() => withoutPauses(graph.extend(graphOf(constant("j", 1)), 5n))).toThrow(
    expect.objectContaining({ code: 10, message: "Current version is 0 but caller expected 5." }),
  );
  expect(() => withoutPauses(graph.extend(graphOf(constant("k", 1)), 0n))).toThrow(
    "GraphDef argument to Extend includes node 'k', which was created by a previous call to Create or Extend in this session.",
  );
  expect(() => withoutPauses(graph.extend(graphOf(constant("j", 1), node("x", "NoSuchOp")), 0n))).toThrow();
  expect(graph.version).toBe(0n);
  expect(withoutPauses(graph.extend(graphOf(constant("j", 1), add("sum", "j", "k")), 0n))).toBe(1n);
  expect(withoutPauses(graph.extend(undefined, 1n))).toBe(2n);
  expect([...graph.nodes.keys()]).toEqual(["k", "j", "sum"]);
});

test("an extension may repeat a function in another order of its attributes, but not with another body", () => {
  const graph = sessionGraph([constant("k", 1)]);
  const definition = unaryFunction("f", "Mul", 2);
  const [first, ...others] = definition.nodeDef.map((inner) => ({
    ...inner,
    attr: new Map([...inner.attr].reverse()),
  }));
  const extend = (version: bigint, library: FunctionDef) =>
    withoutPauses(graph.extend(GraphDef.fromPartial({ library: { function: [library] } }), version));
  expect(extend(0n, definition)).toBe(1n);
  expect(extend(1n, { ...definition, nodeDef: [...others, ...(first ? [first] : [])] })).toBe(2n);
  expect(() => extend(2n, unaryFunction("f", "Mul", 3))).toThrow(
    "Cannot add function 'f' because a different function with the same name already exists.",
  );
});

test("a graph has a limit of nodes", () => {
  expect(() => sessionGraph([constant("k", 1), constant("j", 1)], { maxNodes: 1 })).toThrow(
    expect.objectContaining({ code: 8 }),
  );
});
