/** The sessions of masters whose connections are gone. */
import { afterEach, expect, test, vi } from "vitest";
import type { NodeDef } from "../../../../../protos/generated/tensorflow/node_def.js";
import * as wire from "../../../../../protos/generated/tensorflow/worker.js";
import { ClientConnection } from "../../../../../worker-runtime/engines/portable/clients/client-connection.js";
import type { Worker } from "../../../../../worker-runtime/engines/portable/worker/worker.js";
import { StatusCode } from "../../../../../worker-runtime/protocol/status.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import { constNode, cpu, edgeNode, LocalCluster, task0, task1 } from "./worker-fixture.js";

let cluster: LocalCluster | undefined;
afterEach(() => {
  cluster?.close();
  vi.useRealTimers();
});

function startWorker(sessionIdleMillis?: number): Worker {
  cluster = new LocalCluster(1, [], sessionIdleMillis);
  return cluster.worker(0);
}

/** A master's work with one session, over a connection; without one it is that of the worker's own process. */
class Master {
  readonly #worker: Worker;
  readonly #call: { readonly connection: ClientConnection | undefined };

  constructor(worker: Worker, connection?: ClientConnection) {
    this.#worker = worker;
    this.#call = { connection };
  }

  async create(sessionHandle: string): Promise<void> {
    const request = wire.CreateWorkerSessionRequest.fromPartial({ sessionHandle });
    await this.#worker.createWorkerSession(request, this.#call);
  }

  /** @returns the graph's handle. */
  async register(sessionHandle: string, node: NodeDef[] = []): Promise<string> {
    const session = { sessionHandle, createWorkerSessionCalled: true };
    const graphDef = { node, versions: { producer: 2474 } };
    const request = wire.RegisterGraphRequest.fromPartial({ ...session, graphDef });
    return (await this.#worker.registerGraph(request, this.#call)).graphHandle;
  }

  async run(sessionHandle: string, graphHandle: string, stepId: bigint): Promise<void> {
    const session = { sessionHandle, createWorkerSessionCalled: true };
    const request = wire.RunGraphRequest.fromPartial({ ...session, graphHandle, stepId });
    await this.#worker.runGraph(request, this.#call);
  }
}

/** x = 2 for another task. */
const senderGraph = (sender: Worker): NodeDef[] => [
  constNode("x", Tensor.of(2), cpu(task0)),
  edgeNode("x_S1", "x", { from: task0, to: task1, sender, tensor: "edge_1_x" }),
];

test("end after a while, with their steps; a master that connects again finds its own", async () => {
  vi.useFakeTimers();
  const worker = startWorker(1000);
  const connection = new ClientConnection();
  const before = new Master(worker, connection);
  const after = new Master(worker, new ClientConnection());
  const here = new Master(worker);
  await here.create("here");
  await before.create("gone");
  await before.create("back");
  // Nobody fetches what it sent.
  await before.run("gone", await before.register("gone", senderGraph(worker)), 1n);
  expect(worker.heldSteps).toBe(1);
  const graph = await before.register("back");
  connection.close();
  await vi.advanceTimersByTimeAsync(999);
  await after.run("back", graph, 2n);
  await worker.cleanupGraph({ stepId: 2n });
  expect(worker.sessions.size).toBe(3);
  await vi.advanceTimersByTimeAsync(1);
  expect(worker.sessions.size).toBe(2);
  expect(worker.heldSteps).toBe(0);
  await expect(after.register("gone")).rejects.toMatchObject({
    code: StatusCode.ABORTED,
    message: expect.stringContaining("Session handle is not found: gone."),
  });
  await after.run("back", graph, 3n);
  await here.register("here");
});

test("are not more than a few, the last", async () => {
  const worker = startWorker();
  const connections = Array.from({ length: 70 }, () => new ClientConnection());
  for (const [index, connection] of connections.entries()) {
    await new Master(worker, connection).create(`s${index}`);
  }
  expect(worker.sessions.size).toBe(70);
  for (const connection of connections) {
    connection.close();
  }
  expect(worker.sessions.size).toBe(64);
  const master = new Master(worker, new ClientConnection());
  await master.register("s69");
  await expect(master.register("s5")).rejects.toMatchObject({ code: StatusCode.ABORTED });
});

test("stay where sessions are kept until somebody ends them", async () => {
  const worker = startWorker(0);
  const connections = Array.from({ length: 70 }, () => new ClientConnection());
  for (const [index, connection] of connections.entries()) {
    await new Master(worker, connection).create(`s${index}`);
    connection.close();
  }
  expect(worker.sessions.size).toBe(70);
});
