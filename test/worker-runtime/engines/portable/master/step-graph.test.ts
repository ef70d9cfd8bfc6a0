import { expect, test } from "vitest";
import { DataType } from "../../../../../protos/generated/tensorflow/types.js";
import { typeAttr } from "../../../../../worker-runtime/graph/attr-values.js";
import { add, attrText, constant, countingLoop, identity, node, placeholder } from "./node-makers.js";
import { clientDevice, sessionGraph, stepGraph, WORKER_0 } from "./session-parts.js";

const graph = sessionGraph([
  placeholder("p"),
  constant("k", 1),
  add("x", "p", "k"),
  identity("q", "x"),
  node("after", "NoOp", ["^p"]),
  node("nothing", "NoOp"),
  identity("unneeded", "k"),
]);

test("only what fetches and targets need is kept, each node after its inputs", () => {
  const { nodes, roots } = stepGraph(graph, { fetches: ["q:0"], targets: ["nothing"] });
  expect([...nodes.keys()]).toEqual(["nothing", "p", "k", "x", "q", "_send_q_0"]);
  expect(roots).toEqual(["nothing", "_send_q_0"]);
});

test("a feed takes the place of a tensor, and of the placeholder that others wait for", () => {
  const { nodes, feeds, devices } = stepGraph(graph, {
    feeds: ["p:0"],
    fetches: ["x"],
    targets: ["after"],
  });
  expect([...nodes.keys()].sort()).toEqual(["_recv_p_0", "_send_x_0", "after", "k", "x"]);
  expect(nodes.get("x")?.inputs[0]).toEqual({ node: "_recv_p_0", output: 0 });
  expect(nodes.get("after")?.controls).toEqual(["_recv_p_0"]);
  expect(devices.get("_recv_p_0")).toBe(WORKER_0);
  expect(feeds.get("p:0")).toEqual({
    key: `${WORKER_0};f000000000000001;${WORKER_0};p:0;0:0`,
    dataType: DataType.DT_FLOAT,
    node: "_recv_p_0",
  });
});

test("the nodes for feeds and fetches have the attributes that workers expect", () => {
  const { nodes, fetches } = stepGraph(graph, { feeds: ["p:0"], fetches: ["x:0"] });
  const recv = nodes.get("_recv_p_0")?.toNodeDef(WORKER_0);
  const attrs = Object.fromEntries(
    [...(recv?.attr.keys() ?? [])].map((name) => [name, recv && attrText(recv, name)]),
  );
  expect(attrs).toEqual({
    tensor_type: "1",
    tensor_name: "p:0",
    send_device: WORKER_0,
    send_device_incarnation: BigInt.asIntN(64, clientDevice.incarnation).toString(),
    recv_device: WORKER_0,
    client_terminated: "true",
  });
  expect(fetches.get("x:0")).toBe(`${WORKER_0};f000000000000001;${WORKER_0};x:0;0:0`);
});

test("a feed that the step does not need is left out", () => {
  expect(stepGraph(graph, { feeds: ["p:0"], fetches: ["k:0"] }).feeds.size).toBe(0);
});

test("a tensor in the middle may be fed, and connected to another one", () => {
  const fed = stepGraph(graph, { feeds: ["x:0"], fetches: ["q:0"] });
  expect([...fed.nodes.keys()]).toEqual(["_recv_x_0", "q", "_send_q_0"]);
  const connected = stepGraph(graph, { fetches: ["x:0"], connections: [{ from: "k:0", to: "p:0" }] });
  expect(connected.nodes.get("x")?.inputs).toEqual([
    { node: "k", output: 0 },
    { node: "k", output: 0 },
  ]);
});

test("two spellings of one tensor are two fetches", () => {
  const { fetches, roots } = stepGraph(graph, { fetches: ["k:0", "k"] });
  expect([...fetches.keys()]).toEqual(["k:0", "k"]);
  expect(new Set(roots).size).toBe(2);
});

test("the body of a loop is part of the step", () => {
  const { nodes } = stepGraph(sessionGraph(countingLoop(3, "")), { fetches: ["exit:0"] });
  expect(nodes.size).toBe(14);
});

test("a deep graph takes no deep stack", () => {
  const chain = Array.from({ length: 20_000 }, (_, i) => identity(`n${i}`, i === 0 ? "k" : `n${i - 1}`));
  const deep = sessionGraph([constant("k", 1), ...chain], { maxNodes: 30_000 });
  expect(stepGraph(deep, { fetches: ["n19999:0"] }).nodes.size).toBe(20_002);
});

// Codes and texts as TensorFlow 2.21's master answers them (measured).
test.each([
  [{ fetches: ["nobody:0"] }, 5, "FetchOutputs node nobody:0: not found"],
  [{ fetches: ["x:5"] }, 3, "FetchOutputs x:5: output index too large, must be < 1"],
  [{ fetches: ["nothing:0"] }, 3, "Tried to fetch data for 'nothing:0', which produces no output."],
  [{ targets: ["nobody"] }, 5, "nobody"],
  [{ feeds: ["nobody:0"], fetches: ["k:0"] }, 5, "FeedInputs: unable to find feed output nobody:0"],
  [{ feeds: ["p:5"], fetches: ["k:0"] }, 3, "FeedInputs: p:5 should have output index < 1"],
  [{ feeds: ["p:0"], fetches: ["p:0"] }, 3, "p:0 is both fed and fetched."],
  [
    { fetches: ["x:0"], connections: [{ from: "nobody:0", to: "p:0" }] },
    3,
    "Requested tensor connection from unknown node",
  ],
])("%j is refused", (parts, code, text) => {
  expect(() => stepGraph(graph, parts)).toThrow(
    expect.objectContaining({ code, message: expect.stringContaining(text) }),
  );
});

test("a node without all its inputs fails the step that needs it", () => {
  const incomplete = sessionGraph([constant("k", 1), node("x", "AddV2", ["k"], { T: typeAttr("float32") })]);
  expect(() => stepGraph(incomplete, { fetches: ["x:0"] })).toThrow(
    "Incomplete graph, missing 1 inputs for x",
  );
  expect(() => stepGraph(incomplete, { fetches: ["k:0"] })).not.toThrow();
});
