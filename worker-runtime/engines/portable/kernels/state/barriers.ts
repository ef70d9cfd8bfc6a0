import type { CancellationSignal } from "../../../../cancellation/cancellation-signal.js";
import type { DType } from "../../../../protocol/dtype.js";
import { cancelled, invalidArgument, outOfRange } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import { ExclusiveAccess } from "../../exclusive-access.js";
import { mapped, type PausingWork } from "../../pauses.js";
import type { Resource } from "../../resources/resource-manager.js";
import type {
  KernelDefinition,
  KernelTypes,
  OpContext,
  Outputs,
  StatefulKernelDefinition,
} from "../kernel.js";
import type { KernelNode } from "../kernel-node.js";
import { anyType, noTypes } from "../support/dtypes.js";
import { longsOf, scalarOf, stringsOf } from "../support/elements.js";
import { cppShapeText } from "../support/shapes.js";
import { tensorAt } from "../support/tensor-inputs.js";
import { atPauses } from "../support/turns.js";
import { handledResource, resourceKernel } from "./handle-resources.js";
import { PriorityStore } from "./queues/element-store.js";
import { Queue, type QueueElement } from "./queues/queue-resource.js";
import { statefulKernel } from "./stateful-kernel.js";
import { unstacking } from "./tensor-batches.js";

const BARRIER = "tensorflow::barrier::Barrier";

/** The number of the keys of the first insertion; later insertions count up from it. */
const FIRST_INDEX = -(2n ** 63n);

interface Incomplete {
  readonly index: bigint;
  readonly key: Uint8Array;
  readonly components: (Tensor | undefined)[];
}

/**
 * Assembles keyed tuples from their components: a key can be taken once all of its components have arrived. Keys are
 * taken in the order of their arrival.
 */
class Barrier implements Resource {
  readonly typeName = BARRIER;
  readonly #name: string;
  readonly #size: number;
  readonly #ready: Queue;
  /** Indexed by the key's bytes as text, one character per byte. */
  #incomplete = new Map<string, Incomplete>();
  #nextIndex = FIRST_INDEX;
  #closed = false;
  #cancelled = false;
  /** Inserts are atomic: other requests see all of one or nothing. */
  readonly #access = new ExclusiveAccess();

  constructor(name: string, types: readonly DType[], shapes: readonly (readonly number[])[]) {
    this.#name = name;
    this.#size = types.length;
    this.#ready = new Queue(
      {
        kind: "PriorityQueue",
        name: `${name}_queue`,
        capacity: -1,
        componentTypes: ["int64", "string", ...types],
        shapes: [[], [], ...shapes],
        wholeBatches: true,
      },
      new PriorityStore<QueueElement>(([index]) => (index === undefined ? 0n : (longsOf(index)[0] ?? 0n))),
    );
  }

  get readySize(): number {
    return this.#ready.size;
  }

  get incompleteSize(): number {
    return this.#incomplete.size;
  }

  /**
   * @throws TensorFlowError CANCELLED for a new key after the close, INVALID_ARGUMENT for a component that already
   *   exists.
   */
  async insertMany(
    component: number,
    keys: Tensor,
    values: Tensor,
    signal: CancellationSignal,
  ): Promise<void> {
    await this.#access.run(() => this.#insertMany(component, keys, values, signal));
  }

  async #insertMany(
    component: number,
    keys: Tensor,
    values: Tensor,
    signal: CancellationSignal,
  ): Promise<void> {
    if (component < 0 || component >= this.#size) {
      throw invalidArgument(
        `The component ID is out of range ${component} > num_components (= ${this.#size})`,
      );
    }
    if (keys.shape.length !== 1 || values.shape[0] !== keys.size) {
      throw invalidArgument(
        `The keys and values must have the same size in the 0th dimension: ${cppShapeText(keys.shape)} vs. ` +
          cppShapeText(values.shape),
      );
    }
    if (keys.size > 0 && values.size === 0) {
      throw invalidArgument(
        `Tensors with no elements are not supported ${this.#name}: received shape ${cppShapeText(values.shape)}`,
      );
    }
    if (this.#closed && (this.#cancelled || (keys.size > 0 && this.#incomplete.size === 0))) {
      throw cancelled(
        `Barrier ${this.#name} is closed.  Pending enqueues cancelled: ${Number(this.#cancelled)}.  Number of new ` +
          `insertions: ${keys.size}.  Number of incomplete keys: ${this.#incomplete.size}.`,
      );
    }
    // Not cancellable: it always completes.
    const ready = await atPauses(this.#inserting(component, keys, values), undefined);
    await this.#ready.enqueueAll(ready, signal);
    if (this.#closed && this.#incomplete.size === 0 && !this.#ready.closed) {
      await this.#ready.close(false, signal);
    }
  }

  /** @throws TensorFlowError OUT_OF_RANGE once the barrier is closed and too few elements can still arrive. */
  async takeMany(count: number, allowSmallBatch: boolean, signal: CancellationSignal): Promise<QueueElement> {
    // Tuples that an insert is about to make ready count as well.
    await this.#access.run(() => undefined);
    let wanted = count;
    if (this.#closed) {
      wanted = allowSmallBatch ? Math.min(count, this.readySize) : count;
      const available = this.readySize + (allowSmallBatch ? 0 : this.#incomplete.size);
      if (available < Math.max(wanted, 1)) {
        throw outOfRange(
          `Barrier '${this.#name}' is closed and has insufficient elements (requested ${wanted}, total size ${available})`,
        );
      }
    }
    return this.#ready.dequeueMany(wanted, allowSmallBatch, signal);
  }

  /** @throws TensorFlowError CANCELLED if already closed; a second close may still cancel pending inserts. */
  async close(cancelPending: boolean, signal: CancellationSignal): Promise<void> {
    await this.#access.run(() => this.#close(cancelPending, signal));
  }

  async #close(cancelPending: boolean, signal: CancellationSignal): Promise<void> {
    if (this.#closed && (this.#cancelled || !cancelPending)) {
      throw cancelled(`Barrier '${this.#name}' is already closed.`);
    }
    this.#cancelled = cancelPending;
    this.#closed = true;
    if (cancelPending || this.#incomplete.size === 0) {
      this.#incomplete = new Map();
      if (!this.#ready.closed || cancelPending) {
        await this.#ready.close(cancelPending, signal);
      }
    }
  }

  dispose(): void {
    this.#ready.dispose();
  }

  /** @returns the tuples that are now complete. */
  *#inserting(component: number, keys: Tensor, values: Tensor): PausingWork<QueueElement[]> {
    let isNew = false;
    const slices = yield* unstacking(values);
    const tuples = yield* mapped(stringsOf(keys), (key, i) => {
      isNew ||= !this.#incomplete.has(textOf(key));
      return this.#insertOne(component, key, slices[i] ?? values, i);
    });
    if (isNew) {
      this.#nextIndex += 1n;
    }
    return tuples.filter((tuple) => tuple !== undefined);
  }

  /** @returns the tuple (index, key and components) once it is complete. */
  #insertOne(component: number, key: Uint8Array, value: Tensor, index: number): QueueElement | undefined {
    const text = textOf(key);
    let element = this.#incomplete.get(text);
    if (element === undefined) {
      if (this.#closed) {
        throw cancelled(
          `Barrier ${this.#name} is closed, but attempted to insert a brand new key: ${text}.  Pending enqueues ` +
            `cancelled: ${Number(this.#cancelled)}.  Insertion index: ${index}.  Number of incomplete keys: ` +
            `${this.#incomplete.size}.`,
        );
      }
      const components = new Array<Tensor | undefined>(this.#size).fill(undefined);
      element = { index: this.#nextIndex, key, components };
      this.#incomplete.set(text, element);
    }
    if (element.components[component] !== undefined) {
      throw invalidArgument(
        `Key ${text} already has a value for component ${component} in barrier ${this.#name}`,
      );
    }
    element.components[component] = value;
    const complete = element.components.flatMap((one) => one ?? []);
    if (complete.length < this.#size) {
      return undefined;
    }
    this.#incomplete.delete(text);
    return [
      new Tensor("int64", [], BigInt64Array.of(element.index)),
      new Tensor("string", [], [element.key]),
      ...complete,
    ];
  }
}

function textOf(key: Uint8Array): string {
  return Buffer.from(key.buffer, key.byteOffset, key.byteLength).toString("latin1");
}

function prepareBarrier(node: KernelNode): (name: string) => Barrier {
  const types = node.types("component_types");
  const shapes = node.shapes("shapes").map((shape) => {
    if (shape === undefined || shape.includes(-1)) {
      throw invalidArgument("All of the component shapes must be specified");
    }
    return shape;
  });
  if (shapes.length !== types.length) {
    throw invalidArgument("All of the component shapes must be specified");
  }
  if (shapes.some((shape) => shape.includes(0))) {
    throw invalidArgument("Empty tensors are not supported");
  }
  return (name) => new Barrier(name, types, shapes);
}

type Act = (barrier: Barrier, context: OpContext, node: KernelNode) => Outputs | Promise<Outputs>;

function barrierKernel(op: string, types: KernelTypes, act: Act): StatefulKernelDefinition {
  return statefulKernel(
    op,
    (node) => (context) => act(handledResource<Barrier>(node, context, 0, BARRIER), context, node),
    { types },
  );
}

function count(value: number): Outputs {
  return [new Tensor("int32", [], Int32Array.of(value))];
}

/** Barriers. */
export const barrierKernels: readonly KernelDefinition[] = [
  resourceKernel("Barrier", { typeName: BARRIER, prepare: prepareBarrier }, { component_types: anyType }),
  barrierKernel("BarrierInsertMany", { T: anyType }, async (barrier, context, node) => {
    const [keys, values] = [tensorAt(context.inputs, 1), tensorAt(context.inputs, 2)];
    await barrier.insertMany(node.int("component_index"), keys, values, context.step.signal);
    return [];
  }),
  barrierKernel("BarrierTakeMany", { component_types: anyType }, async (barrier, context, node) => {
    const wanted = scalarOf(tensorAt(context.inputs, 1), "num_elements");
    const allowSmallBatch = node.bool("allow_small_batch");
    return barrier.takeMany(wanted, allowSmallBatch, context.step.signal);
  }),
  barrierKernel("BarrierClose", noTypes, async (barrier, context, node) => {
    await barrier.close(node.bool("cancel_pending_enqueues"), context.step.signal);
    return [];
  }),
  barrierKernel("BarrierReadySize", noTypes, ({ readySize }) => count(readySize)),
  barrierKernel("BarrierIncompleteSize", noTypes, ({ incompleteSize }) => count(incompleteSize)),
];
