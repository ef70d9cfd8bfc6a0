import type { CancellationSignal } from "../../../../../cancellation/cancellation-signal.js";
import type { DType } from "../../../../../protocol/dtype.js";
import {
  cancelled,
  invalidArgument,
  outOfRange,
  type TensorFlowError,
} from "../../../../../protocol/status.js";
import type { Tensor } from "../../../../../protocol/tensor.js";
import { ITEMS_PER_PAUSE, mapped, type PausingWork } from "../../../pauses.js";
import type { Resource } from "../../../resources/resource-manager.js";
import type { PartialShape } from "../../kernel-node.js";
import { cppTypeName } from "../../support/dtypes.js";
import { cppShapeText } from "../../support/shapes.js";
import { atPauses } from "../../support/turns.js";
import { fitsPartial, partialText } from "../partial-shapes.js";
import { joining, stackingPadded, unstacking } from "../tensor-batches.js";
import type { ElementStore } from "./element-store.js";
import { type Completion, QueueState } from "./queue-state.js";

/** The type name of all queues in handles. */
export const QUEUE = "tensorflow::QueueInterface";

/** The components of one element. */
export type QueueElement = readonly Tensor[];

export interface QueueSpec {
  /** "FIFOQueue", "RandomShuffleQueue", … as in error messages. */
  readonly kind: string;
  readonly name: string;
  /** As in the node; negative if unlimited. */
  readonly capacity: number;
  readonly componentTypes: readonly DType[];
  /** One per component; [] if any shape is accepted. -1 for a size that is padded. */
  readonly shapes: readonly PartialShape[];
  readonly minAfterDequeue?: number;
  readonly wholeBatches?: boolean;
}

interface Waiter {
  resolve(elements: readonly QueueElement[]): void;
  reject(error: TensorFlowError): void;
}

/** A queue of tuples of tensors whose waiting requests are promises. */
export class Queue implements Resource {
  readonly typeName = QUEUE;
  readonly spec: QueueSpec;
  readonly #state: QueueState<QueueElement>;
  readonly #waiters = new Map<number, Waiter>();
  #nextId = 0;
  #isGoingOn = false;

  constructor(spec: QueueSpec, store: ElementStore<QueueElement>) {
    this.spec = spec;
    this.#state = new QueueState(store, {
      capacity: spec.capacity < 0 ? Number.POSITIVE_INFINITY : spec.capacity,
      minAfterDequeue: spec.minAfterDequeue ?? 0,
      wholeBatches: spec.wholeBatches ?? false,
      movesPerTurn: ITEMS_PER_PAUSE,
    });
  }

  get size(): number {
    return this.#state.size;
  }

  get closed(): boolean {
    return this.#state.closed;
  }

  /**
   * @throws TensorFlowError CANCELLED once the queue is closed or the signal aborted, INVALID_ARGUMENT for a mismatch.
   */
  async enqueue(element: QueueElement, signal: CancellationSignal): Promise<void> {
    this.#checkTypes(element);
    for (const [i, tensor] of element.entries()) {
      this.#checkShape(i, this.spec.shapes[i], tensor);
    }
    await this.#request("Enqueue", signal, (id) => this.#state.enqueue(id, [element]));
  }

  /** Enqueues the slices of a batch, as many at once as there is room for. @throws TensorFlowError as `enqueue`. */
  async enqueueMany(batch: QueueElement, signal: CancellationSignal): Promise<void> {
    this.#checkTypes(batch);
    const size = batch[0]?.shape[0] ?? 0;
    for (const [i, tensor] of batch.entries()) {
      const shape = this.spec.shapes[i];
      if (tensor.shape.length === 0) {
        throw invalidArgument(`Expected a batch in tuple component ${i}, got a scalar`);
      }
      if (this.spec.shapes.length > 0) {
        this.#checkShape(i, shape && [size, ...shape], tensor);
      } else if (tensor.shape[0] !== size) {
        throw invalidArgument(
          "All input tensors must have the same size in the 0th dimension. " +
            `Component ${i} has ${tensor.shape[0]}, and should have ${size}`,
        );
      }
    }
    if (size === 0) {
      return;
    }
    const elements = await atPauses(rowsOf(batch), signal);
    await this.enqueueAll(elements, signal);
  }

  /** Enqueues elements that are already checked, in one request. @throws TensorFlowError as `enqueue`. */
  async enqueueAll(elements: readonly QueueElement[], signal: CancellationSignal): Promise<void> {
    await this.#request("Enqueue", signal, (id) => this.#state.enqueue(id, elements));
  }

  /** @throws TensorFlowError OUT_OF_RANGE once the queue is closed and empty, CANCELLED once the signal is aborted. */
  async dequeue(signal: CancellationSignal): Promise<QueueElement> {
    const [element = []] = await this.#request("Dequeue", signal, (id) => this.#state.dequeue(id, 1));
    return element;
  }

  /**
   * Dequeues a batch of `count` elements.
   * @param allowFewer whether a closed queue returns the elements that it has left, if any.
   * @throws TensorFlowError as `dequeue`; INVALID_ARGUMENT for components of unknown shape.
   */
  async dequeueMany(count: number, allowFewer: boolean, signal: CancellationSignal): Promise<QueueElement> {
    const { kind, shapes } = this.spec;
    if (shapes.length === 0) {
      throw invalidArgument(
        kind === "PriorityQueue"
          ? "PriorityQueue's DequeueMany requires the components to have specified shapes."
          : `${kind}'s DequeueMany and DequeueUpTo require the components to have specified shapes.`,
      );
    }
    const elements =
      count === 0
        ? []
        : await this.#request("Dequeue", signal, (id) => this.#state.dequeue(id, count, allowFewer));
    return atPauses(batchOf(elements, this.spec), signal);
  }

  /** Resolves when the queue is closed. @throws TensorFlowError CANCELLED if it already was. */
  async close(cancelPending: boolean, signal: CancellationSignal): Promise<void> {
    await this.#request("Close", signal, (id) => this.#state.close(id, cancelPending));
  }

  dispose(): void {
    this.#settle(this.#state.cancelAll());
  }

  async #request(
    what: "Enqueue" | "Dequeue" | "Close",
    signal: CancellationSignal,
    act: (id: number) => readonly Completion<QueueElement>[],
  ): Promise<readonly QueueElement[]> {
    if (signal.aborted) {
      throw cancelled(`${what} operation was cancelled`);
    }
    const id = this.#nextId;
    this.#nextId += 1;
    const abort = () => this.#settle(this.#state.cancel(id));
    return new Promise<readonly QueueElement[]>((resolve, reject) => {
      this.#waiters.set(id, { resolve, reject });
      this.#settle(act(id));
      if (this.#waiters.has(id)) {
        signal.addEventListener("abort", abort, { once: true });
      }
    }).finally(() => signal.removeEventListener("abort", abort));
  }

  #settle(completions: readonly Completion<QueueElement>[]): void {
    for (const completion of completions) {
      const waiter = this.#waiters.get(completion.id);
      this.#waiters.delete(completion.id);
      if (completion.outcome === "done") {
        waiter?.resolve(completion.elements);
      } else {
        waiter?.reject(this.#errorOf(completion));
      }
    }
    if (this.#state.isBusy && !this.#isGoingOn) {
      this.#isGoingOn = true;
      setImmediate(() => {
        this.#isGoingOn = false;
        this.#settle(this.#state.goOn());
      });
    }
  }

  #errorOf(completion: Exclude<Completion<QueueElement>, { outcome: "done" }>): TensorFlowError {
    const queue = `${this.spec.kind} '${this.spec.name}'`;
    switch (completion.outcome) {
      case "closed":
        return cancelled(`${queue} is closed.`);
      case "already closed":
        return cancelled(`Queue '${this.spec.name}' is already closed.`);
      case "cancelled":
        return cancelled(`${completion.what} operation was cancelled`);
      case "insufficient":
        return outOfRange(
          `${queue} is closed and has insufficient elements (requested ${completion.requested}, ` +
            `current size ${completion.size})`,
        );
    }
  }

  #checkTypes(element: QueueElement): void {
    const { componentTypes } = this.spec;
    if (element.length !== componentTypes.length) {
      throw invalidArgument(
        `Wrong number of components in tuple. Expected ${componentTypes.length}, got ${element.length}`,
      );
    }
    for (const [i, { dtype }] of element.entries()) {
      const expected = componentTypes[i];
      if (expected !== undefined && dtype !== expected) {
        throw invalidArgument(
          `Type mismatch in tuple component ${i}. Expected ${cppTypeName(expected)}, got ${cppTypeName(dtype)}`,
        );
      }
    }
  }

  #checkShape(component: number, expected: PartialShape, { shape }: Tensor): void {
    if (!fitsPartial(shape, expected)) {
      throw invalidArgument(
        `Shape mismatch in tuple component ${component}. Expected ${partialText(expected)}, got ${cppShapeText(shape)}`,
      );
    }
  }
}

/** The slices of a batch as elements. */
function* rowsOf(batch: QueueElement): PausingWork<QueueElement[]> {
  const columns: Tensor[][] = [];
  for (const tensor of batch) {
    columns.push(yield* unstacking(tensor));
  }
  return yield* mapped(columns[0] ?? [], (_, row) => columns.map((column) => column[row] as Tensor));
}

/** Elements as one batch: stacks each component's tensors along a new first dimension. */
function* batchOf(
  elements: readonly QueueElement[],
  { componentTypes, shapes }: QueueSpec,
): PausingWork<QueueElement> {
  const batch: Tensor[] = [];
  for (const [i, dtype] of componentTypes.entries()) {
    const shape = shapes[i] ?? [];
    const tensors = yield* mapped(elements, (element) => element[i] as Tensor);
    batch.push(
      shape.includes(-1)
        ? yield* stackingPadded(dtype, shape, tensors)
        : yield* joining(dtype, [tensors.length, ...shape], tensors),
    );
  }
  return batch;
}
