/** Clients that harm a server without meaning to: they vanish, or forget to close. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  CreateSessionRequest,
  CreateSessionResponse,
  RunStepRequest,
} from "../../../../protos/generated/tensorflow/master.js";
import { Graph } from "../../../../worker-runtime/graph/graph.js";
import * as ops from "../../../../worker-runtime/graph/ops/index.js";
import { Tensor } from "../../../../worker-runtime/protocol/tensor.js";
import { Session } from "../../../../worker-runtime/session/session.js";
import { libraryEnvironment } from "../../../support/peers.js";
import { residentBytes } from "../../../support/processes.js";
import { type StartedWorker, startWorker } from "../../worker-peers.js";
import { breakableLine } from "../breakable-line.js";
import { RawClient } from "./raw-calls.js";
import { expectStillServes } from "./still-serves.js";

const ENGINE = process.env.TENSORDECK_DIFFERENTIAL_ENGINE ?? "portable";
/** TENSORDECK_MEMORY_STEPS and TENSORDECK_MEMORY_SESSIONS: 10000 and 200 in long runs. */
const STEPS = Number(process.env.TENSORDECK_MEMORY_STEPS ?? 1_000);
const SESSIONS = Number(process.env.TENSORDECK_MEMORY_SESSIONS ?? 30);
/** The memory that a garbage collector may leave for later. */
const SLACK_BYTES = 60e6;

describe("a server and its clients", () => {
  let worker: StartedWorker;
  beforeAll(async () => {
    worker = await startWorker(["--engine", ENGINE], libraryEnvironment());
  });
  afterAll(() => worker?.stop());

  const memoryBytes = (): number => residentBytes(worker.pid);

  test("a client that vanishes takes its waiting dequeue along", async () => {
    const g = new Graph();
    const queue = g.op("FIFOQueueV2", [], {
      component_types: ["int32"],
      shapes: [[]],
      shared_name: "left",
    }).output;
    const value = ops.placeholder(g, "int32", [], { name: "value" });
    const enqueue = g.op("QueueEnqueueV2", [queue, [value]], { Tcomponents: ["int32"] });
    // The step holds a mutex until it is over on the server, which can be seen so.
    const mutex = g.op("MutexV2", [], { shared_name: "left" }).output;
    const lock = g.op("MutexLock", [mutex]);
    const dequeue = g.withControlDependencies([lock], () =>
      g.op("QueueDequeueV2", [queue], { component_types: ["int32"] }).outputAt(0),
    );
    const held = g.withControlDependencies([dequeue], () => g.op("ConsumeMutexLock", [lock.output]));
    const size = g.op("QueueSizeV2", [queue]).output;
    const graph = g.toGraphDef();

    const line = await breakableLine(worker.target);
    const vanishing = new RawClient(line.target);
    const created = await vanishing.call(
      "/tensorflow.MasterService/CreateSession",
      CreateSessionRequest.encode(CreateSessionRequest.fromPartial({ graphDef: graph })).finish(),
    );
    const { sessionHandle } = CreateSessionResponse.decode(
      created.kind === "response" ? created.bytes : new Uint8Array(),
    );
    const waitingStep = RunStepRequest.encode(
      RunStepRequest.fromPartial({ sessionHandle, fetch: [dequeue.name], target: [held.name] }),
    ).finish();
    const wait = () => vanishing.call("/tensorflow.MasterService/RunStep", waitingStep, 60_000);
    const waiting = wait();
    const session = new Session(worker.target, { graph });
    try {
      // The first value goes to the one that waits, which shows that it does.
      await session.run([], { targets: [enqueue], feeds: { value: 1 } });
      expect((await waiting).kind).toBe("response");
      const again = wait();
      // Answered after the call above has arrived, since both share a connection.
      await vanishing.call("/tensorflow.WorkerService/GetStatus", new Uint8Array());
      line.close();
      expect((await again).kind).toBe("error");
      await session.run([], { targets: [lock] });
      await session.run([], { targets: [enqueue], feeds: { value: 2 } });
      const { values } = await session.run([dequeue], { options: { timeoutMillis: 10_000 } });
      expect(values[0]?.item()).toBe(2);
      expect((await session.run([size])).values[0]?.item()).toBe(0);
    } finally {
      vanishing.close();
      line.close();
      await session.close();
    }
  });

  test("memory returns to its level after many steps", { timeout: 300_000 }, async () => {
    const g = new Graph();
    const x = ops.placeholder(g, "float32", [1000], { name: "x" });
    const y = ops.add(x, x);
    const session = new Session(worker.target, { graph: g.toGraphDef() });
    const feeds = { x: Tensor.of(1, "float32", [1000]) };
    const steps = async (count: number) => {
      for (let i = 0; i < count; i += 1) await session.run([y], { feeds });
    };
    try {
      await steps(STEPS / 2);
      const before = memoryBytes();
      await steps(STEPS);
      expect(memoryBytes() - before).toBeLessThan(SLACK_BYTES);
    } finally {
      await session.close();
    }
  });

  test("a Reset frees the memory of sessions that were never closed", { timeout: 300_000 }, async () => {
    const elements = 250_000;
    /** A session with a megabyte of its own that is left alone; its connection breaks. */
    const leave = async () => {
      const g = new Graph();
      const big = ops.constant(g, Tensor.of(1, "float32", [elements]), { name: "big" });
      const request = CreateSessionRequest.fromPartial({ graphDef: g.toGraphDef() });
      const client = new RawClient(worker.target);
      const created = await client.call(
        "/tensorflow.MasterService/CreateSession",
        CreateSessionRequest.encode(request).finish(),
      );
      const { sessionHandle } = CreateSessionResponse.decode(
        created.kind === "response" ? created.bytes : new Uint8Array(),
      );
      await client.call(
        "/tensorflow.MasterService/RunStep",
        RunStepRequest.encode(RunStepRequest.fromPartial({ sessionHandle, target: [big.op.name] })).finish(),
      );
      client.close();
    };
    const leaveMany = async (): Promise<number> => {
      for (let i = 0; i < SESSIONS; i += 1) await leave();
      await Session.reset(worker.target);
      return memoryBytes();
    };
    // The first time the heap grows to what so many sessions need; after that it must not any more.
    const before = await leaveMany();
    expect((await leaveMany()) - before).toBeLessThan(SLACK_BYTES);
    await expectStillServes(worker.target);
  });
});
