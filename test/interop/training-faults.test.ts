/** Tasks and clients that are killed while a cluster trains: who goes on, who says what, and who comes back. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { GraphDef } from "../../protos/generated/tensorflow/graph.js";
import { replicaDeviceSetter } from "../../worker-runtime/cluster/replica-device-setter.js";
import type { EngineName } from "../../worker-runtime/engines/server.js";
import { Graph, type Operation, type Output } from "../../worker-runtime/graph/graph.js";
import * as ops from "../../worker-runtime/graph/ops/index.js";
import * as train from "../../worker-runtime/graph/training/index.js";
import type { TensorFlowError } from "../../worker-runtime/protocol/status.js";
import { Session } from "../../worker-runtime/session/session.js";
import { latestCheckpoint } from "../../worker-runtime/training/checkpoint-state.js";
import {
  MonitoredTrainingSession,
  type MonitoredTrainingSessionOptions,
} from "../../worker-runtime/training/monitored-training-session.js";
import { SyncReplicasHook } from "../../worker-runtime/training/sync-replicas-hook.js";
import { type PeerProcess, peerMissing, repositoryRoot, spawnPeer } from "../support/peers.js";
import { blockingGraph } from "./peers/blocking-graph.js";
import { freeCluster } from "./peers/stock-servers.js";
import { command, environmentWith, workerEnvironment } from "./worker-peers.js";

const WORKERS = 3;
const blockingClient = path.join(repositoryRoot, "test", "interop", "peers", "blocking-client.mjs");

interface Replica {
  readonly graph: Graph;
  readonly step: Output;
  readonly loss: Output;
  readonly trainOp: Operation;
}

const ENGINES: readonly { readonly engine: EngineName; readonly isMissing: boolean }[] = [
  { engine: "portable", isMissing: false },
  { engine: "tensorflow", isMissing: peerMissing("tensorflow") },
];

describe.each(ENGINES)("on engine $engine", ({ engine, isMissing }) => {
  describe.skipIf(isMissing)("a training", () => {
    const tasks = new Map<string, PeerProcess>();
    const cleanUp: (() => Promise<unknown>)[] = [];
    let cluster: Record<string, string[]> = {};
    let folder = "";

    beforeAll(async () => {
      folder = await mkdtemp(path.join(tmpdir(), "tensordeck-training-faults-"));
      cluster = await freeCluster({ ps: 1, worker: WORKERS });
      await writeFile(path.join(folder, "cluster.json"), JSON.stringify(cluster));
      await Promise.all(["ps/0", "worker/0", "worker/1", "worker/2"].map(start));
    });
    afterEach(async () => {
      for (const end of cleanUp.splice(0).reverse()) await end();
    });
    afterAll(async () => {
      await Promise.all([...tasks.values()].map((task) => task.stop("SIGKILL")));
      await rm(folder, { recursive: true, force: true });
    });

    async function start(task: string): Promise<void> {
      const [job = "", index = ""] = task.split("/");
      const flags = [
        `--cluster=${path.join(folder, "cluster.json")}`,
        `--job_name=${job}`,
        `--task_index=${index}`,
      ];
      const env = engine === "portable" ? environmentWith() : workerEnvironment();
      const worker = await spawnPeer(process.execPath, [command, "worker", "--engine", engine, ...flags], {
        ...{ ready: /^target /m, env, group: true },
      });
      tasks.set(task, worker);
    }

    const kill = (task: string) => tasks.get(task)?.stop("SIGKILL");
    const target = (worker: number) => `grpc://${cluster.worker?.[worker]}`;
    /** A worker sees the parameter servers and itself, so that it does not depend on others. */
    const filtered = (worker: number) => ({
      config: { deviceFilters: ["/job:ps", `/job:worker/task:${worker}`] },
    });

    /** The graph of between-graph replication for one worker. */
    function replica(worker: number, optimizer: Pick<train.SyncReplicasOptimizer, "minimize">): Replica {
      const graph = new Graph();
      const setter = replicaDeviceSetter({ cluster, workerDevice: `/job:worker/task:${worker}` });
      return graph.withDevice(setter, () => {
        const globalStep = train.getOrCreateGlobalStep(graph);
        const w = ops.getVariable(graph, "w", { shape: [2], initializer: ops.zerosInitializer() });
        const loss = ops.reduceSum(ops.square(ops.subtract(w.value, [1, 2])));
        return { graph, loss, step: globalStep.value, trainOp: optimizer.minimize(loss, { globalStep }) };
      });
    }

    async function loop(
      worker: number,
      { graph }: Replica,
      more: Partial<MonitoredTrainingSessionOptions> = {},
    ): Promise<MonitoredTrainingSession> {
      const session = await MonitoredTrainingSession.create({
        ...{
          graph,
          master: target(worker),
          isChief: worker === 0,
          session: filtered(worker),
          retryMillis: 50,
        },
        ...more,
      });
      cleanUp.push(() => session.close());
      return session;
    }

    async function numberOf(session: Pick<Session, "run">, output: Output): Promise<number> {
      return Number((await session.run([output])).values[0]?.item());
    }

    test("asynchronous: the others go on without a killed worker, which joins when it is back", async () => {
      const [mine, theirs] = [0, 1].map((worker) =>
        replica(worker, new train.GradientDescentOptimizer(0.1)),
      ) as [Replica, Replica];
      const lost: TensorFlowError[] = [];
      const chief = await loop(0, mine);
      const other = await loop(1, theirs, { onRecovery: (reason) => lost.push(reason) });
      await other.run([], { targets: [theirs.trainOp] });
      const lossBefore = await numberOf(chief, mine.loss);
      await kill("worker/1");
      const returning = other.run([], { targets: [theirs.trainOp] });
      for (let i = 0; i < 5; i++) await chief.run([], { targets: [mine.trainOp] });
      expect(await numberOf(chief, mine.step)).toBe(6);
      await expect.poll(() => lost.map(({ codeName }) => codeName)).toEqual(["UNAVAILABLE"]);
      await start("worker/1");
      await returning;
      expect(await numberOf(other, theirs.step)).toBe(7);
      expect(await numberOf(chief, mine.loss)).toBeLessThan(lossBefore);
    });

    test("synchronous with a backup worker: goes on when one is killed, which joins when it is back", async () => {
      const stop = new AbortController();
      const counts = [0, 0, 0];
      const lost: number[] = [];
      const loops = [0, 1, 2].map(async (worker) => {
        const optimizer = new train.SyncReplicasOptimizer(new train.GradientDescentOptimizer(0.01), {
          ...{ replicasToAggregate: WORKERS - 1, totalNumReplicas: WORKERS },
        });
        const part = replica(worker, optimizer);
        const session = await loop(worker, part, {
          hooks: [new SyncReplicasHook(optimizer, { isChief: worker === 0 })],
          onRecovery: () => lost.push(worker),
          signal: stop.signal,
        });
        for (;;) {
          await session.run([], { targets: [part.trainOp] });
          counts[worker] = (counts[worker] ?? 0) + 1;
        }
      });
      const ended = Promise.allSettled(loops);
      cleanUp.push(async () => {
        stop.abort();
        await ended;
      });
      const { graph, step } = replica(0, new train.GradientDescentOptimizer(0.01));
      const observer = new Session(target(0), { graph, ...filtered(0) });
      cleanUp.push(() => observer.close());
      const steps = () => numberOf(observer, step);

      await expect.poll(() => Math.min(...counts), { timeout: 60_000 }).toBeGreaterThan(2);
      await kill("worker/2");
      const killedAt = await steps();
      await expect.poll(steps, { timeout: 60_000 }).toBeGreaterThan(killedAt + 5);
      const countBefore = counts[2] ?? 0;
      await start("worker/2");
      await expect.poll(() => counts[2], { timeout: 60_000 }).toBeGreaterThan(countBefore + 2);
      expect(new Set(lost)).toEqual(new Set([2]));
      stop.abort();
      for (const end of await ended) {
        expect(end).toMatchObject({ status: "rejected", reason: { codeName: "CANCELLED" } });
      }
    });

    test("a killed parameter server is named, and training goes on from the last checkpoint", async () => {
      const checkpointDir = path.join(folder, "checkpoints");
      const part = replica(0, new train.GradientDescentOptimizer(0.1));
      const lost: TensorFlowError[] = [];
      const session = await loop(0, part, {
        ...{ checkpointDir, saveCheckpointSteps: 3, onRecovery: (reason) => lost.push(reason) },
      });
      for (let i = 0; i < 5; i++) await session.run([], { targets: [part.trainOp] });
      expect(await numberOf(session, part.step)).toBe(5);
      const saved = Number(/-(\d+)$/.exec((await latestCheckpoint(checkpointDir)) ?? "")?.[1]);
      expect([3, 4]).toContain(saved);

      await kill("ps/0");
      const next = session.run([], { targets: [part.trainOp] });
      await expect.poll(() => lost.length).toBeGreaterThan(0);
      expect(lost[0]).toMatchObject({
        codeName: "UNAVAILABLE",
        message: expect.stringContaining("/job:ps/replica:0/task:0"),
      });
      await start("ps/0");
      await next;
      expect(await numberOf(session, part.step)).toBe(saved + 1);
    });

    test("a killed client's step ends on all servers, and takes nothing that comes later", async () => {
      const graph = blockingGraph("killed client", "/job:worker/task:1");
      const bytes = Buffer.from(GraphDef.encode(graph).finish()).toString("base64");
      const observer = new Session(target(0), { graph });
      cleanUp.push(() => observer.close());
      const client = await spawnPeer(process.execPath, [blockingClient, target(0), bytes]);
      cleanUp.push(() => client.stop("SIGKILL"));
      await observer.run(["begun"]);
      await client.stop("SIGKILL");
      // The step holds it until it is over.
      await observer.run([], { targets: ["lock"] });
      const later = observer.run(["d"]);
      await observer.run([], { targets: ["e"] });
      expect((await later).values[0]?.item()).toBe(1);
    });
  });
});
