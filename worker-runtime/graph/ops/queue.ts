import type { DType } from "../../protocol/dtype.js";
import type { Graph } from "../graph.js";
import type { OpValue } from "../graph-op-builder.js";
import type { Operation, Output } from "../operation.js";
import type { Shape } from "../shape.js";
import { graphOf, intTensor, type OpOptions, toTensor } from "./common.js";

/** A queue that a task keeps between runs. */
export interface Queue {
  /** Its handle, a resource. */
  readonly handle: Output;
  readonly dtypes: readonly DType[];
  readonly shapes: readonly Shape[] | undefined;
}

export interface QueueOptions extends OpOptions {
  /** The shape of each component; needed to dequeue several elements at once. */
  readonly shapes?: readonly Shape[] | undefined;
  /** Queues with the same shared name on a task are shared by all sessions. */
  readonly sharedName?: string | undefined;
}

/** A first-in-first-out queue of `capacity` elements; each has one tensor per dtype. */
export function fifoQueue(
  graph: Graph,
  capacity: number,
  dtypes: readonly DType[],
  options: QueueOptions = {},
): Queue {
  const attrs = {
    component_types: dtypes,
    shapes: options.shapes ?? [],
    capacity,
    shared_name: options.sharedName ?? "",
  };
  const handle = graph.withControlDependencies(undefined, () =>
    graph.withDevice(
      "/device:CPU:*",
      () => graph.op("FIFOQueueV2", [], attrs, options.name ?? "fifo_queue").output,
    ),
  );
  return { handle, dtypes, shapes: options.shapes };
}

function put(type: string, suffix: string) {
  return (queue: Queue, components: readonly OpValue[], options: OpOptions = {}): Operation => {
    const { op } = queue.handle;
    const graph = graphOf(queue.handle);
    return graph.withNameScope(options.name ?? `${op.name}_${suffix}`, (scope) => {
      const tensors = components.map((value, i) => toTensor(graph, value, `component_${i}`, queue.dtypes[i]));
      return graph.op(type, [queue.handle, tensors], {}, scope);
    });
  };
}

/** Enqueues one element: one tensor per component. Blocks while the queue is full. */
export const enqueue = put("QueueEnqueueV2", "enqueue");
/** Enqueues several elements, one per index of the components' first dimension. */
export const enqueueMany = put("QueueEnqueueManyV2", "EnqueueMany");

/** Dequeues one element. Blocks while the queue is empty. */
export function dequeue(queue: Queue, options: OpOptions = {}): readonly Output[] {
  const { op } = queue.handle;
  const graph = graphOf(queue.handle);
  const name = options.name ?? `${op.name}_Dequeue`;
  return graph.op("QueueDequeueV2", [queue.handle], { component_types: queue.dtypes }, name).outputs;
}

/** Dequeues `count` elements, stacked along a new first dimension. */
export function dequeueMany(
  queue: Queue,
  count: number | Output,
  options: OpOptions = {},
): readonly Output[] {
  const { op } = queue.handle;
  const graph = graphOf(queue.handle);
  const n = typeof count === "number" ? intTensor(count) : count;
  const name = options.name ?? `${op.name}_DequeueMany`;
  return graph.op("QueueDequeueManyV2", [queue.handle, n], { component_types: queue.dtypes }, name).outputs;
}

/** The number of elements in the queue. */
export function queueSize(queue: Queue, options: OpOptions = {}): Output {
  const { op } = queue.handle;
  const graph = graphOf(queue.handle);
  return graph.op("QueueSizeV2", [queue.handle], {}, options.name ?? `${op.name}_Size`).output;
}

/** Closes the queue: no more elements can be enqueued; remaining ones can still be dequeued. */
export function closeQueue(
  queue: Queue,
  options: OpOptions & { readonly cancelPendingEnqueues?: boolean | undefined } = {},
): Operation {
  const { op } = queue.handle;
  const graph = graphOf(queue.handle);
  const attrs = { cancel_pending_enqueues: options.cancelPendingEnqueues ?? false };
  return graph.op("QueueCloseV2", [queue.handle], attrs, options.name ?? `${op.name}_Close`);
}
