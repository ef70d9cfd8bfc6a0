import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  FifoStore,
  PriorityStore,
  ShuffledStore,
} from "../../../../../../worker-runtime/engines/portable/kernels/state/queues/element-store.js";
import { Queue } from "../../../../../../worker-runtime/engines/portable/kernels/state/queues/queue-resource.js";
import { QueueState } from "../../../../../../worker-runtime/engines/portable/kernels/state/queues/queue-state.js";
import type { Operation } from "../../../../../../worker-runtime/graph/graph.js";
import { Tensor } from "../../../../../../worker-runtime/protocol/tensor.js";
import { peerMissing } from "../../../../../support/peers.js";
import { differences, Program } from "./session-programs.js";

const floats = (values: number[]) => Tensor.of(values, "float32");

describe("the state of a queue", () => {
  const event = fc.oneof(
    fc.record({ kind: fc.constant("enqueue" as const), count: fc.nat(5) }),
    fc.record({
      kind: fc.constant("dequeue" as const),
      count: fc.integer({ min: 1, max: 5 }),
      allowFewer: fc.boolean(),
    }),
    fc.record({ kind: fc.constant("cancel" as const), which: fc.nat() }),
    fc.record({ kind: fc.constant("close" as const), cancelPending: fc.boolean() }),
  );

  test("loses and doubles nothing, keeps the order, and ends every request once", () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 40 }), fc.integer({ min: 1, max: 6 }), (events, capacity) => {
        const state = new QueueState<number>(new FifoStore(), { capacity });
        const ended = new Set<number>();
        const entered = new Map<number, number[]>();
        const left: number[] = [];
        let cancelled = false;
        let next = 0;
        for (const [id, one] of events.entries()) {
          const elements = one.kind === "enqueue" ? Array.from({ length: one.count }, () => next++) : [];
          entered.set(id, elements);
          const completions =
            one.kind === "enqueue"
              ? state.enqueue(id, elements)
              : one.kind === "dequeue"
                ? state.dequeue(id, one.count, one.allowFewer)
                : one.kind === "close"
                  ? state.close(id, one.cancelPending)
                  : state.cancel(one.which % (id + 1));
          cancelled ||= one.kind === "cancel" || (one.kind === "close" && one.cancelPending);
          for (const completion of completions) {
            expect(ended.has(completion.id)).toBe(false);
            ended.add(completion.id);
            if (completion.outcome === "done") {
              left.push(...completion.elements);
            }
          }
          expect(state.size).toBeGreaterThanOrEqual(0);
        }
        expect(new Set(left).size).toBe(left.length);
        // A request that was cancelled gives back what it took, behind which nothing has left yet.
        expect(left).toEqual(left.toSorted((a, b) => a - b));
        const all = state.cancelAll();
        for (const { id } of all) {
          expect(ended.has(id)).toBe(false);
        }
        expect(state.waiting).toBe(0);
        if (!cancelled) {
          const done = [...entered].filter(([id]) => ended.has(id)).flatMap(([, elements]) => elements);
          expect(left.length + state.size).toBeLessThanOrEqual(Math.max(next, done.length));
        }
      }),
    );
  });

  test("serves both sides in order and only as far as there is room", () => {
    const state = new QueueState<string>(new FifoStore(), { capacity: 2 });
    expect(state.enqueue(1, ["a", "b", "c"])).toEqual([]);
    expect(state.size).toBe(2);
    expect(state.enqueue(2, ["d"])).toEqual([]);
    expect(state.dequeue(3, 1)).toEqual([
      { id: 3, outcome: "done", elements: ["a"] },
      { id: 1, outcome: "done", elements: [] },
    ]);
    expect(state.close(4, false)).toEqual([]);
    expect(state.dequeue(5, 3)).toEqual([
      { id: 2, outcome: "done", elements: [] },
      { id: 4, outcome: "done", elements: [] },
      { id: 5, outcome: "done", elements: ["b", "c", "d"] },
    ]);
    expect(state.dequeue(6, 1)).toEqual([{ id: 6, outcome: "insufficient", requested: 1, size: 0 }]);
    expect(state.enqueue(7, ["e"])).toEqual([{ id: 7, outcome: "closed" }]);
    expect(state.close(8, false)).toEqual([{ id: 8, outcome: "already closed" }]);
  });

  test("a cancelled dequeue gives back what it took", () => {
    const state = new QueueState<number>(new FifoStore(), { capacity: 10 });
    state.enqueue(1, [1, 2]);
    expect(state.dequeue(2, 3)).toEqual([]);
    expect(state.size).toBe(0);
    expect(state.cancel(2)).toEqual([{ id: 2, outcome: "cancelled", what: "Dequeue" }]);
    expect(state.dequeue(3, 2)).toEqual([{ id: 3, outcome: "done", elements: [1, 2] }]);
  });

  test("keeps elements back for shuffling until it is closed", () => {
    const state = new QueueState<number>(new ShuffledStore(() => 0), { capacity: 10, minAfterDequeue: 2 });
    state.enqueue(1, [1, 2, 3]);
    expect(state.dequeue(2, 2)).toEqual([]);
    expect(state.close(3, false)).toEqual([
      { id: 3, outcome: "done", elements: [] },
      { id: 2, outcome: "done", elements: [1, 3] },
    ]);
  });

  test("a priority store gives the smallest, of equals the oldest", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 5 })), (priorities) => {
        const store = new PriorityStore<readonly [number, number]>(([priority]) => BigInt(priority));
        for (const [i, priority] of priorities.entries()) {
          store.push([priority, i]);
        }
        const popped = priorities.map(() => store.pop());
        const sorted = priorities.map((priority, i) => [priority, i]).toSorted(([a = 0], [b = 0]) => a - b);
        expect(popped).toEqual(sorted);
      }),
    );
  });
});

describe("waits on a queue", () => {
  const makeQueue = (capacity: number) =>
    new Queue(
      { kind: "FIFOQueue", name: "q", capacity, componentTypes: ["float32"], shapes: [[]] },
      new FifoStore(),
    );
  const signal = new AbortController().signal;
  const scalar = (value: number) => [Tensor.of(value, "float32")];

  test("a dequeue waits for an enqueue, an enqueue for room", async () => {
    const queue = makeQueue(1);
    const waiting = queue.dequeue(signal);
    await queue.enqueue(scalar(1), signal);
    expect((await waiting)[0]?.item()).toBe(1);
    await queue.enqueue(scalar(2), signal);
    const blocked = queue.enqueue(scalar(3), signal);
    expect(queue.size).toBe(1);
    expect((await queue.dequeue(signal))[0]?.item()).toBe(2);
    await blocked;
    expect(queue.size).toBe(1);
  });

  test("an aborted step ends its wait and leaves the queue as it was", async () => {
    const queue = makeQueue(1);
    const controller = new AbortController();
    const waiting = queue.dequeue(controller.signal);
    controller.abort();
    await expect(waiting).rejects.toMatchObject({
      codeName: "CANCELLED",
      message: "Dequeue operation was cancelled",
    });
    await queue.enqueue(scalar(1), signal);
    const enqueue = new AbortController();
    const blocked = queue.enqueue(scalar(2), enqueue.signal);
    enqueue.abort();
    await expect(blocked).rejects.toMatchObject({
      codeName: "CANCELLED",
      message: "Enqueue operation was cancelled",
    });
    // A step that has ended takes nothing.
    await expect(queue.dequeue(controller.signal)).rejects.toMatchObject({ codeName: "CANCELLED" });
    expect(queue.size).toBe(1);
  });

  test("a queue that is removed ends all waits", async () => {
    const queue = makeQueue(1);
    const waiting = queue.dequeue(signal);
    queue.dispose();
    await expect(waiting).rejects.toMatchObject({ codeName: "CANCELLED" });
  });

  test("close with cancel_pending_enqueues ends enqueues that wait", async () => {
    const queue = makeQueue(1);
    await queue.enqueue(scalar(1), signal);
    const blocked = queue.enqueue(scalar(2), signal);
    await queue.close(true, signal);
    await expect(blocked).rejects.toMatchObject({ codeName: "CANCELLED" });
    expect((await queue.dequeue(signal))[0]?.item()).toBe(1);
    await expect(queue.dequeue(signal)).rejects.toMatchObject({ codeName: "OUT_OF_RANGE" });
  });
});

interface QueueOps {
  readonly program: Program;
  readonly queue: Operation;
  op(
    name: string,
    inputs?: readonly (Operation | Tensor | number | readonly (Operation | Tensor)[])[],
    attrs?: Record<string, unknown>,
  ): Operation;
}

function queueProgram(
  title: string,
  kind: string,
  version: string,
  attrs: Record<string, unknown>,
  build: (ops: QueueOps) => void,
): Program {
  const program = new Program(`${title} ${kind}${version}`);
  const queue = program.graph.op(`${kind}${version}`, [], attrs as never, "q");
  build({
    program,
    queue,
    op: (name, inputs = [], more = {}) =>
      program.graph.op(`${name}${version}`, [queue, ...inputs] as never, more as never),
  });
  return program;
}

function queuePrograms(): readonly Program[] {
  const programs: Program[] = [];
  for (const version of ["", "V2"]) {
    const types = ["float32", "string"];
    const dequeued = { component_types: types };
    programs.push(
      queueProgram(
        "elements",
        "FIFOQueue",
        version,
        { component_types: types, shapes: [[2], []], capacity: 5 },
        (q) => {
          const { program, op } = q;
          const value = program.placeholder("float32");
          const count = program.placeholder("int32");
          const enqueue = op("QueueEnqueue", [[value, Tensor.of("a")]]);
          const many = op("QueueEnqueueMany", [
            [floats([1, 2, 3, 4]).reshape([2, 2]), Tensor.of(["x", "y"])],
          ]);
          const misfit = op("QueueEnqueueMany", [[value, Tensor.of(["x", "y"])]]);
          const size = op("QueueSize");
          const dequeue = op("QueueDequeue", [], dequeued);
          const two = op("QueueDequeueMany", [2], dequeued);
          const none = op("QueueDequeueMany", [0], dequeued);
          const upTo = op("QueueDequeueUpTo", [3], dequeued);
          const negative = op("QueueDequeueMany", [count], dequeued);
          const close = op("QueueClose");
          const closed = op("QueueIsClosed");
          program
            .run([size])
            .run([enqueue], [[value, floats([1, 2])]])
            .run([enqueue], [[value, floats([1, 2, 3])]]);
          program.run([misfit], [[value, floats([1, 2, 3, 4, 5, 6]).reshape([2, 3])]]);
          program
            .run([many])
            .run([size])
            .run([dequeue])
            .run([two])
            .run([size])
            .run([none])
            .run([negative], [[count, Tensor.of(-1, "int32")]]);
          program
            .run([many])
            .run([closed])
            .run([close])
            .run([closed])
            .run([enqueue], [[value, floats([1, 2])]]);
          program.run([upTo]).run([many]).run([close]).run([dequeue]).run([two]).run([upTo]);
        },
      ),
      queueProgram(
        "open shapes",
        "FIFOQueue",
        version,
        { component_types: ["float32"], capacity: -1 },
        (q) => {
          const { program, op } = q;
          const value = program.placeholder("float32");
          const other = program.placeholder("float32");
          const enqueue = op("QueueEnqueue", [[value]]);
          const dequeue = op("QueueDequeue", [], { component_types: ["float32"] });
          program.run([enqueue], [[value, floats([1])]]).run([enqueue], [[value, Tensor.of(1, "float32")]]);
          program.run([op("QueueDequeueMany", [2], { component_types: ["float32"] })]);
          program.run([dequeue]).run([dequeue]);
          program
            .run([op("QueueEnqueueMany", [[other]])], [[other, floats([1, 2, 3])]])
            .run([dequeue])
            .run([op("QueueSize")]);
        },
      ),
      queueProgram(
        "padding",
        "PaddingFIFOQueue",
        version,
        { component_types: ["int32"], shapes: [[-1, 2]], capacity: 5 },
        (q) => {
          const { program, op } = q;
          const value = program.placeholder("int32");
          const enqueue = op("QueueEnqueue", [[value]]);
          const many = op("QueueDequeueMany", [3], { component_types: ["int32"] });
          program.run([enqueue], [[value, Tensor.of([[1, 2]], "int32")]]);
          program.run(
            [enqueue],
            [
              [
                value,
                Tensor.of(
                  [
                    [3, 4],
                    [5, 6],
                  ],
                  "int32",
                ),
              ],
            ],
          );
          program.run([enqueue], [[value, Tensor.of([], "int32").reshape([0, 2])]]);
          program.run([enqueue], [[value, Tensor.of([[3, 4, 5]], "int32")]]);
          program.run([many]);
          program.run([op("QueueDequeueMany", [0], { component_types: ["int32"] })]);
        },
      ),
      queueProgram(
        "shuffling",
        "RandomShuffleQueue",
        version,
        { component_types: ["int32"], shapes: [[]], capacity: 100, min_after_dequeue: 2, seed: 3, seed2: 7 },
        (q) => {
          const { program, op } = q;
          program.run([op("QueueEnqueueMany", [[Tensor.of([...Array(30).keys()], "int32")]])]);
          program.run([op("QueueDequeue", [], { component_types: ["int32"] })]);
          program.run([op("QueueDequeueMany", [12], { component_types: ["int32"] })]);
          program.run([op("QueueClose")]);
          program.run([op("QueueDequeueUpTo", [40], { component_types: ["int32"] })]);
          program.run([op("QueueDequeue", [], { component_types: ["int32"] })]);
        },
      ),
      queueProgram(
        "priorities",
        "PriorityQueue",
        version,
        { component_types: ["string"], shapes: [[]], capacity: 10 },
        (q) => {
          const { program, op } = q;
          const types = { component_types: ["int64", "string"] };
          const priorities = Tensor.of([5n, -1n, 3n, 9n]);
          program.run([op("QueueEnqueueMany", [[priorities, Tensor.of(["a", "b", "c", "d"])]])]);
          program.run([op("QueueEnqueue", [[Tensor.of(4n), Tensor.of("e")]])]);
          program.run([op("QueueDequeue", [], types)]).run([op("QueueDequeueMany", [2], types)]);
          program.run([op("QueueClose", [], { cancel_pending_enqueues: true })]);
          // With more than there are TensorFlow counts wrong and fails.
          program.run([op("QueueDequeueUpTo", [2], types)]).run([op("QueueDequeueUpTo", [5], types)]);
        },
      ),
    );
  }
  const clash = new Program("two nodes of one shared name");
  const first = clash.graph.op("FIFOQueueV2", [], { component_types: ["float32"], shared_name: "s" });
  clash.run([clash.graph.op("QueueSizeV2", [first])]);
  for (const attrs of [{ capacity: 3 }, { component_types: ["int32"] }, { shapes: [[2]] }]) {
    const other = clash.graph.op("FIFOQueueV2", [], {
      component_types: ["float32"],
      shared_name: "s",
      ...attrs,
    });
    clash.run([clash.graph.op("QueueSizeV2", [other])]);
  }
  programs.push(clash);
  const bad = new Program("a shuffle queue that keeps all", { texts: true });
  const queue = bad.graph.op("RandomShuffleQueueV2", [], {
    component_types: ["float32"],
    capacity: 3,
    min_after_dequeue: 3,
  });
  bad.run([bad.graph.op("QueueSizeV2", [queue])]);
  programs.push(bad);
  return programs;
}

describe.skipIf(peerMissing("tensorflow"))("queues against TensorFlow", () => {
  test("hold, give and refuse as TensorFlow's do", async () => {
    expect(await differences(queuePrograms())).toEqual([]);
  }, 120_000);
});
