/** The expected time of a step: nodes run on their tasks as their inputs arrive, tensors travel between tasks. */
import type { Assignment, StepProblem } from "./step-problem.js";

export interface SimulatedStep {
  /** From the start of the step until the master has the answers of all tasks that compute something. */
  readonly micros: number;
  /** Sent between tasks, and in how many transfers. */
  readonly bytes: number;
  readonly transfers: number;
}

/**
 * Simulates steps of one problem. A processor runs one node at a time, in the order in which they become ready, as an
 * executor does; a connection between two tasks carries one tensor at a time. A task begins when the master has started
 * it, and its answer takes a time. What a client feeds and fetches takes no further time.
 */
export class StepSimulator {
  readonly #problem: StepProblem;
  /** Edges that each node waits for, those that close a loop not among them. */
  readonly #inputs: Int32Array;
  readonly #isForward: Uint8Array;
  /** The pending inputs of the step in progress. */
  readonly #waiting: Int32Array;
  readonly #ready: Float64Array;
  readonly #arrival: Float64Array;
  readonly #heap: ReadyHeap;

  constructor(problem: StepProblem) {
    const { nodeCount, taskCount, tensorBytes, order, firstEdge, edgeTarget } = problem;
    this.#problem = problem;
    const position = new Int32Array(nodeCount);
    order.forEach((node, index) => {
      position[node] = index;
    });
    this.#inputs = new Int32Array(nodeCount);
    this.#isForward = new Uint8Array(edgeTarget.length);
    for (let node = 0; node < nodeCount; node++) {
      for (let edge = firstEdge[node] ?? 0; edge < (firstEdge[node + 1] ?? 0); edge++) {
        const target = edgeTarget[edge] ?? 0;
        if ((position[target] ?? 0) <= (position[node] ?? 0)) continue;
        this.#isForward[edge] = 1;
        this.#inputs[target] = (this.#inputs[target] ?? 0) + 1;
      }
    }
    this.#waiting = new Int32Array(nodeCount);
    this.#ready = new Float64Array(nodeCount);
    this.#arrival = new Float64Array(tensorBytes.length * taskCount);
    this.#heap = new ReadyHeap(this.#ready, position);
  }

  /** @param limit the simulation may end early with an infinite time once the step takes longer */
  run(assignment: Assignment, limit = Number.POSITIVE_INFINITY): SimulatedStep {
    const { taskCount, unitOf, micros, processorOf, firstEdge, edgeTarget, edgeTensor } = this.#problem;
    const { tensorBytes, latencyMicros, microsPerByte, startMicros, endMicros } = this.#problem;
    const [waiting, ready, arrival, heap] = [this.#waiting, this.#ready, this.#arrival, this.#heap];
    waiting.set(this.#inputs);
    for (let node = 0; node < ready.length; node++) {
      ready[node] = startMicros[assignment[unitOf[node] ?? 0] ?? 0] ?? 0;
    }
    arrival.fill(-1);
    heap.clear();
    for (let node = 0; node < waiting.length; node++) if (waiting[node] === 0) heap.push(node);
    const processorFree = new Float64Array(taskCount);
    const linkFree = new Float64Array(taskCount * taskCount);
    let [end, bytes, transfers] = [0, 0, 0];
    for (let node = heap.pop(); node !== undefined; node = heap.pop()) {
      const task = assignment[unitOf[node] ?? 0] ?? 0;
      const processor = processorOf[task] ?? 0;
      const start = Math.max(ready[node] ?? 0, processorFree[processor] ?? 0);
      const finish = start + (micros[node * taskCount + task] ?? 0);
      processorFree[processor] = finish;
      end = Math.max(end, finish + (endMicros[task] ?? 0));
      if (end > limit) return { micros: Number.POSITIVE_INFINITY, bytes, transfers };
      for (let edge = firstEdge[node] ?? 0; edge < (firstEdge[node + 1] ?? 0); edge++) {
        const target = edgeTarget[edge] ?? 0;
        const to = assignment[unitOf[target] ?? 0] ?? 0;
        let at = finish;
        if (to !== task) {
          const tensor = edgeTensor[edge] ?? 0;
          const slot = tensor * taskCount + to;
          at = arrival[slot] ?? -1;
          if (at < 0) {
            const link = task * taskCount + to;
            const size = tensorBytes[tensor] ?? 0;
            const sent = Math.max(finish, linkFree[link] ?? 0) + size * (microsPerByte[link] ?? 0);
            linkFree[link] = sent;
            at = sent + (latencyMicros[link] ?? 0);
            arrival[slot] = at;
            bytes += size;
            transfers++;
          }
        }
        if (this.#isForward[edge] === 0) continue;
        if (at > (ready[target] ?? 0)) ready[target] = at;
        const left = (waiting[target] ?? 0) - 1;
        waiting[target] = left;
        if (left === 0) heap.push(target);
      }
    }
    return { micros: end, bytes, transfers };
  }
}

/** Nodes by the time at which they are ready; of equal ones the first in the order of the step. */
class ReadyHeap {
  readonly #ready: Float64Array;
  readonly #position: Int32Array;
  readonly #nodes: Int32Array;
  #size = 0;

  constructor(ready: Float64Array, position: Int32Array) {
    this.#ready = ready;
    this.#position = position;
    this.#nodes = new Int32Array(ready.length);
  }

  clear(): void {
    this.#size = 0;
  }

  push(node: number): void {
    let index = this.#size++;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const above = this.#nodes[parent] ?? 0;
      if (!this.#isBefore(node, above)) break;
      this.#nodes[index] = above;
      index = parent;
    }
    this.#nodes[index] = node;
  }

  pop(): number | undefined {
    if (this.#size === 0) return undefined;
    const first = this.#nodes[0];
    const last = this.#nodes[--this.#size] ?? 0;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= this.#size) break;
      if (child + 1 < this.#size && this.#isBefore(this.#nodes[child + 1] ?? 0, this.#nodes[child] ?? 0))
        child++;
      const below = this.#nodes[child] ?? 0;
      if (!this.#isBefore(below, last)) break;
      this.#nodes[index] = below;
      index = child;
    }
    this.#nodes[index] = last;
    return first;
  }

  #isBefore(one: number, other: number): boolean {
    const difference = (this.#ready[one] ?? 0) - (this.#ready[other] ?? 0);
    return difference < 0 || (difference === 0 && (this.#position[one] ?? 0) < (this.#position[other] ?? 0));
  }
}
