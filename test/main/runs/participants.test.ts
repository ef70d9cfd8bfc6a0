import { describe, expect, it } from "vitest";
import type { TaskState } from "../../../main/api/cluster.js";
import type { RunRequest } from "../../../main/api/runs.js";
import { ProblemError } from "../../../main/api/wire.js";
import { checkGraph, pinsOf } from "../../../main/runs/graph-check.js";
import { checkCollectives, type Participant, participantsOf } from "../../../main/runs/participants.js";
import { GraphDef } from "../../../protos/generated/tensorflow/graph.js";

interface SimpleNode {
  name: string;
  op?: string;
  input?: string[];
  device?: string;
}

function request(nodes: SimpleNode[], more: Partial<RunRequest> = {}): RunRequest {
  const graph = GraphDef.fromPartial({ node: nodes.map((node) => ({ op: "NoOp", ...node })) });
  return {
    graph: GraphDef.encode(graph).finish(),
    feeds: [],
    fetches: [],
    targets: [],
    steps: 1,
    trace: false,
    softPlacement: true,
    logDevicePlacement: false,
    ...more,
  };
}

function problemIn(work: () => unknown) {
  try {
    work();
  } catch (error) {
    if (error instanceof ProblemError) return error.problem;
    throw error;
  }
  throw new Error("nothing was thrown");
}

describe("a graph that cannot run", () => {
  const literal = { kind: "literal" as const, text: "1" };
  it.each<[string, RunRequest, RegExp]>([
    ["nothing asked for", request([{ name: "a" }]), /nothing to run/],
    ["a fetch that is not there", request([{ name: "a" }], { fetches: ["b:0"] }), /no node b/],
    ["a target that is not there", request([{ name: "a" }], { targets: ["b"] }), /no node b/],
    ["a control input fetched", request([{ name: "a" }], { fetches: ["^a"] }), /control input/],
    ["two nodes of one name", request([{ name: "a" }, { name: "a" }], { targets: ["a"] }), /Two nodes/],
    ["an input from nowhere", request([{ name: "a", input: ["b:1"] }], { targets: ["a"] }), /from b/],
    ["bytes that are no graph", { ...request([]), graph: new Uint8Array([255, 255]) }, /cannot be read/],
    [
      "a placeholder behind a control input",
      request(
        [
          { name: "p", op: "Placeholder" },
          { name: "a", input: ["^p"] },
        ],
        {
          targets: ["a"],
          feeds: [{ name: "a:0", value: literal }],
        },
      ),
      /placeholder p/,
    ],
  ])("is refused: %s", (_, bad, message) => {
    expect(problemIn(() => checkGraph(bad)).message).toMatch(message);
  });

  it("is not refused for a placeholder that a feed makes needless", () => {
    const nodes = [
      { name: "p", op: "Placeholder" },
      { name: "a", input: ["p"] },
      { name: "b", op: "Identity", input: ["a:0"] },
    ];
    const feeds = [{ name: "a", value: literal }];
    expect(checkGraph(request(nodes, { fetches: ["b"], feeds })).fetches).toEqual(["b:0"]);
  });
});

function task(name: string, state: TaskState = "running"): Participant {
  const [job = "", index = "0"] = name.split("/");
  return {
    id: name,
    name,
    job,
    index: Number(index),
    engine: "tensorflow",
    address: `localhost:${2222 + Number(index)}`,
    state,
    devices: [{ name: `/job:${job}/replica:0/task:${index}/device:CPU:0`, type: "CPU" }],
    incarnation: "1",
    unusable: undefined,
  };
}

function ready(tasks: Participant[], devices: string[], softPlacement = true) {
  const graph = checkGraph(
    request(
      devices.map((device, i) => ({ name: `n${i}`, device })),
      { targets: ["n0"] },
    ),
  );
  return participantsOf(tasks, pinsOf(graph.nodes), softPlacement);
}

const away = {
  code: "UNAVAILABLE",
  message: "gpu-pc does not answer.",
  remedy: "Check whether gpu-pc is on. worker/0 may still be running there.",
};

describe("the tasks of a run", () => {
  it("are led by the first one that the graph uses; all that run are members", () => {
    const tasks = [task("worker/1"), task("worker/0"), task("ps/0"), task("worker/2", "stopped")];
    const led = (devices: string[]) => {
      const readiness = ready(tasks, devices);
      if (readiness.kind !== "ready") throw new Error("not ready");
      return [readiness.master.name, readiness.members.map(({ name }) => name)];
    };
    const members = ["ps/0", "worker/0", "worker/1"];
    expect(led(["/job:worker/task:1"])).toEqual(["worker/1", members]);
    expect(led(["/job:worker/task:1", "/job:worker/replica:0/task:0/device:CPU:0"])).toEqual([
      "worker/0",
      members,
    ]);
    expect(led([""])).toEqual(["ps/0", members]);
    expect(led(["/job:worker"])).toEqual(["worker/0", members]);
  });

  it("are waited for while they start", () => {
    const tasks = [task("worker/0"), task("worker/1", "starting")];
    expect(ready(tasks, ["/job:worker/task:1"])).toMatchObject({
      kind: "wait",
      tasks: [{ name: "worker/1" }],
    });
    expect(ready(tasks, ["/job:worker/task:0"]).kind).toBe("ready");
    expect(ready([task("worker/0", "starting")], [""]).kind).toBe("wait");
  });

  it.each<[string, Participant[], string, object]>([
    [
      "stopped",
      [task("worker/0", "stopped")],
      "/job:worker/task:0",
      { remedy: expect.stringMatching(/^Start/) },
    ],
    ["silent", [task("worker/0", "unresponsive")], "/job:worker/task:0", { code: "UNAVAILABLE" }],
    [
      "behind a connection that is broken",
      [{ ...task("worker/0", "unresponsive"), snapshot: { problem: away } }],
      "/job:worker/task:0",
      {
        reason: "gpu-pc does not answer.",
        remedy: "Check whether gpu-pc is on. worker/0 may still be running there. Or pin n0 to another task.",
      },
    ],
    ["missing", [task("worker/0")], "/job:ps/task:0", { task: "ps/0", node: "n0" }],
    ["of a missing job", [task("worker/0")], "/job:ps", { message: expect.stringContaining("job ps") }],
    ["none at all", [], "", { remedy: "Add a worker." }],
    [
      "misnamed",
      [task("worker/0")],
      "worker zero",
      { message: expect.stringContaining("not a device name") },
    ],
  ])("are named when they are %s", (_, tasks, device, expected) => {
    expect(problemIn(() => ready(tasks, [device]))).toMatchObject(expected);
  });

  it("do without those that no session can take in, and say why where a node is pinned there", () => {
    const unusable = {
      code: "FAILED_PRECONDITION",
      message: "worker/1 cannot take part.",
      remedy: "Rename it.",
    };
    const foreign = { ...task("worker/1"), unusable };
    const readiness = ready([foreign, task("worker/0")], ["/job:worker"]);
    expect(readiness).toMatchObject({
      kind: "ready",
      master: { name: "worker/0" },
      members: [{ name: "worker/0" }],
    });
    expect(problemIn(() => ready([foreign, task("worker/0")], ["/job:worker/task:1"]))).toEqual({
      ...unusable,
      node: "n0",
    });
    expect(problemIn(() => ready([foreign], [""]))).toMatchObject({
      reason: "worker/1 cannot take part.",
      remedy: "Rename it.",
    });
    // If two have one name, the one that can be used is meant.
    const twins = [{ ...task("worker/0"), unusable }, task("worker/0")];
    expect(ready(twins, ["/job:worker/task:0"]).kind).toBe("ready");
  });

  it("must have the device where soft placement is off", () => {
    const gpu = "/job:worker/task:0/device:GPU:0";
    expect(ready([task("worker/0")], [gpu]).kind).toBe("ready");
    expect(problemIn(() => ready([task("worker/0")], [gpu], false))).toMatchObject({
      message: "n0 is pinned to GPU:0, which worker/0 does not have.",
      node: "n0",
    });
    expect(ready([task("worker/0")], ["/job:worker/task:0/cpu:0"], false).kind).toBe("ready");
  });
});

describe("collective operations", () => {
  const graph = (...devices: string[]) =>
    checkGraph(
      request(
        devices.map((device, i) => ({ name: `sum_${i}`, op: "CollectiveReduceV2", device })),
        { targets: ["sum_0"] },
      ),
    ).nodes;
  const both = graph("/job:worker/task:0", "/job:worker/task:1");
  const tasks = [task("worker/0"), task("worker/1")];

  it("of TensorFlow's servers need a fixed cluster if they are on several tasks", () => {
    expect(problemIn(() => checkCollectives(both, tasks, "dynamic"))).toMatchObject({
      ...{ code: "FAILED_PRECONDITION", node: "sum_0", task: "worker/0" },
      reason: expect.stringContaining("worker/0 started alone"),
    });
    const portable = tasks.map((one): Participant => ({ ...one, engine: "portable" }));
    for (const [nodes, members, membership] of [
      [both, tasks, "fixed"],
      [both, portable, "dynamic"],
      [graph("/job:worker/task:0", "/job:worker/task:0"), tasks, "dynamic"],
    ] as const) {
      expect(() => checkCollectives(nodes, members, membership)).not.toThrow();
    }
  });
});
