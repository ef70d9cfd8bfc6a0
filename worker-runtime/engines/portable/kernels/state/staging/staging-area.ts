import { resourceExhausted } from "../../../../../protocol/status.js";
import { Tensor } from "../../../../../protocol/tensor.js";
import type { Resource } from "../../../resources/resource-manager.js";
import type { Value } from "../../../values.js";
import { WaitingLine } from "./waiting-line.js";

/** The kind of every staging area; no handle names one. */
export const STAGING_AREA = "tensorflow::Buffer";

export interface StagingLimits {
  /** Tuples; 0 for any number. */
  readonly capacity: number;
  /** Bytes of all tuples together; 0 for any number. */
  readonly memoryBytes: number;
}

/** @throws TensorFlowError RESOURCE_EXHAUSTED for a tuple that never has room. */
export function checkTuple(bytes: number, { memoryBytes }: StagingLimits): void {
  if (memoryBytes > 0 && bytes > memoryBytes) {
    throw resourceExhausted(
      `Attempted to insert tensors with combined size of '${bytes}' bytes into Staging Area with a memory limit of ` +
        `'${memoryBytes}'.`,
    );
  }
}

/**
 * Tuples that one part of a graph leaves for another, first in, first out. Waiting callers are served in the order in which
 * they came, as far as what they wait for is there. The rules are those of TensorFlow's core/kernels/stage_op.cc.
 */
export class StagingArea implements Resource {
  readonly typeName = STAGING_AREA;
  readonly #limits: StagingLimits;
  #tuples: (readonly Value[])[] = [];
  #bytes = 0;
  readonly #line = new WaitingLine("the staging area");

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
    checkTuple(bytes, this.#limits);
    const ready = () =>
      (capacity === 0 || this.#tuples.length < capacity) &&
      (memoryBytes === 0 || this.#bytes + bytes <= memoryBytes);
    await this.#line.when(signal, ready, () => {
      this.#tuples.push(tuple);
      this.#bytes += bytes;
    });
  }

  /** Takes the oldest tuple once there is one. @throws TensorFlowError the signal's reason. */
  take(signal: AbortSignal): Promise<readonly Value[]> {
    return this.#line.when(
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
    return this.#line.when(
      signal,
      () => this.#tuples.length > index,
      () => this.#tuples[index] ?? [],
    );
  }

  clear(): void {
    this.#tuples = [];
    this.#bytes = 0;
    this.#line.serve();
  }

  dispose(): void {
    this.#line.dispose();
  }
}

/** Bytes of the numbers of a tuple. */
export function bytesOf(tuple: readonly Value[]): number {
  return tuple.reduce((sum, value) => sum + (value instanceof Tensor ? value.byteLength : 0), 0);
}
