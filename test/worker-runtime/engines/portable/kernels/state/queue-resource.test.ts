import { describe, expect, test } from "vitest";
import {
  type ElementStore,
  FifoStore,
  PriorityStore,
  ShuffledStore,
} from "../../../../../../worker-runtime/engines/portable/kernels/state/queues/element-store.js";
import { Queue } from "../../../../../../worker-runtime/engines/portable/kernels/state/queues/queue-resource.js";
import {
  type Completion,
  QueueState,
} from "../../../../../../worker-runtime/engines/portable/kernels/state/queues/queue-state.js";
import { Tensor } from "../../../../../../worker-runtime/protocol/tensor.js";
import fc from "../../../../../support/seeded-check.js";

/** The completion of each request by its number. */
function outcomes<E>(completions: readonly Completion<E>[]): Map<number, Completion<E>> {
  return new Map(completions.map((completion) => [completion.id, completion]));
}

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

  const stores: Readonly<Record<string, () => ElementStore<number>>> = {
    fifo: () => new FifoStore(),
    priority: () => new PriorityStore((element) => BigInt(element % 3)),
  };

  test.each(Object.entries(stores))(
    "%s: elements that move in turns end up where they do at once",
    (kind, store) => {
      fc.assert(
        fc.property(
          fc.array(event, { maxLength: 40 }),
          fc.integer({ min: 1, max: 6 }),
          fc.integer({ min: 1, max: 3 }),
          (events, capacity, movesPerTurn) => {
            const options = { capacity, wholeBatches: kind === "priority" };
            const atOnce = new QueueState<number>(store(), options);
            const inTurns = new QueueState<number>(store(), { ...options, movesPerTurn });
            let next = 0;
            for (const [id, one] of events.entries()) {
              const elements = one.kind === "enqueue" ? Array.from({ length: one.count }, () => next++) : [];
              const act = (state: QueueState<number>) => {
                switch (one.kind) {
                  case "enqueue":
                    return state.enqueue(id, elements);
                  case "dequeue":
                    return state.dequeue(id, one.count, one.allowFewer);
                  case "close":
                    return state.close(id, one.cancelPending);
                  case "cancel":
                    return state.cancel(one.which % (id + 1));
                }
              };
              const expected = act(atOnce);
              const completions = [...act(inTurns)];
              while (inTurns.isBusy) {
                completions.push(...inTurns.goOn());
              }
              expect(outcomes(completions)).toEqual(outcomes(expected));
              expect(inTurns.size).toBe(atOnce.size);
            }
          },
        ),
      );
    },
  );

  test("an element that comes while a whole batch is taken is not among it, and one that is given back is next", () => {
    const state = new QueueState<number>(new PriorityStore<number>(BigInt), {
      capacity: 10,
      wholeBatches: true,
      movesPerTurn: 2,
    });
    state.enqueue(0, [5, 3]);
    state.goOn();
    state.enqueue(1, [4, 6]);
    state.goOn();
    expect(state.dequeue(2, 3)).toEqual([]);
    expect(state.enqueue(3, [1])).toEqual([
      { id: 2, outcome: "done", elements: [3, 4, 5] },
      { id: 3, outcome: "done", elements: [] },
    ]);
    state.enqueue(4, [1, 2]);
    state.goOn();
    expect(state.dequeue(5, 4)).toEqual([]);
    expect(state.cancel(5)).toEqual([{ id: 5, outcome: "cancelled", what: "Dequeue" }]);
    const all = [state.dequeue(6, 1), state.dequeue(7, 1), state.dequeue(8, 1), state.dequeue(9, 1)].flat();
    expect(all.map((one) => (one.outcome === "done" ? one.elements : []))).toEqual([[1], [1], [2], [6]]);
  });

  test("an element that finds room once a batch was taken is not in the next one, for which there were enough", () => {
    const state = new QueueState<number>(new PriorityStore<number>(BigInt), {
      capacity: 4,
      wholeBatches: true,
      movesPerTurn: 1,
    });
    state.enqueue(0, [1]);
    state.dequeue(1, 2);
    state.dequeue(2, 2);
    const completions = [...state.enqueue(3, [8, 9, 2, 3])];
    while (state.isBusy) {
      completions.push(...state.goOn());
    }
    expect(completions).toEqual([
      { id: 1, outcome: "done", elements: [1, 2] },
      { id: 2, outcome: "done", elements: [8, 9] },
      { id: 3, outcome: "done", elements: [] },
    ]);
    expect(state.size).toBe(1);
  });

  test("many elements come back from a dequeue that is cancelled", () => {
    const state = new QueueState<number>(new ShuffledStore(() => 0), { capacity: Number.POSITIVE_INFINITY });
    const count = 300_000;
    state.enqueue(
      0,
      Array.from({ length: count }, (_, i) => i),
    );
    state.dequeue(1, count + 1);
    expect(state.size).toBe(0);
    state.cancel(1);
    expect(state.size).toBe(count);
  });

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
