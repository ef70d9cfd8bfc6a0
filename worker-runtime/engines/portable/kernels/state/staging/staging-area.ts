import { cancelled, cancelledBy, resourceExhausted } from "../../../../../protocol/status.js";
import { Tensor } from "../../../../../protocol/tensor.js";
import type { Resource } from "../../../resources/resource-manager.js";
import type { Value } from "../../../values.js";

/** The kind of every staging area; no handle names one. */
export const STAGING_AREA = "tensorflow::Buffer";

export interface StagingLimits {
  /** Tuples; 0 for any number. */
  readonly capacity: number;
  /** Bytes of all tuples together; 0 for any number. */
  readonly memoryBytes: number;
}

/** Who waits until something is so, and what happens then. */
interface Waiter {
  ready(): boolean;
  enter(): void;
  refuse(error: Error): void;
}

/**
 * Tuples that one part of a graph leaves for another, first in, first out. Whoever waits is served in the order in which
 * they came, as far as what they wait for is there. The rules are those of TensorFlow's core/kernels/stage_op.cc.
 */
export class StagingArea implements Resource {
  readonly typeName = STAGING_AREA;
  readonly #limits: StagingLimits;
  #tuples: (readonly Value[])[] = [];
  #bytes = 0;
  #waiting: Waiter[] = [];

  constructor(limits: StagingLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#tuples.length;
  }

  /**
   * Leaves a tuple once there is room for it.
   * @throws TensorFlowError RESOURCE_EXHAUSTED for one that never has room; the signal's reason.
   */
  async put(tuple: readonly Value[], signal: AbortSignal): Promise<void> {
    const { capacity, memoryBytes } = this.#limits;
    const bytes = bytesOf(tuple);
    if (memoryBytes > 0 && bytes > memoryBytes) {
      throw resourceExhausted(
        `Attempted to insert tensors with combined size of '${bytes}' bytes into Staging Area with a memory limit of ` +
          `'${memoryBytes}'.`,
      );
    }
    const ready = () =>
      (capacity === 0 || this.#tuples.length < capacity) &&
      (memoryBytes === 0 || this.#bytes + bytes <= memoryBytes);
    await this.#when(signal, ready, () => {
      this.#tuples.push(tuple);
      this.#bytes += bytes;
    });
  }

  /** Takes the oldest tuple once there is one. @throws TensorFlowError the signal's reason. */
  take(signal: AbortSignal): Promise<readonly Value[]> {
    return this.#when(
      signal,
      () => this.#tuples.length > 0,
      () => {
        const tuple = this.#tuples.shift() ?? [];
        this.#bytes -= bytesOf(tuple);
        return tuple;
      },
    );
  }

  /** The tuple with so many before it, once it is there; it stays. @throws TensorFlowError the signal's reason. */
  peek(index: number, signal: AbortSignal): Promise<readonly Value[]> {
    return this.#when(
      signal,
      () => this.#tuples.length > index,
      () => this.#tuples[index] ?? [],
    );
  }

  clear(): void {
    this.#tuples = [];
    this.#bytes = 0;
    this.#serve();
  }

  dispose(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const waiter of waiting) {
      waiter.refuse(cancelled("The staging area was removed."));
    }
  }

  async #when<T>(signal: AbortSignal, ready: () => boolean, act: () => T): Promise<T> {
    let abort = (): void => undefined;
    return new Promise<T>((resolve, reject) => {
      const waiter: Waiter = { ready, enter: () => resolve(act()), refuse: reject };
      abort = () => {
        this.#waiting = this.#waiting.filter((one) => one !== waiter);
        reject(cancelledBy(signal.reason, "The wait for the staging area"));
      };
      if (signal.aborted) {
        abort();
        return;
      }
      signal.addEventListener("abort", abort, { once: true });
      this.#waiting.push(waiter);
      this.#serve();
    }).finally(() => signal.removeEventListener("abort", abort));
  }

  #serve(): void {
    for (;;) {
      const index = this.#waiting.findIndex((waiter) => waiter.ready());
      const [waiter] = index < 0 ? [] : this.#waiting.splice(index, 1);
      if (waiter === undefined) {
        return;
      }
      waiter.enter();
    }
  }
}

function bytesOf(tuple: readonly Value[]): number {
  return tuple.reduce((sum, value) => sum + (value instanceof Tensor ? value.byteLength : 0), 0);
}
