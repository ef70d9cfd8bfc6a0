import { describe, expect, onTestFinished, test } from "vitest";
import { replicaDeviceSetter } from "../../worker-runtime/cluster/replica-device-setter.js";
import { Graph, type Output } from "../../worker-runtime/graph/graph.js";
import * as ops from "../../worker-runtime/graph/ops/index.js";
import * as train from "../../worker-runtime/graph/training/index.js";
import { Tensor } from "../../worker-runtime/protocol/tensor.js";
import { MonitoredTrainingSession } from "../../worker-runtime/training/monitored-training-session.js";
import { SyncReplicasHook } from "../../worker-runtime/training/sync-replicas-hook.js";
import { peerMissing } from "../support/peers.js";
import { type Engine, startCluster } from "./portable/clusters.js";

interface Servers {
  readonly name: string;
  readonly engineOf: (task: string) => Engine;
  readonly isMissing: boolean;
}

const STEPS = 10;
/** The feeds of each worker in each step: rows of a table, and what they should add up to. */
const BATCHES = Array.from({ length: STEPS }, (_, i) => [
  { ids: [i % 4, 3], target: 1 },
  { ids: [(i + 1) % 4, 0], target: 2 },
]);

function model(graph: Graph): {
  ids: Output;
  target: Output;
  loss: Output;
  table: ReturnType<typeof ops.getVariable>;
} {
  const initializer = ops.constantInitializer(0.25);
  const table = ops.getVariable(graph, "table", { shape: [4, 2], initializer });
  const bias = ops.getVariable(graph, "bias", { shape: [2], initializer });
  const ids = ops.placeholder(graph, "int32", [2], { name: "ids" });
  const target = ops.placeholder(graph, "float32", [], { name: "target" });
  const rows = graph.op("ResourceGather", [table.handle, ids], { dtype: "float32" }).output;
  const sums = ops.reduceSum(ops.add(rows, bias.value), 1);
  const loss = ops.reduceMean(ops.square(ops.subtract(sums, target)));
  return { ids, target, loss, table };
}

/** The table after the same training by plain arithmetic: each step applies the mean of both batches' gradients. */
function byArithmetic(): readonly number[] {
  const table = Array.from({ length: 4 }, () => [0.25, 0.25]);
  const bias = [0.25, 0.25];
  for (const batches of BATCHES) {
    const changes = batches.flatMap(({ ids, target }) =>
      ids.map((id) => {
        const sum = (table[id] ?? []).reduce((total, value, k) => total + value + (bias[k] ?? 0), 0);
        // The derivative of the mean over two examples of (sum - target)², and half of it by the mean of both batches.
        return { id, change: (0.1 * (sum - target)) / 2 };
      }),
    );
    for (const { id, change } of changes) {
      for (const values of [table[id] ?? [], bias])
        for (const [k, value] of values.entries()) values[k] = value - change;
    }
  }
  return table.flat();
}

const CLUSTERS: readonly Servers[] = [
  { name: "portable servers", engineOf: () => "portable", isMissing: false },
  { name: "stock servers", engineOf: () => "stock", isMissing: peerMissing("tensorflow") },
  {
    name: "a mixed cluster",
    engineOf: (task) => (task === "worker/1" ? "stock" : "portable"),
    isMissing: peerMissing("tensorflow"),
  },
];

describe("SyncReplicasOptimizer", () => {
  describe.each(CLUSTERS)("on $name", ({ engineOf, isMissing }) => {
    test.skipIf(isMissing)("two workers in step train as one with both batches", async () => {
      const cluster = await startCluster({ ps: 1, worker: 2 }, engineOf);
      onTestFinished(() => cluster.stop());
      const replica = async (index: number): Promise<readonly number[]> => {
        const graph = new Graph();
        const workerDevice = `/job:worker/task:${index}`;
        const setter = replicaDeviceSetter({ cluster: cluster.addresses, workerDevice });
        const optimizer = new train.SyncReplicasOptimizer(new train.GradientDescentOptimizer(0.1), {
          replicasToAggregate: 2,
        });
        const made = graph.withDevice(setter, () => {
          const globalStep = train.getOrCreateGlobalStep(graph);
          const parts = model(graph);
          return { ...parts, globalStep, trainOp: optimizer.minimize(parts.loss, { globalStep }) };
        });
        const isChief = index === 0;
        const session = await MonitoredTrainingSession.create({
          ...{ graph, master: cluster.target(`worker/${index}`), isChief, retryMillis: 50 },
          hooks: [new SyncReplicasHook(optimizer, { isChief, numTokens: 0 })],
        });
        for (const batches of BATCHES) {
          const batch = batches[index];
          const feeds = new Map([
            [made.ids, Tensor.of(batch?.ids ?? [], "int32")],
            [made.target, Tensor.of(batch?.target ?? 0, "float32")],
          ]);
          await session.run([], { feeds, targets: [made.trainOp] });
        }
        const { values } = await session.run([made.table.value, made.globalStep.value]);
        expect(values[1]?.item()).toBe(BigInt(STEPS));
        return Array.from({ length: 8 }, (_, at) => Number(values[0]?.at(at)));
      };
      const [first, second] = await Promise.all([replica(0), replica(1)]);
      expect(first).toEqual(second);
      expect(first?.map((value) => value.toFixed(4))).toEqual(
        byArithmetic().map((value) => value.toFixed(4)),
      );
    });
  });

  test("takes as many tokens as the first step needs", () => {
    const graph = new Graph();
    const optimizer = new train.SyncReplicasOptimizer(new train.GradientDescentOptimizer(0.1), {
      ...{ replicasToAggregate: 3, totalNumReplicas: 2 },
    });
    expect(() => optimizer.getInitTokensOp()).toThrow("no training operation yet");
    optimizer.minimize(model(graph).loss, { globalStep: train.getOrCreateGlobalStep(graph) });
    expect(() => optimizer.getInitTokensOp(0)).toThrow(
      "Too few tokens to finish the first step: 0 (given) vs 1 (needed)",
    );
    expect(optimizer.getInitTokensOp().type).toBe("QueueEnqueueManyV2");
    expect(optimizer.getInitTokensOp(1).type).toBe("QueueEnqueueManyV2");
  });
});
