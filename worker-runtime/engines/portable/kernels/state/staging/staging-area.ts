import type { CancellationSignal } from "../../../../../cancellation/cancellation-signal.js";
import { resourceExhausted } from "../../../../../protocol/status.js";
import { Tensor } from "../../../../../protocol/tensor.js";
import type { Resource } from "../../../resources/resource-manager.js";
import type { Value } from "../../../values.js";
import { WaitingLine } from "./waiting-line.js";

/** The type name of staging areas; there are no handles to them. */
export const STAGING_AREA = "tensorflow::Buffer";

export interface StagingLimits {
  /** In tuples; 0 for no limit. */
  readonly capacity: number;
  /** In bytes, for all tuples together; 0 for no limit. */
  readonly memoryBytes: number;
}

/** @throws TensorFlowError RESOURCE_EXHAUSTED for a tuple that can never fit. */
export function checkTuple(bytes: number, { memoryBytes }: StagingLimits): void {
  if (memoryBytes > 0 && bytes > memoryBytes) {
    throw resourceExhausted(
      `Attempted to insert tensors with combined size of '${bytes}' bytes into Staging Area with a memory limit of ` +
        `'${memoryBytes}'.`,
    );
  }
}

/**
 * Tuples that one part of a graph passes to another, first in, first out. Waiting callers are served in the order of
 * arrival, skipping those whose condition is not met yet. The rules are those of TensorFlow's core/kernels/stage_op.cc.
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
   * Adds a tuple once there is room for it.
   * @throws TensorFlowError RESOURCE_EXHAUSTED for a tuple that can never fit; the signal's reason.
   */
  async put(tuple: readonly Value[], signal: CancellationSignal): Promise<void> {
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
  take(signal: CancellationSignal): Promise<readonly Value[]> {
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

  /**
   * Waits for the tuple at an index, counted from the oldest, and returns it without removing it.
   * @throws TensorFlowError the signal's reason.
   */
  peek(index: number, signal: CancellationSignal): Promise<readonly Value[]> {
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

/** The size of a tuple's numeric data, in bytes. */
export function bytesOf(tuple: readonly Value[]): number {
  return tuple.reduce((sum, value) => sum + (value instanceof Tensor ? value.byteLength : 0), 0);
}
