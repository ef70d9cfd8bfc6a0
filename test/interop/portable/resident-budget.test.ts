/** The tensors that a portable task holds at a time, of all its sessions together. */
import { afterEach, describe, expect, test } from "vitest";
import { Graph } from "../../../worker-runtime/graph/graph.js";
import type { Operation, Output } from "../../../worker-runtime/graph/operation.js";
import * as ops from "../../../worker-runtime/graph/ops/index.js";
import { StatusCode } from "../../../worker-runtime/protocol/status.js";
import { Tensor } from "../../../worker-runtime/protocol/tensor.js";
import { Session } from "../../../worker-runtime/session/session.js";
import { environmentWithoutProxies, spawnPeer } from "../../support/peers.js";
import { peakBytes } from "../../support/processes.js";
import { command } from "../worker-peers.js";

const LIMIT_MIB = 256;
/** Elements of float32 in a MiB. */
const MIB = 2 ** 18;

const sessions: Session[] = [];
afterEach(async () => {
  await Promise.all(sessions.splice(0).map((session) => session.close()));
});

interface StartedTask {
  readonly pid: number;
  open(graph: Graph): Session;
}

async function startTask(...more: readonly string[]): Promise<StartedTask> {
  const worker = await spawnPeer(
    process.execPath,
    [command, "worker", "--engine=portable", `--max_resident_mb=${LIMIT_MIB}`, ...more],
    { ready: /^target (grpc:\/\/\S+)$/m, env: environmentWithoutProxies() },
  );
  return {
    pid: worker.pid,
    open(graph) {
      const session = new Session(worker.match?.[1] ?? "", { graph });
      sessions.push(session);
      return session;
    },
  };
}

/** A vector of so many MiB, made when a step runs. */
function vector(graph: Graph, mib: Output | number): Output {
  const size = typeof mib === "number" ? graph.op("Placeholder", [], { dtype: "int32" }).output : mib;
  return graph.op("Fill", [size, Tensor.of(1, "float32")], { index_type: "int32" }).output;
}

const sized = (mib: number): Tensor => Tensor.of([mib * MIB], "int32");

function firstOf(graph: Graph, tensor: Output): Output {
  const one = (value: number) => Tensor.of([value], "int32");
  return graph.op("Slice", [tensor, one(0), one(1)]).output;
}

const beyond = {
  code: StatusCode.RESOURCE_EXHAUSTED,
  message: expect.stringMatching(
    /OOM when allocating tensor with shape\[[\d,]+\] and type float; this task has \d+ MiB .*may have 256 MiB \(--max_resident_mb\)/,
  ),
};

/** A session with a vector that is fed its size, and the sum of it with itself so many times doubled. */
function doublingGraph(double: (graph: Graph, x: Output) => Output) {
  const graph = new Graph();
  const size = graph.op("Placeholder", [], { dtype: "int32" }).output;
  const seed = vector(graph, size);
  let last = seed;
  for (let i = 0; i < 8; i += 1) {
    last = double(graph, last);
  }
  return { graph, size, all: firstOf(graph, last), seed: firstOf(graph, seed) };
}

const doublings: Readonly<Record<string, (graph: Graph, x: Output) => Output>> = {
  ConcatV2: (graph, x) => graph.op("ConcatV2", [[x, x], Tensor.of(0, "int32")]).output,
  Tile: (graph, x) => graph.op("Tile", [x, Tensor.of([2], "int32")]).output,
  Pack: (graph, x) =>
    graph.op("Reshape", [graph.op("Pack", [[x, x]]).output, Tensor.of([-1], "int32")]).output,
};

describe("a task with a budget of resident tensors", () => {
  test.each(Object.entries(doublings))(
    "refuses a graph that doubles by %s, and has all of it back afterwards",
    async (_, double) => {
      const { open } = await startTask();
      const { graph, size, all, seed } = doublingGraph(double);
      const session = open(graph);
      const other = open(graph);
      for (let i = 0; i < 2; i += 1) {
        await expect(session.run([all], { feeds: [[size, sized(4)]] })).rejects.toMatchObject(beyond);
        // As much as there is room for only when nothing of the failed step is left.
        const { values } = await other.run([seed], { feeds: [[size, sized(180)]] });
        expect(values[0]?.toArray()).toEqual([1]);
      }
    },
  );

  test.skipIf(process.platform !== "linux")("asks before ONNX Runtime allocates", async () => {
    const { open, pid } = await startTask("--regions=always");
    const graph = new Graph();
    const x = graph.op("Placeholder", [], { dtype: "float32" }).output;
    let last = x;
    for (let i = 0; i < 5; i += 1) {
      const twice = graph.op("Mul", [last, last]).output;
      last = graph.op("ConcatV2", [[last, twice], Tensor.of(0, "int32")]).output;
    }
    const session = open(graph);
    const all = firstOf(graph, last);
    const ones = (mib: number) => new Tensor("float32", [mib * MIB], new Float32Array(mib * MIB).fill(1));
    // The session is made for small tensors, and then has room for none of those that it would make of large ones.
    for (let i = 0; i < 2; i += 1) {
      expect((await session.run([all], { feeds: [[x, ones(1)]] })).values[0]?.toArray()).toEqual([1]);
    }
    await expect(session.run([all], { feeds: [[x, ones(60)]] })).rejects.toMatchObject(beyond);
    expect(peakBytes(pid)).toBeLessThan(3 * LIMIT_MIB * 2 ** 20);
  });

  test.skipIf(process.platform !== "linux")("counts what ONNX Runtime keeps for its next run", async () => {
    const limitMib = 768;
    const { open, pid } = await startTask("--regions=always", `--max_resident_mb=${limitMib}`);
    const idle = peakBytes(pid);
    const graph = new Graph();
    const kept = graph.op("VarHandleOp", [], { dtype: "float32", shape: [-1], shared_name: "kept" });
    const x = graph.op("ReadVariableOp", [kept], { dtype: "float32" }).output;
    const doubled = graph.op("ConcatV2", [[x, graph.op("Add", [x, x]).output], Tensor.of(0, "int32")]).output;
    const size = graph.op("Placeholder", [], { dtype: "int32" }).output;
    const assign = graph.op("AssignVariableOp", [kept, vector(graph, size)], { dtype: "float32" });
    const assigned = graph.op("AssignVariableOp", [kept, doubled], { dtype: "float32" });
    const session = open(graph);
    const first = firstOf(graph, x);
    // As a loop does: each step doubles what the last has left, until there is no room for it.
    for (let round = 0; round < 3; round += 1) {
      await session.run([], { targets: [assign], feeds: [[size, sized(1)]] });
      const doubling = (async () => {
        for (let step = 0; step < 12; step += 1) {
          await session.run([], { targets: [assigned] });
        }
      })();
      await expect(doubling).rejects.toMatchObject({ code: StatusCode.RESOURCE_EXHAUSTED });
      expect((await session.run([first])).values[0]?.toArray()).toHaveLength(1);
    }
    // It was twice the limit when only tensors were counted.
    expect(peakBytes(pid)).toBeLessThan(1.6 * limitMib * 2 ** 20 + idle);
  });

  test("lets one step make far more than that, one after the other", async () => {
    const { open } = await startTask();
    const graph = new Graph();
    const size = graph.op("Placeholder", [], { dtype: "int32" }).output;
    let last = vector(graph, size);
    for (let i = 0; i < 24; i += 1) last = graph.op("Neg", [last]).output;
    const { values } = await open(graph).run([firstOf(graph, last)], { feeds: [[size, sized(40)]] });
    expect(values[0]?.toArray()).toEqual([1]);
  });

  test("counts the variables of all sessions, and what lets go of them", async () => {
    const { open } = await startTask();
    const graphs = ["a", "b", "c"].map((name) => {
      const graph = new Graph();
      const size = graph.op("Placeholder", [], { dtype: "int32" }).output;
      const variable = graph.op("VarHandleOp", [], { dtype: "float32", shape: [-1], shared_name: name });
      const assign = graph.op("AssignVariableOp", [variable, vector(graph, size)], { dtype: "float32" });
      const read = firstOf(graph, graph.op("ReadVariableOp", [variable], { dtype: "float32" }).output);
      const destroy = graph.op("DestroyResourceOp", [variable]);
      const session = open(graph);
      const run = (operation: Operation, mib = 0) =>
        session.run([], { targets: [operation], feeds: [[size, sized(mib)]] });
      return { session, read, set: (mib: number) => run(assign, mib), destroy: () => run(destroy) };
    });
    const [a, b, c] = graphs;
    if (a === undefined || b === undefined || c === undefined) throw new Error("Three graphs were made.");
    await a.set(90);
    await b.set(90);
    await expect(c.set(90)).rejects.toMatchObject(beyond);
    // The others go on, and keep theirs when their sessions end.
    expect((await a.session.run([a.read])).values[0]?.toArray()).toEqual([1]);
    await a.session.close();
    await expect(c.set(90)).rejects.toMatchObject(beyond);
    await b.destroy();
    await c.set(90);
    expect((await c.session.run([c.read])).values[0]?.toArray()).toEqual([1]);
  });

  test("gives back what a session alone had when it ends", async () => {
    const { open } = await startTask();
    const graph = new Graph();
    const size = graph.op("Placeholder", [], { dtype: "int32" }).output;
    const queue = graph.op("FIFOQueueV2", [], { component_types: ["float32"] });
    const enqueue = graph.op("QueueEnqueueV2", [queue, [vector(graph, size)]]);
    const session = open(graph);
    const put = (one: Session, mib: number) =>
      one.run([], { targets: [enqueue], feeds: [[size, sized(mib)]] });
    await put(session, 90);
    await put(session, 90);
    const other = open(graph);
    await expect(put(other, 90)).rejects.toMatchObject(beyond);
    await session.close();
    await put(other, 90);
    await put(other, 90);
  });

  test("counts many small tensors, constants of graphs and what is fed", async () => {
    const { open } = await startTask();
    const graph = new Graph();
    const value = graph.op("Placeholder", [], { dtype: "float32" }).output;
    const queue = graph.op("FIFOQueueV2", [], { component_types: ["float32"], shared_name: "small" });
    const count = graph.op("Placeholder", [], { dtype: "int32" }).output;
    const enqueue = graph.op("QueueEnqueueManyV2", [
      queue,
      [graph.op("Fill", [count, value], { index_type: "int32" }).output],
    ]);
    const session = open(graph);
    // Elements of a quarter of a MiB: none of them is looked at by itself.
    const put = () =>
      session.run([], {
        targets: [enqueue],
        feeds: [
          [value, Tensor.of(1, "float32")],
          [count, Tensor.of([16, MIB / 4], "int32")],
        ],
      });
    let rounds = 0;
    const filling = (async () => {
      for (; rounds < 2 * LIMIT_MIB; rounds += 1) await put();
    })();
    await expect(filling).rejects.toMatchObject({ code: StatusCode.RESOURCE_EXHAUSTED });
    expect(rounds * 4).toBeLessThanOrEqual(LIMIT_MIB);
    const large = new Graph();
    ops.constant(large, new Tensor("float32", [60 * MIB], new Float32Array(60 * MIB)));
    await expect(open(large).open()).rejects.toMatchObject({
      code: StatusCode.RESOURCE_EXHAUSTED,
      message: expect.stringContaining("--max_resident_mb"),
    });
  });
});
