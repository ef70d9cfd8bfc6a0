import type { CancellationSignal } from "../../../../../cancellation/cancellation-signal.js";
import { invalidArgument } from "../../../../../protocol/status.js";
import type { Resource } from "../../../resources/resource-manager.js";
import type { Value } from "../../../values.js";
import { bytesOf, checkTuple, type StagingLimits } from "./staging-area.js";
import { WaitingLine } from "./waiting-line.js";

/** The type name of staging maps; there are no handles to them. */
export const STAGING_MAP = "tensorflow::StagingMap";

/** The values of a key by index; undefined if not yet added, or already taken. */
type Tuple = (Value | undefined)[];

/** A part of a tuple: values and their ascending indexes. */
export interface TuplePart {
  readonly indices: readonly number[];
  readonly values: readonly Value[];
}

/** @throws TensorFlowError INVALID_ARGUMENT for indexes that do not ascend. */
function checkOrder(indices: readonly number[]): void {
  if (indices.some((index, i) => i > 0 && index <= (indices[i - 1] ?? 0))) {
    throw invalidArgument("Indices are not strictly ordered");
  }
}

/**
 * Keyed tuples that one part of a graph passes to another. A tuple may be added in parts, and is available once
 * complete. It may also be taken in parts, and is removed with the last one.
 */
export class StagingMap implements Resource {
  readonly typeName = STAGING_MAP;
  readonly #limits: StagingLimits;
  /** The number of values in a complete tuple. */
  readonly #width: number;
  readonly #isOrdered: boolean;
  readonly #whole = new Map<bigint, Tuple>();
  readonly #parts = new Map<bigint, Tuple>();
  #bytes = 0;
  readonly #line = new WaitingLine("the staging map");

  /** @param isOrdered whether the smallest key is taken first if no key is given. */
  constructor(limits: StagingLimits, width: number, isOrdered: boolean) {
    this.#limits = limits;
    this.#width = width;
    this.#isOrdered = isOrdered;
  }

  get size(): number {
    return this.#whole.size;
  }

  /** The number of keys with incomplete tuples. */
  get incompleteSize(): number {
    return this.#parts.size;
  }

  /**
   * Adds a tuple or a part of one once there is room for it.
   * @throws TensorFlowError INVALID_ARGUMENT for indexes that are out of range or already have a value;
   *   RESOURCE_EXHAUSTED for values that can never fit; the signal's reason.
   */
  async put(key: bigint, part: TuplePart, signal: CancellationSignal): Promise<void> {
    const { capacity, memoryBytes } = this.#limits;
    checkOrder(part.indices);
    const bytes = bytesOf(part.values);
    checkTuple(bytes, this.#limits);
    const ready = () =>
      (capacity === 0 || this.#whole.size < capacity) &&
      (memoryBytes === 0 || this.#bytes + bytes <= memoryBytes);
    await this.#line.when(signal, ready, () => {
      this.#add(key, part);
    });
  }

  #add(key: bigint, { indices, values }: TuplePart): void {
    const tuple = this.#parts.get(key) ?? new Array<Value | undefined>(this.#width).fill(undefined);
    for (const [i, index] of indices.entries()) {
      this.#checkIndex(key, index);
      if (tuple[index] !== undefined) {
        throw invalidArgument(
          `The tensor for index '${index}' for key '${key}' was already initialized '${this.#width}'.`,
        );
      }
      tuple[index] = values[i];
      this.#bytes += bytesOf(values.slice(i, i + 1));
    }
    if (tuple.includes(undefined)) {
      this.#parts.set(key, tuple);
      return;
    }
    this.#parts.delete(key);
    // A second complete tuple with the same key changes nothing, as in TensorFlow.
    if (this.#whole.has(key)) {
      this.#bytes -= bytesOf(tuple.flatMap((value) => value ?? []));
    } else {
      this.#whole.set(key, tuple);
    }
  }

  #checkIndex(key: bigint, index: number): void {
    if (index < 0 || index >= this.#width) {
      throw invalidArgument(`Index '${index}' for key '${key}' was out of bounds '${this.#width}'.`);
    }
  }

  /** Waits for a key and returns values of it without removing them. @throws TensorFlowError as `take`. */
  peek(key: bigint, indices: readonly number[], signal: CancellationSignal): Promise<readonly Value[]> {
    return this.#line.when(
      signal,
      () => this.#whole.has(key),
      () => this.#read(key, indices, false),
    );
  }

  /**
   * Takes values of a key, once it is available.
   * @throws TensorFlowError INVALID_ARGUMENT for an index that is out of range or already taken; the signal's reason.
   */
  take(key: bigint, indices: readonly number[], signal: CancellationSignal): Promise<readonly Value[]> {
    return this.#line.when(
      signal,
      () => this.#whole.has(key),
      () => this.#read(key, indices, true),
    );
  }

  /** As `take`, for the smallest key of an ordered map, or the first key of an unordered one. */
  takeAny(
    indices: readonly number[],
    signal: CancellationSignal,
  ): Promise<{ readonly key: bigint; readonly values: readonly Value[] }> {
    return this.#line.when(
      signal,
      () => this.#whole.size > 0,
      () => {
        const key = this.#firstKey();
        return { key, values: this.#read(key, indices, true) };
      },
    );
  }

  #firstKey(): bigint {
    const keys = [...this.#whole.keys()];
    const [first = 0n] = keys;
    return this.#isOrdered ? keys.reduce((least, key) => (key < least ? key : least), first) : first;
  }

  #read(key: bigint, indices: readonly number[], takes: boolean): Value[] {
    checkOrder(indices);
    const tuple = this.#whole.get(key) ?? [];
    const values = indices.map((index) => {
      this.#checkIndex(key, index);
      const value = tuple[index];
      if (value === undefined) {
        throw invalidArgument(`Tensor at index '${index}' for key '${key}' has already been removed.`);
      }
      if (takes) {
        tuple[index] = undefined;
        this.#bytes -= bytesOf([value]);
      }
      return value;
    });
    if (takes && tuple.every((value) => value === undefined)) {
      this.#whole.delete(key);
    }
    return values;
  }

  clear(): void {
    this.#whole.clear();
    this.#parts.clear();
    this.#bytes = 0;
    this.#line.serve();
  }

  dispose(): void {
    this.#line.dispose();
  }
}
