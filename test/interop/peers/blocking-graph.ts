import type { GraphDef } from "../../../protos/generated/tensorflow/graph.js";
import { constant, graphOf, type Node, text, types } from "./nodes.js";

/**
 * A graph with a step `d` that waits for an element which only `e` brings.
 *
 * Run with the targets `begin` and `held` it shows from outside where it is: `begun` gives an element once the step runs
 * on its task, and `lock` ends once the step is over there, for until then the step holds a mutex. That another step, run
 * after it, has come back shows neither: TensorFlow's servers work on several threads.
 *
 * @param name names the queues and the mutex, which sessions of a server share
 * @param device of all nodes
 */
export function blockingGraph(name: string, device: string): GraphDef {
  const queue = (node: string): Node => ({
    name: node,
    op: "FIFOQueueV2",
    device,
    attr: { component_types: types("float32"), shared_name: text(`${name} ${node}`) },
  });
  const enqueue = (node: string, to: string, ...after: string[]): Node => ({
    name: node,
    op: "QueueEnqueueV2",
    input: [to, "c", ...after],
    device,
    attr: { Tcomponents: types("float32") },
  });
  const dequeue = (node: string, from: string, ...after: string[]): Node => ({
    name: node,
    op: "QueueDequeueV2",
    input: [from, ...after],
    device,
    attr: { component_types: types("float32") },
  });
  return graphOf(
    queue("elements"),
    queue("begins"),
    { name: "mutex", op: "MutexV2", device, attr: { shared_name: text(name) } },
    { name: "lock", op: "MutexLock", input: ["mutex"], device },
    dequeue("d", "elements", "^lock"),
    { name: "held", op: "ConsumeMutexLock", input: ["lock", "^d"], device },
    constant("c", 1, undefined, device),
    enqueue("e", "elements"),
    enqueue("begin", "begins", "^lock"),
    dequeue("begun", "begins"),
  );
}
