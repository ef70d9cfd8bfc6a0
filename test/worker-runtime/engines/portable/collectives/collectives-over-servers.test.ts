/** Collectives over two servers in this process, well and when one of them fails. */
import { afterEach, expect, test } from "vitest";
import { ConfigProto } from "../../../../../protos/generated/tensorflow/config.js";
import { makeServerDef } from "../../../../../worker-runtime/cluster/server-def.js";
import { PortableServer } from "../../../../../worker-runtime/engines/portable/portable-server.js";
import { Graph } from "../../../../../worker-runtime/graph/graph.js";
import type { Output } from "../../../../../worker-runtime/graph/operation.js";
import * as ops from "../../../../../worker-runtime/graph/ops/index.js";
import { StatusCode } from "../../../../../worker-runtime/protocol/status.js";
import { Session } from "../../../../../worker-runtime/session/session.js";
import { freePort } from "../../../../support/peers.js";

const config = ConfigProto.fromPartial({
  deviceCount: new Map([["CPU", 2]]),
  experimental: { collectiveGroupLeader: "/job:worker/replica:0/task:0" },
});

const servers = new Set<PortableServer>();
afterEach(async () => {
  await Promise.all([...servers].map(stop));
});

async function start(cluster: { worker: string[] }, taskIndex: number): Promise<PortableServer> {
  const serverDef = makeServerDef({ cluster, jobName: "worker", taskIndex, config });
  const server = await PortableServer.start({ serverDef, log: () => undefined });
  servers.add(server);
  return server;
}

async function stop(server: PortableServer): Promise<void> {
  servers.delete(server);
  await server.stop();
}

async function startTwo() {
  const ports = [await freePort(), await freePort()];
  const cluster = { worker: ports.map((port) => `localhost:${port}`) };
  const [first, second] = [await start(cluster, 0), await start(cluster, 1)];
  return { first, second, restartSecond: () => start(cluster, 1) };
}

/** A sum over both tasks; task 1's summand passes by `before`. */
function sumGraph(before: (graph: Graph, x: Output) => Output = (_, x) => x) {
  const graph = new Graph();
  const sums = [0, 1].map((task) =>
    graph.withDevice(`/job:worker/task:${task}`, () => {
      const x = ops.constant(graph, [task + 1, 10]);
      return graph.op("CollectiveReduce", [task === 1 ? before(graph, x) : x], {
        group_size: 2,
        group_key: 1,
        instance_key: 1,
        merge_op: "Add",
        final_op: "Id",
        subdiv_offsets: [0],
      }).output;
    }),
  );
  return { graph, sums };
}

async function sum(server: PortableServer): Promise<unknown> {
  const { graph, sums } = sumGraph();
  const session = new Session(server.target, { graph });
  try {
    const { values } = await session.run(sums);
    return values.map((value) => value.toArray());
  } finally {
    await session.close();
  }
}

const expected = [
  [3, 20],
  [3, 20],
];

test("two devices of each of two tasks are one group", async () => {
  const { first } = await startTwo();
  const graph = new Graph();
  const keys = { group_size: 4, group_key: 9 };
  const fetches = ["task:0/cpu:0", "task:0/cpu:1", "task:1/cpu:0", "task:1/cpu:1"].flatMap((device, rank) =>
    graph.withDevice(`/job:worker/${device}`, () => {
      const x = ops.constant(graph, [[rank, 1]]);
      const reduce = { ...keys, instance_key: 1, merge_op: "Add", final_op: "Div", subdiv_offsets: [0] };
      const broadcast = { ...keys, instance_key: 3, shape: [1, 2], T: "float32" } as const;
      return [
        graph.op("CollectiveReduce", [x], reduce).output,
        graph.op("CollectiveGather", [x], { ...keys, instance_key: 2, shape: [4, 2] }).output,
        rank === 3
          ? graph.op("CollectiveBcastSend", [x], broadcast).output
          : graph.op("CollectiveBcastRecv", [], broadcast).output,
      ];
    }),
  );
  const session = new Session(first.target, { graph });
  const { values } = await session.run(fetches);
  await session.close();
  const all = [
    [0, 1],
    [1, 1],
    [2, 1],
    [3, 1],
  ];
  const each = [[[1.5, 1]], all, [[3, 1]]];
  expect(values.map((value) => value.toArray())).toEqual([...each, ...each, ...each, ...each]);
});

test("a member that fails ends the step for all, and the next one works", async () => {
  const { first, second } = await startTwo();
  const { graph, sums } = sumGraph((owner, x) => {
    const wrong = ops.constant(owner, false, { dtype: "bool" });
    const check = owner.op("Assert", [wrong, [x]], {});
    return owner.withControlDependencies([check], () => ops.identity(x));
  });
  const session = new Session(first.target, { graph });
  await expect(session.run(sums)).rejects.toMatchObject({
    code: StatusCode.INVALID_ARGUMENT,
    task: "/job:worker/replica:0/task:1",
  });
  await session.close();
  expect(await sum(first)).toEqual(expected);
  expect(await sum(second)).toEqual(expected);
  await expect.poll(() => [first, second].map(({ worker }) => worker.heldSteps)).toEqual([0, 0]);
});

test("a member that dies ends the step; when it is back the group is gathered anew", async () => {
  const { first, second, restartSecond } = await startTwo();
  expect(await sum(first)).toEqual(expected);
  const { graph, sums } = sumGraph((owner) => {
    // Nobody ever puts anything into it.
    const queue = owner.op("FIFOQueueV2", [], { component_types: ["float32"], shapes: [[2]] }).output;
    return owner.op("QueueDequeueV2", [queue], { component_types: ["float32"] }).output;
  });
  const session = new Session(first.target, { graph });
  const running = session.run(sums);
  await expect.poll(() => second.worker.heldSteps).toBeGreaterThan(0);
  await Promise.all([expect(running).rejects.toMatchObject({ name: "TensorFlowError" }), stop(second)]);
  await session.close();
  const restarted = await restartSecond();
  await expect.poll(() => sum(first).catch(() => undefined)).toEqual(expected);
  expect(await sum(restarted)).toEqual(expected);
});

test("a step that is cancelled leaves nothing behind", async () => {
  const { first, second } = await startTwo();
  const { graph, sums } = sumGraph();
  const session = new Session(first.target, { graph });
  const controller = new AbortController();
  // Task 1's member is not run, so that task 0's waits.
  const running = session.run(sums.slice(0, 1), { signal: controller.signal });
  await expect.poll(() => first.worker.heldSteps).toBeGreaterThan(0);
  controller.abort();
  await expect(running).rejects.toMatchObject({ code: StatusCode.CANCELLED });
  await session.close();
  expect(await sum(first)).toEqual(expected);
  await expect.poll(() => [first, second].map(({ worker }) => worker.heldSteps)).toEqual([0, 0]);
});
