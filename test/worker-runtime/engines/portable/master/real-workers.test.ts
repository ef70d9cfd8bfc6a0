/** The master over real workers: two tasks of our own in this process, and two of TensorFlow's. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { RunOptions, RunOptions_TraceLevel } from "../../../../../protos/generated/tensorflow/config.js";
import type { GraphDef } from "../../../../../protos/generated/tensorflow/graph.js";
import * as masterProto from "../../../../../protos/generated/tensorflow/master.js";
import { makeServerDef } from "../../../../../worker-runtime/cluster/server-def.js";
import type { Device } from "../../../../../worker-runtime/engines/portable/device.js";
import { createKernelRegistry } from "../../../../../worker-runtime/engines/portable/kernels/all.js";
import { Master } from "../../../../../worker-runtime/engines/portable/master/master.js";
import { PortableServer } from "../../../../../worker-runtime/engines/portable/portable-server.js";
import { AllowedFolders } from "../../../../../worker-runtime/engines/portable/resources/allowed-folders.js";
import { streamTransport } from "../../../../../worker-runtime/engines/portable/transport/peer-transport.js";
import { RemoteWorkerCache } from "../../../../../worker-runtime/engines/portable/worker/remote-worker-cache.js";
import { bundledOpRegistry } from "../../../../../worker-runtime/graph/op-registry.js";
import { StatusCode } from "../../../../../worker-runtime/protocol/status.js";
import { Tensor, tensorFromProto, tensorToProto } from "../../../../../worker-runtime/protocol/tensor.js";
import { freePort, peerMissing, spawnPeer, tensorflowPython } from "../../../../support/peers.js";
import {
  callNode,
  caseNode,
  graphWithFunctions,
  ifNode,
  unaryFunction,
  whileNode,
} from "./function-makers.js";
import {
  add,
  assign,
  constant,
  countingLoop,
  graphOf,
  identity,
  node,
  placeholder,
  variable,
} from "./node-makers.js";

interface Rig {
  readonly master: Master;
  stop(): Promise<void>;
}

const never = () => ({ signal: new AbortController().signal });
const TASK_0 = "/job:worker/replica:0/task:0";

/** A master whose own worker answers at the first address of the cluster. */
async function rigOver(addresses: readonly string[], stop: () => Promise<void>): Promise<Rig> {
  const transport = streamTransport();
  const own = transport.connect(addresses[0] ?? "");
  const { deviceAttributes } = await own.worker.getStatus({});
  const localDevices = deviceAttributes.map(
    (attributes): Device => ({
      name: attributes.name,
      type: attributes.deviceType,
      incarnation: attributes.incarnation,
      attributes,
    }),
  );
  const master = new Master({
    worker: own.worker,
    serverDef: makeServerDef({ cluster: { worker: addresses }, jobName: "worker", taskIndex: 0 }),
    localDevices,
    makeWorkerCache: (cluster) =>
      new RemoteWorkerCache(cluster, transport, { name: TASK_0, worker: own.worker }),
    kernels: createKernelRegistry(),
    ops: bundledOpRegistry(),
    files: new AllowedFolders([]),
    log: () => {},
  });
  return {
    master,
    stop: async () => {
      await master.close();
      own.close();
      await stop();
    },
  };
}

async function portableRig(): Promise<Rig> {
  const addresses = [`localhost:${await freePort()}`, `localhost:${await freePort()}`];
  const servers = await Promise.all(
    addresses.map((_, taskIndex) =>
      PortableServer.start({
        serverDef: makeServerDef({ cluster: { worker: addresses }, jobName: "worker", taskIndex }),
        log: () => {},
      }),
    ),
  );
  return rigOver(addresses, async () => {
    await Promise.all(servers.map((server) => server.stop()));
  });
}

async function stockRig(): Promise<Rig> {
  const addresses = [`localhost:${await freePort()}`, `localhost:${await freePort()}`];
  const script = `
import time
import tensorflow as tf
cluster = {"worker": ${JSON.stringify(addresses)}}
servers = [tf.distribute.Server(cluster, job_name="worker", task_index=i) for i in range(2)]
print("servers are ready", flush=True)
time.sleep(3600)
`;
  const peer = await spawnPeer(tensorflowPython(), ["-c", script], { ready: /servers are ready/ });
  return rigOver(addresses, async () => {
    await peer.stop();
  });
}

/** Runs one step in a session of its own. */
async function runOnce(
  { master }: Rig,
  graphDef: GraphDef,
  step: Partial<masterProto.RunStepRequest>,
): Promise<masterProto.RunStepResponse> {
  const request = { graphDef, config: undefined, target: "" };
  const { sessionHandle } = await master.createSession(request, never());
  try {
    return await master.runStep({ ...masterProto.RunStepRequest.create(), sessionHandle, ...step }, never());
  } finally {
    await master.closeSession({ sessionHandle }, never());
  }
}

function values({ tensor }: masterProto.RunStepResponse): unknown[] {
  return tensor.map(({ tensor: proto }) =>
    proto === undefined ? undefined : tensorFromProto(proto).toArray(),
  );
}

const feedOf = (name: string, value: number) => ({ name, tensor: tensorToProto(Tensor.of(value)) });

const rigs = [
  { name: "our own workers", make: portableRig, isMissing: false },
  { name: "TensorFlow's workers", make: stockRig, isMissing: peerMissing("tensorflow") },
];

describe.each(rigs)("over $name", ({ make, isMissing }) => {
  describe.skipIf(isMissing)("a master", () => {
    let rig: Rig;

    beforeAll(async () => {
      rig = await make();
    });
    afterAll(() => rig.stop());

    test("runs a graph over two tasks, with feeds, fetches and control edges between them", async () => {
      const graph = graphOf(placeholder("p"), constant("k", 1, "/task:1"), add("x", "p", "k", "/task:1"), {
        ...identity("y", "x", "/task:0"),
        input: ["x", "^k"],
      });
      expect(values(await runOnce(rig, graph, { feed: [feedOf("p:0", 2)], fetch: ["y:0", "x:0"] }))).toEqual([
        3, 3,
      ]);
    });

    test("runs loops within a task and over two", async () => {
      expect(values(await runOnce(rig, graphOf(...countingLoop(5, "")), { fetch: ["exit:0"] }))).toEqual([5]);
      expect(
        values(await runOnce(rig, graphOf(...countingLoop(5, "/task:1")), { fetch: ["exit:0"] })),
      ).toEqual([5]);
    });

    test("runs functions whose nodes are on two tasks", async () => {
      const functions = [
        unaryFunction("double", "Mul", 2, "/job:worker/task:1"),
        unaryFunction("half", "Mul", 0.5, "/job:worker/task:0"),
        unaryFunction("below_100", "Less", 100),
      ];
      const graph = graphWithFunctions(
        functions,
        placeholder("p", "", "bool"),
        constant("k", 3),
        callNode("called", "double", "k"),
        ifNode("chosen", "p", "k", "double", "half"),
        whileNode("grown", "k", "below_100", "double"),
      );
      const feed = [{ name: "p:0", tensor: tensorToProto(Tensor.of(false)) }];
      const fetch = ["called:0", "chosen:0", "grown:0"];
      expect(values(await runOnce(rig, graph, { feed, fetch }))).toEqual([6, 1.5, 192]);
    });

    test("chooses among functions on two tasks, the last one for an index that none has", async () => {
      const functions = [
        unaryFunction("double", "Mul", 2, "/job:worker/task:1"),
        unaryFunction("half", "Mul", 0.5, "/job:worker/task:0"),
        unaryFunction("more", "Add", 1, "/job:worker/task:1"),
      ];
      const choice = caseNode("chosen", "p", "k", "double", "half", "more");
      const graph = graphWithFunctions(functions, placeholder("p", "", "int32"), constant("k", 3), choice);
      const given: unknown[] = [];
      for (const index of [0, 1, 2, 3, -1]) {
        const feed = [{ name: "p:0", tensor: tensorToProto(Tensor.of(index, "int32")) }];
        given.push(...values(await runOnce(rig, graph, { feed, fetch: ["chosen:0"] })));
      }
      expect(given).toEqual([6, 1.5, 4, 4, 4]);
    });

    test("keeps a variable on the other task", async () => {
      const graph = graphOf(
        variable("v", "/task:1"),
        placeholder("p"),
        assign("set", "v", "p"),
        identity("read", "set", "/task:0"),
      );
      expect(values(await runOnce(rig, graph, { feed: [feedOf("p:0", 7)], fetch: ["read:0"] }))).toEqual([7]);
      // Sessions of one cluster share it.
      const other = graphOf(variable("v", "/task:1"), identity("read", "v", "/task:0"));
      expect(values(await runOnce(rig, other, { fetch: ["read:0"] }))).toEqual([7]);
    });

    test("says whose error it is", async () => {
      const graph = graphOf(placeholder("p", "/task:1"), identity("x", "p", "/task:0"));
      await expect(runOnce(rig, graph, { fetch: ["x:0"] })).rejects.toMatchObject({
        code: StatusCode.INVALID_ARGUMENT,
        message: expect.stringMatching(
          /^From \/job:worker\/replica:0\/task:\d:\nYou must feed a value for placeholder tensor 'p'/,
        ),
      });
    });

    test("traces a step on both tasks", async () => {
      const graph = graphOf(placeholder("p"), identity("x", "p", "/task:1"));
      const options = RunOptions.fromPartial({
        traceLevel: RunOptions_TraceLevel.FULL_TRACE,
        outputPartitionGraphs: true,
      });
      const { metadata } = await runOnce(rig, graph, { feed: [feedOf("p:0", 1)], fetch: ["x:0"], options });
      const traced = metadata?.stepStats?.devStats.filter(({ nodeStats }) =>
        nodeStats.some(({ nodeName }) => nodeName === "x"),
      );
      expect(traced?.map(({ device }) => device)).toEqual(["/job:worker/replica:0/task:1/device:CPU:0"]);
      expect(metadata?.partitionGraphs).toHaveLength(2);
    });

    test("runs a step bit by bit", async () => {
      const graph = graphOf(
        placeholder("p"),
        placeholder("q"),
        identity("a", "p", "/task:1"),
        add("b", "a", "q"),
      );
      const created = await rig.master.createSession(
        { graphDef: graph, config: undefined, target: "" },
        never(),
      );
      const { sessionHandle } = created;
      const setup = { sessionHandle, feed: ["p:0", "q:0"], fetch: ["a:0", "b:0"], target: [], requestId: 0n };
      const { partialRunHandle } = await rig.master.partialRunSetup(setup, never());
      const part = async (name: string, value: number, fetch: string) =>
        values(
          await rig.master.runStep(
            {
              ...masterProto.RunStepRequest.create(),
              sessionHandle,
              partialRunHandle,
              feed: [feedOf(name, value)],
              fetch: [fetch],
            },
            never(),
          ),
        );
      expect(await part("p:0", 3, "a:0")).toEqual([3]);
      expect(await part("q:0", 4, "b:0")).toEqual([7]);
      await rig.master.closeSession({ sessionHandle }, never());
    });

    test("ends a step that waits for ever when its session is closed", async () => {
      const types = {
        component_types: {
          value: {
            $case: "list" as const,
            value: { s: [], i: [], f: [], b: [], type: [1], shape: [], tensor: [], func: [] },
          },
        },
      };
      const graph = graphOf(
        node("queue", "FIFOQueueV2", [], types, "/task:1"),
        node("next", "QueueDequeueV2", ["queue"], types),
      );
      const created = await rig.master.createSession(
        { graphDef: graph, config: undefined, target: "" },
        never(),
      );
      const { sessionHandle } = created;
      const step = { ...masterProto.RunStepRequest.create(), sessionHandle, fetch: ["next:0"] };
      const ended = expect(rig.master.runStep(step, never())).rejects.toMatchObject({
        code: StatusCode.CANCELLED,
      });
      await rig.master.closeSession({ sessionHandle }, never());
      await ended;
    });
  });
});
