import { describe, expect, test } from "vitest";
import { FunctionDefLibrary } from "../../../../../protos/generated/tensorflow/function.js";
import { runGraph } from "../../../../../worker-runtime/engines/portable/executor/executor.js";
import { waitingNodesOf } from "../../../../../worker-runtime/engines/portable/executor/waiting-nodes.js";
import type { OpContext } from "../../../../../worker-runtime/engines/portable/kernels/kernel.js";
import { deadlineExceeded, StatusCode } from "../../../../../worker-runtime/protocol/status.js";
import {
  binary,
  bool,
  constant,
  DEVICE,
  environment,
  func,
  int,
  node,
  stateful,
  text,
  type,
  typeList,
} from "./graph-fixture.js";

const T = type("int32");
const OTHER = "/job:ps/replica:0/task:1";

function untilAborted({ step }: OpContext): Promise<never> {
  return new Promise((_, reject) => {
    step.signal.addEventListener("abort", () => reject(step.signal.reason), { once: true });
  });
}

const recv = (name: string, clientTerminated = false) =>
  node("_Recv", name, [], {
    tensor_type: T,
    tensor_name: text(`edge_${name}`),
    send_device: text(`${OTHER}/device:CPU:0`),
    send_device_incarnation: int(1),
    recv_device: text(DEVICE),
    client_terminated: bool(clientTerminated),
  });

/** The error of a graph that a deadline ends when so many of its nodes wait. */
async function errorOf(
  nodes: Parameters<ReturnType<typeof environment>["run"]>[0],
  waiting: number,
  library?: FunctionDefLibrary,
) {
  const controller = new AbortController();
  let started = 0;
  const env = environment({
    signal: controller.signal,
    ...(library === undefined ? {} : { library }),
    kernels: [
      stateful("Rank", (context) => {
        started += 1;
        if (started === waiting) setImmediate(() => controller.abort(deadlineExceeded("too late")));
        return untilAborted(context);
      }),
    ],
  });
  return await env.run(nodes).catch((error: unknown) => error);
}

describe("a step that is ended names the nodes that wait", () => {
  test("and for what: the sending task of a tensor, a feed of the client, what a kernel waits for", async () => {
    const error = await errorOf(
      [
        recv("a"),
        recv("b", true),
        constant("k", 1, "int32"),
        node("Rank", "slow", ["k"], { T }),
        binary("AddV2", "behind", "a", "b", "int32"),
      ],
      1,
    );
    expect(error).toMatchObject({ code: StatusCode.DEADLINE_EXCEEDED });
    expect((error as Error).message).toBe(
      [
        "too late",
        "Nodes that wait:",
        `  {{node a}} (_Recv) waits for "edge_a", which ${OTHER} sends`,
        `  {{node b}} (_Recv) waits for "edge_b", which the client feeds`,
        `  {{node slow}} (Rank) waits for what its kernel on ${DEVICE} waits for`,
      ].join("\n"),
    );
  });

  test("the first few of them where they are many", async () => {
    const names = Array.from({ length: 20 }, (_, i) => `slow${i}`);
    const error = await errorOf(
      [constant("k", 1, "int32"), ...names.map((name) => node("Rank", name, ["k"], { T }))],
      names.length,
    );
    const nodes = waitingNodesOf((error as Error).message);
    expect(nodes).toHaveLength(9);
    expect(nodes.at(-1)).toBe("and 12 more");
  });

  test("those within a function in the place of the node that calls it", async () => {
    const library = FunctionDefLibrary.fromPartial({
      function: [
        {
          signature: {
            name: "Slow",
            inputArg: [{ name: "x", type: 3 }],
            outputArg: [{ name: "y", type: 3 }],
          },
          nodeDef: [node("Rank", "inner", ["x"], { T })],
          ret: new Map([["y", "inner:output:0"]]),
        },
      ],
    });
    const error = await errorOf(
      [
        constant("k", 1, "int32"),
        node("PartitionedCall", "call", ["k"], {
          Tin: typeList("int32"),
          Tout: typeList("int32"),
          f: func("Slow"),
        }),
      ],
      1,
      library,
    );
    expect(waitingNodesOf((error as Error).message)).toEqual([
      `{{node inner}} (Rank) waits for what its kernel on ${DEVICE} waits for`,
    ]);
  });

  test("but a node that fails is told without them", async () => {
    const env = environment({
      kernels: [stateful("Rank", untilAborted), stateful("Size", () => Promise.reject(new Error("broken")))],
    });
    const nodes = [
      constant("k", 1, "int32"),
      node("Rank", "slow", ["k"], { T }),
      node("Size", "size", ["k"], { T }),
    ];
    await expect(env.run(nodes)).rejects.toThrow(/^broken\n\t \[\[\{\{node size\}\}\]\]$/);
  });
});

test("a graph in which nothing can proceed names the nodes whose inputs never come", async () => {
  const env = environment();
  const frame = { T, frame_name: text("loop") };
  const graph = env.compile([
    constant("lost", 2, "int32"),
    constant("x", 1, "int32"),
    node("Enter", "first", ["x"], frame),
    node("Enter", "second", ["lost"], frame),
    binary("AddV2", "sum", "first", "second", "int32"),
    node("Exit", "out", ["sum"], { T }),
  ]);
  // No graph that is compiled halts: an edge that is lost stands for a fault of the executor.
  const firstEdge = graph.wiring.firstEdge.slice();
  firstEdge[0] = firstEdge[1] ?? 0;
  const broken = { ...graph, wiring: { ...graph.wiring, firstEdge } };
  await expect(runGraph(broken, { step: env.step })).rejects.toMatchObject({
    code: StatusCode.INTERNAL,
    message: [
      "The graph came to a halt: nodes of it wait for inputs that never come.",
      "Nodes that wait:",
      "  {{node second}} (Enter) waits for its inputs: lost",
      "  {{node sum}} (AddV2) waits for its inputs: second",
      "  {{node out}} (Exit) waits for its inputs: sum",
    ].join("\n"),
  });
});
