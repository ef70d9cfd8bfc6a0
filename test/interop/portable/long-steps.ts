/** Steps that compute for longer than everything else that a test does, and are cancelled in the end. */
import { Graph, type Output } from "../../../worker-runtime/graph/graph.js";
import * as ops from "../../../worker-runtime/graph/ops/index.js";
import { Tensor } from "../../../worker-runtime/protocol/tensor.js";
import { Channel } from "../../../worker-runtime/rpc/channel.js";
import { workerClient } from "../../../worker-runtime/rpc/worker-client.js";
import type { OperationRef } from "../../../worker-runtime/session/references.js";
import { Session } from "../../../worker-runtime/session/session.js";

export interface LongStep {
  /** The step's computation on its fed value, without end for all that the test knows. */
  compute(graph: Graph, x: Output): OperationRef;
  /** Values with which the step is short, for first steps, which compile. */
  readonly first?: readonly Tensor[];
  /** The value with which it is long. */
  readonly value: Tensor;
}

/** A matrix of numbers that are not round and not all alike. */
export function matrix(size: number): Tensor {
  const data = Float32Array.from({ length: size * size }, (_, i) => Math.sin(i));
  return new Tensor("float32", [size, size], data);
}

/** Products of a matrix, one after another. */
export function products(count: number, size: number): LongStep {
  const compute: LongStep["compute"] = (graph, x) => {
    let product = x;
    for (let i = 0; i < count; i += 1) {
      product = ops.matMul(product, x);
    }
    // A step does not wait for a GPU unless something on the host reads what it computes.
    return graph.withDevice("/cpu:0", () => graph.op("Lgamma", [product]));
  };
  return { compute, first: [matrix(2), matrix(2)], value: matrix(size) };
}

/** Asks a task for its status. @throws TensorFlowError UNAVAILABLE if it is not there. */
export async function askStatus(target: string): Promise<void> {
  const channel = new Channel(target);
  try {
    await workerClient(channel).getStatus({});
  } finally {
    channel.close();
  }
}

/**
 * Runs a step on a task and calls `act` once it has begun to compute.
 * @returns which of the two ended first. The step is cancelled if it was `act`.
 * @throws the error of `act`, or of a step that has failed.
 */
export async function duringStep(
  target: string,
  { compute, first = [], value }: LongStep,
  act: () => Promise<unknown>,
): Promise<"step" | "act"> {
  const graph = new Graph();
  const { enqueue, begun } = graph.withDevice("/cpu:0", () => {
    const queue = graph.op("FIFOQueueV2", [], { component_types: ["bool"], shapes: [[]] }).output;
    const yes = ops.constant(graph, true);
    return {
      enqueue: graph.op("QueueEnqueueV2", [queue, [yes]], { Tcomponents: ["bool"] }),
      begun: graph.op("QueueDequeueV2", [queue], { component_types: ["bool"] }).outputAt(0),
    };
  });
  const x = ops.placeholder(graph, value.dtype, undefined, { name: "x" });
  const given = graph.withControlDependencies([enqueue], () => ops.identity(x));
  const computed = compute(graph, given);
  const session = new Session(target, { graph });
  const controller = new AbortController();
  const run = (fed: Tensor, signal?: AbortSignal) =>
    session.run([], { feeds: [[x, fed]], targets: [computed], signal });
  try {
    for (const small of first) {
      await Promise.all([run(small), session.run([begun])]);
    }
    const step = run(value, controller.signal).then(() => "step" as const);
    await Promise.race([session.run([begun]), step]);
    const ended = await Promise.race([act().then(() => "act" as const), step]);
    controller.abort();
    await step.catch(() => undefined);
    return ended;
  } finally {
    await session.close();
  }
}
