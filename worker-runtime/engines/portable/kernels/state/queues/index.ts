import { randomBytes } from "node:crypto";
import { invalidArgument } from "../../../../../protocol/status.js";
import { Tensor } from "../../../../../protocol/tensor.js";
import type {
  KernelDefinition,
  KernelTypes,
  OpContext,
  Outputs,
  StatefulKernelDefinition,
} from "../../kernel.js";
import type { KernelNode, PartialShape } from "../../kernel-node.js";
import { Philox, PhiloxSamples } from "../../random/philox.js";
import { anyType, cppTypeName, noTypes } from "../../support/dtypes.js";
import { longsOf, scalarOf } from "../../support/elements.js";
import { cppShapeText } from "../../support/shapes.js";
import { tensorAt } from "../../support/tensor-inputs.js";
import { handledResource, type ResourceMaker, resourceKernel } from "../handle-resources.js";
import { partialText } from "../partial-shapes.js";
import { statefulKernel } from "../stateful-kernel.js";
import { type ElementStore, FifoStore, PriorityStore, ShuffledStore } from "./element-store.js";
import { QUEUE, Queue, type QueueElement, type QueueSpec } from "./queue-resource.js";

/** The attributes common to all queues. */
function commonSpec(node: KernelNode, kind: string): Omit<QueueSpec, "name"> {
  const spec = {
    kind,
    capacity: node.int("capacity"),
    componentTypes: node.types("component_types"),
    shapes: node.shapes("shapes"),
  };
  if (spec.shapes.length > 0 && spec.shapes.length !== spec.componentTypes.length) {
    throw invalidArgument(
      `Different number of component types.  Types: ${spec.componentTypes.map(cppTypeName).join(", ")}, ` +
        `Shapes: ${shapesText(spec.shapes)}`,
    );
  }
  return spec;
}

function shapesText(shapes: readonly PartialShape[]): string {
  return `[${shapes.map(partialText).join(", ")}]`;
}

/** Rejects sharing a queue between nodes with different attributes. */
function checkSpec({ spec }: Queue, node: KernelNode): void {
  const wanted = commonSpec(node, node.op.replace(/V2$/, ""));
  if (wanted.kind !== spec.kind) {
    throw invalidArgument(
      `Shared queue '${spec.name}' has type '${spec.kind}' that does not match type of Node '${node.name}': ${node.op}`,
    );
  }
  if (capacityNumber(wanted.capacity) !== capacityNumber(spec.capacity)) {
    throw invalidArgument(
      `Shared queue '${spec.name}' has capacity ${capacityNumber(spec.capacity)} but requested capacity was ` +
        capacityNumber(wanted.capacity),
    );
  }
  // A priority queue has its priorities as a component before those that the node names.
  const own = spec.kind === "PriorityQueue" ? 1 : 0;
  const types = spec.componentTypes.slice(own);
  if (types.join() !== wanted.componentTypes.join()) {
    throw invalidArgument(
      `Shared queue '${spec.name}' has component types ${types.map(cppTypeName).join(", ")} but requested component ` +
        `types were ${wanted.componentTypes.map(cppTypeName).join(", ")}`,
    );
  }
  const shapes = spec.shapes.slice(own);
  if (shapesText(shapes) !== shapesText(wanted.shapes)) {
    throw invalidArgument(
      `Shared queue '${spec.name}' has component shapes ${shapesText(shapes)} but requested component shapes were ` +
        shapesText(wanted.shapes),
    );
  }
}

/** In TensorFlow the capacity of an unlimited queue is the largest int32. */
function capacityNumber(capacity: number): number {
  return capacity < 0 ? 2 ** 31 - 1 : capacity;
}

function queueMaker(
  prepare: (node: KernelNode) => {
    readonly spec: Omit<QueueSpec, "name">;
    store(): ElementStore<QueueElement>;
  },
): ResourceMaker<Queue> {
  return {
    typeName: QUEUE,
    prepare: (node) => {
      const { spec, store } = prepare(node);
      return (name) => new Queue({ ...spec, name }, store());
    },
    check: checkSpec,
  };
}

const fifoQueue = queueMaker((node) => ({
  spec: commonSpec(node, "FIFOQueue"),
  store: () => new FifoStore(),
}));

const paddingQueue = queueMaker((node) => {
  const spec = commonSpec(node, "PaddingFIFOQueue");
  if (spec.shapes.length !== spec.componentTypes.length) {
    throw invalidArgument(
      `Shapes must be provided for all components, but received ${spec.componentTypes.length} dtypes and ` +
        `${spec.shapes.length} shapes.`,
    );
  }
  return { spec, store: () => new FifoStore() };
});

const shuffleQueue = queueMaker((node) => {
  const minAfterDequeue = node.int("min_after_dequeue");
  const spec = { ...commonSpec(node, "RandomShuffleQueue"), minAfterDequeue };
  if (minAfterDequeue < 0) {
    throw invalidArgument(`min_after_dequeue ${minAfterDequeue} must be >= 0`);
  }
  if (spec.capacity >= 0 && minAfterDequeue >= spec.capacity) {
    throw invalidArgument(`min_after_dequeue ${minAfterDequeue} must be < capacity ${spec.capacity}`);
  }
  const [seed, seed2] = [node.long("seed"), node.long("seed2")];
  return {
    spec,
    store: () => {
      const isSeeded = seed !== 0n || seed2 !== 0n;
      const stream = isSeeded
        ? Philox.ofSeeds(seed, seed2)
        : Philox.ofSeeds(randomBytes(8).readBigInt64LE(), randomBytes(8).readBigInt64LE());
      const samples = new PhiloxSamples(stream);
      return new ShuffledStore(() => samples.next());
    },
  };
});

const priorityQueue = queueMaker((node) => {
  const common = commonSpec(node, "PriorityQueue");
  const spec: Omit<QueueSpec, "name"> = {
    ...common,
    componentTypes: ["int64", ...common.componentTypes],
    // Without components there are only the priorities, whose shape is known.
    shapes: common.shapes.length === common.componentTypes.length ? [[], ...common.shapes] : [],
    wholeBatches: true,
  };
  return { spec, store: () => new PriorityStore<QueueElement>(priorityOf) };
});

function priorityOf([priority]: QueueElement): bigint {
  return priority === undefined ? 0n : (longsOf(priority)[0] ?? 0n);
}

type QueueAct = (queue: Queue, context: OpContext, node: KernelNode) => Outputs | Promise<Outputs>;

/** A kernel that acts on the queue at input 0. */
function queueKernel(op: string, types: KernelTypes, act: QueueAct): StatefulKernelDefinition {
  const create = (node: KernelNode) => {
    if (node.has("timeout_ms") && node.int("timeout_ms") !== -1) {
      throw invalidArgument("Timeout not supported yet.");
    }
    return (context: OpContext) => act(handledResource<Queue>(node, context, 0, QUEUE), context, node);
  };
  return statefulKernel(op, create, { types });
}

function components(context: OpContext): QueueElement {
  return context.inputs.slice(1).map((_, i) => tensorAt(context.inputs, i + 1));
}

const enqueue: QueueAct = async (queue, context) => {
  const element = components(context);
  const [priority] = element;
  if (queue.spec.kind === "PriorityQueue" && priority !== undefined && priority.shape.length > 0) {
    throw invalidArgument(
      `Expected the priority element to be a scalar, but received shape: ${cppShapeText(priority.shape)}`,
    );
  }
  await queue.enqueue(element, context.step.signal);
  return [];
};

const enqueueMany: QueueAct = async (queue, context) => {
  await queue.enqueueMany(components(context), context.step.signal);
  return [];
};

const dequeue: QueueAct = (queue, context, node) => {
  checkOutputs(queue, node);
  return queue.dequeue(context.step.signal);
};

function dequeueBatch(name: string, allowFewer: boolean): QueueAct {
  return (queue, context, node) => {
    checkOutputs(queue, node);
    const count = scalarOf(tensorAt(context.inputs, 1), "n");
    if (count < 0) {
      throw invalidArgument(`${name} requested ${count} < 0 elements`);
    }
    return queue.dequeueMany(count, allowFewer, context.step.signal);
  };
}

/** Rejects a node whose components differ from the queue's. */
function checkOutputs({ spec }: Queue, node: KernelNode): void {
  const wanted = node.types("component_types");
  if (wanted.join() !== spec.componentTypes.join()) {
    throw invalidArgument(
      `Signature mismatch, have: (${spec.componentTypes.map(cppTypeName).join(",")}) ` +
        `expected: (${wanted.map(cppTypeName).join(",")})`,
    );
  }
}

const close: QueueAct = async (queue, context, node) => {
  await queue.close(node.bool("cancel_pending_enqueues"), context.step.signal);
  return [];
};

const size: QueueAct = (queue) => [new Tensor("int32", [], Int32Array.of(queue.size))];
const isClosed: QueueAct = (queue) => [new Tensor("bool", [], Uint8Array.of(Number(queue.closed)))];

const makers: readonly (readonly [string, ResourceMaker<Queue>])[] = [
  ["FIFOQueue", fifoQueue],
  ["PaddingFIFOQueue", paddingQueue],
  ["RandomShuffleQueue", shuffleQueue],
  ["PriorityQueue", priorityQueue],
];

const given: KernelTypes = { Tcomponents: anyType };
const held: KernelTypes = { component_types: anyType };

const acts: readonly (readonly [string, KernelTypes, QueueAct])[] = [
  ["QueueEnqueue", given, enqueue],
  ["QueueEnqueueMany", given, enqueueMany],
  ["QueueDequeue", held, dequeue],
  ["QueueDequeueMany", held, dequeueBatch("DequeueManyOp", false)],
  ["QueueDequeueUpTo", held, dequeueBatch("DequeueUpToOp", true)],
  ["QueueClose", noTypes, close],
  ["QueueSize", noTypes, size],
  ["QueueIsClosed", noTypes, isClosed],
];

/** Queues, accessed by resource handles ("…V2") or by the older references. */
export const queueKernels: readonly KernelDefinition[] = ["", "V2"].flatMap((version) => [
  ...makers.map(([op, maker]) => resourceKernel(op + version, maker, held)),
  ...acts.map(([op, types, act]) => queueKernel(op + version, types, act)),
]);
