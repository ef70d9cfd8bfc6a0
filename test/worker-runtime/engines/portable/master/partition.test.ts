import { expect, test } from "vitest";
import type { NodeDef } from "../../../../../protos/generated/tensorflow/node_def.js";
import { DataType } from "../../../../../protos/generated/tensorflow/types.js";
import { partitionGraph } from "../../../../../worker-runtime/engines/portable/master/partition.js";
import { withoutPauses } from "../../../../../worker-runtime/engines/portable/pauses.js";
import { CROSSINGS_ATTR } from "../../../../../worker-runtime/engines/portable/regions/waiting-ops.js";
import { bundledOpRegistry } from "../../../../../worker-runtime/graph/op-registry.js";
import {
  add,
  assign,
  attrText,
  constant,
  countingLoop,
  identity,
  node,
  placeholder,
  variable,
} from "./node-makers.js";
import { kernels, PS_0, sessionGraph, stepGraph, WORKER_0, WORKER_1 } from "./session-parts.js";

const TASK_0 = "/job:worker/replica:0/task:0";
const TASK_1 = "/job:worker/replica:0/task:1";

interface CutOptions {
  readonly feeds?: readonly string[];
  readonly isPartial?: boolean;
}

/** The partitions of a step by task. */
function cut(
  nodes: readonly NodeDef[],
  fetches: readonly string[],
  targets: readonly string[] = [],
  { feeds = [], isPartial = false }: CutOptions = {},
) {
  let names = 0;
  const tools = {
    ops: bundledOpRegistry(),
    kernels,
    isPartial,
    incarnationOf: (device: string) => (device === WORKER_1 ? 0x8000000000000002n : 1n),
    newName: (prefix: string) => {
      names += 1;
      return `${prefix}_S${names}`;
    },
  };
  const graph = stepGraph(sessionGraph(nodes), { feeds, fetches, targets });
  const partitions = withoutPauses(partitionGraph(graph, tools));
  return new Map(partitions.map((partition) => [partition.task, partition.nodes]));
}

function outline(nodes: readonly NodeDef[] | undefined): string[] {
  return (nodes ?? []).map(({ name, op, input }) => `${name} = ${op}(${input.join(", ")})`);
}

test("what is on one task is one partition, without _Send and _Recv but the client's", () => {
  const partitions = cut([constant("k", 1), identity("x", "k")], ["x:0"]);
  expect([...partitions.keys()]).toEqual([TASK_0]);
  expect(outline(partitions.get(TASK_0))).toEqual(["k = Const()", "x = Identity(k)", "_send_x_0 = _Send(x)"]);
});

test("a tensor goes to another task once, and comes back", () => {
  const partitions = cut(
    [constant("k", 1, "/task:1"), add("x", "k", "k", "/task:0"), identity("y", "k", "/task:0")],
    ["x:0", "y:0"],
  );
  expect(outline(partitions.get(TASK_1))).toEqual(["k = Const()", "k_S1 = _Send(k)"]);
  expect(outline(partitions.get(TASK_0))).toEqual([
    "k_S2 = _Recv()",
    "x = AddV2(k_S2, k_S2)",
    "y = Identity(k_S2)",
    "_send_x_0 = _Send(x)",
    "_send_y_0 = _Send(y)",
  ]);
  const send = partitions.get(TASK_1)?.find(({ op }) => op === "_Send");
  const recv = partitions.get(TASK_0)?.find(({ op }) => op === "_Recv");
  for (const end of [send, recv]) {
    expect(end && attrText(end, "tensor_name")).toBe("edge_0_k");
    expect(end && attrText(end, "send_device")).toBe(WORKER_1);
    expect(end && attrText(end, "recv_device")).toBe(WORKER_0);
    // The bits of the incarnation, with a sign.
    expect(end && attrText(end, "send_device_incarnation")).toBe("-9223372036854775806");
    expect(end && attrText(end, "client_terminated")).toBe("false");
  }
  expect(send?.device).toBe(WORKER_1);
  expect(recv?.device).toBe(WORKER_0);
});

test("waiting for a node of another task is an empty tensor", () => {
  const partitions = cut(
    [constant("k", 1, "/task:1"), node("wait", "NoOp", ["^k"], {}, "/task:0")],
    [],
    ["wait"],
  );
  expect(outline(partitions.get(TASK_1))).toEqual([
    "k = Const()",
    "k/ctrl_S1 = Const(^k)",
    "k_S2 = _Send(k/ctrl_S1)",
  ]);
  expect(outline(partitions.get(TASK_0))).toEqual([
    "k_S3 = _Recv()",
    "k_S4 = Identity(k_S3)",
    "wait = NoOp(^k_S4)",
  ]);
});

test("a reference leaves its task as a value", () => {
  const partitions = cut(
    [
      variable("v", "/job:ps"),
      constant("one", 1),
      assign("set", "v", "one"),
      identity("read", "set", "/job:worker"),
    ],
    ["read:0"],
  );
  const send = partitions.get("/job:ps/replica:0/task:0")?.find(({ op }) => op === "_Send");
  expect(send?.device).toBe(PS_0);
  expect(send && attrText(send, "T")).toBe("1");
});

test("a loop over two tasks gets a control loop that the condition drives", () => {
  const partitions = cut(countingLoop(5, "/task:1"), ["exit:0"]);
  const remote = partitions.get(TASK_1) ?? [];
  const named = (op: string) => remote.filter((one) => one.op === op);
  const [enter] = named("Enter").filter(({ name }) => name.startsWith("_cloop"));
  const [merge] = named("Merge");
  const [decision] = named("Switch");
  const [next] = named("NextIteration");
  expect(enter && attrText(enter, "frame_name")).toBe("while");
  expect(merge?.input).toEqual([enter?.name, next?.name]);
  expect(decision?.input[0]).toBe(merge?.name);
  expect(next?.input).toEqual([`${decision?.name}:1`]);
  // A tensor from inside of the loop is received once in each iteration.
  const received = new Map(named("_Recv").map((recv) => [recv.name, recv.input]));
  expect(received.get(decision?.input[1] ?? "")).toEqual([`^${merge?.name}`]);
  const increment = remote.find(({ name }) => name === "increment");
  expect(received.get(increment?.input[0] ?? "")).toEqual([`^${merge?.name}`]);
  // So does the loop's own task for what comes back to it.
  const own = partitions.get(TASK_0) ?? [];
  const back = own.find(({ op, input }) => op === "_Recv" && input.length === 1);
  expect(own.find(({ name }) => name === "next")?.input).toEqual([back?.name]);
  expect(own.find(({ name }) => `^${name}` === back?.input[0])?.op).toBe("Merge");
});

test("a loop that stays on one task is left as it is", () => {
  const partitions = cut([...countingLoop(5, ""), identity("result", "exit", "/task:1")], ["result:0"]);
  expect([...partitions.values()].flat().some(({ name }) => name.startsWith("_cloop"))).toBe(false);
});

test("what is constant in a loop and comes from another task is received in each iteration", () => {
  const nodes = countingLoop(5, "/task:1").map((one) =>
    one.name === "one_in" ? { ...one, device: "/task:0" } : one,
  );
  const remote = cut(nodes, ["exit:0"]).get(TASK_1) ?? [];
  const [merge] = remote.filter(({ op }) => op === "Merge");
  const increment = remote.find(({ name }) => name === "increment");
  const received = increment?.input.map((input) => remote.find(({ name }) => name === input)?.input);
  expect(received).toEqual([[`^${merge?.name}`], [`^${merge?.name}`]]);
});

/** By Recv how many times a value on its way to it goes from task to task; undefined where it may wait for anything. */
function crossings(nodes: readonly NodeDef[] | undefined): readonly (string | undefined)[] {
  return (nodes ?? [])
    .filter(({ op }) => op === "_Recv")
    .map((recv) => (recv.attr.has(CROSSINGS_ATTR) ? attrText(recv, CROSSINGS_ATTR) : undefined));
}

test("a Recv says how many times what it waits for has gone from task to task", () => {
  const partitions = cut(
    [
      constant("k", 1, "/task:1"),
      identity("there", "k", "/task:0"),
      identity("back", "there", "/task:1"),
      add("again", "back", "k", "/task:0"),
    ],
    ["again:0"],
  );
  expect(crossings(partitions.get(TASK_1))).toEqual(["2"]);
  expect(crossings(partitions.get(TASK_0))).toEqual(["1", "3"]);
});

test("a Recv of what a queue may hold up says nothing, nor does one in a loop", () => {
  const types = { s: [], i: [], f: [], b: [], shape: [], tensor: [], func: [], type: [DataType.DT_FLOAT] };
  const attrs = { component_types: { value: { $case: "list" as const, value: types } } };
  const queue = (name: string, op: string, input: string[]) => node(name, op, input, attrs, "/task:1");
  const nodes = [
    queue("queue", "FIFOQueueV2", []),
    queue("value", "QueueDequeueV2", ["queue"]),
    identity("there", "value", "/task:0"),
  ];
  expect(crossings(cut(nodes, ["there:0"]).get(TASK_0))).toEqual([undefined]);
  const looped = crossings(cut(countingLoop(5, "/task:1"), ["exit:0"]).get(TASK_1));
  expect(looped.length).toBeGreaterThan(0);
  expect(looped.every((known) => known === undefined)).toBe(true);
});

test("a feed has not gone from task to task, and says nothing in a partial run", () => {
  const nodes = [placeholder("x"), identity("y", "x", "/task:1")];
  expect(crossings(cut(nodes, ["y:0"], [], { feeds: ["x:0"] }).get(TASK_0))).toEqual(["0", "2"]);
  expect(crossings(cut(nodes, ["y:0"], [], { feeds: ["x:0"], isPartial: true }).get(TASK_0))).toEqual([
    undefined,
    undefined,
  ]);
});
