import type { DType } from "../../../../../protocol/dtype.js";
import { invalidArgument } from "../../../../../protocol/status.js";
import type { Tensor } from "../../../../../protocol/tensor.js";
import type { TensorData } from "../../../../../protocol/tensor-data.js";
import { allocate } from "../../support/allocation.js";
import { productOf } from "../../support/shapes.js";
import { updateElements } from "../element-updates.js";
import { hashAt, isSameKey } from "./dense-keys.js";

/** The properties common to all buckets of a table. */
export interface BucketLayout {
  readonly keyType: DType;
  /** The keys that mark empty and deleted buckets; all keys have their shape. */
  readonly emptyKey: Tensor;
  readonly deletedKey: Tensor;
  readonly valueType: DType;
  /** The shape of one value. */
  readonly valueShape: readonly number[];
}

const EMPTY = 0;
const USED = 1;
const DELETED = 2;

const MIN_BUCKETS = 4;

/** A key within a tensor of keys. */
export interface KeyStart {
  readonly data: TensorData;
  /** The index of the key's first element. */
  readonly from: number;
}

/**
 * The buckets of a dense table, with keys and values in arrays. An object for each of a million buckets would pause the
 * process for several tenths of a second at each garbage collection.
 */
export class DenseBuckets {
  readonly count: number;
  readonly #layout: BucketLayout;
  readonly #keySize: number;
  readonly #valueSize: number;
  readonly #states: Uint8Array;
  /** Valid only for used buckets; the others have the empty or the deleted key. */
  readonly #keys: TensorData;
  /** Initially zeros or ""; removing a key leaves its value. */
  readonly #values: TensorData;

  /**
   * @throws TensorFlowError INVALID_ARGUMENT unless the count is a power of 2 and at least 4; RESOURCE_EXHAUSTED if out
   *   of memory.
   */
  constructor(layout: BucketLayout, count: number) {
    checkBuckets(count);
    this.count = count;
    this.#layout = layout;
    this.#keySize = layout.emptyKey.size;
    this.#valueSize = productOf(layout.valueShape);
    this.#keys = allocate(layout.keyType, [count, this.#keySize]);
    this.#values = allocate(layout.valueType, [count, this.#valueSize]);
    this.#states = new Uint8Array(count);
  }

  isUsed(at: number): boolean {
    return this.#states[at] === USED;
  }

  /** The key of a used bucket. */
  keyAt(at: number): KeyStart {
    return { data: this.#keys, from: at * this.#keySize };
  }

  /**
   * The bucket of a key, or else the first bucket of its probe sequence without a key; undefined if there is neither.
   * @param takesDeleted whether a deleted bucket is accepted.
   * @throws TensorFlowError INVALID_ARGUMENT for the empty key and the deleted key.
   */
  indexOf(key: KeyStart, takesDeleted: boolean): number | undefined {
    const state = this.#stateOf(key);
    if (state !== USED) {
      const which = state === EMPTY ? "empty_key" : "deleted_key";
      throw invalidArgument(`Using the ${which} as a table key is not allowed`);
    }
    const mask = this.count - 1;
    let at = Number(hashAt(key.data, key.from, this.#keySize) & BigInt(mask));
    for (let probes = 1; probes <= this.count; probes += 1) {
      const found = this.#states[at];
      const ends = found === EMPTY || (takesDeleted && found === DELETED);
      if (ends || (found === USED && this.#has(at, key))) {
        return at;
      }
      at = (at + probes) & mask;
    }
    return undefined;
  }

  /** Copies a key and its value to a bucket. @param value the index in `values` of its first element. */
  put(at: number, key: KeyStart, values: TensorData, value: number): void {
    this.#states[at] = USED;
    this.#copyKey(this.#keys, at, key);
    this.#copyValue(this.#values, at, values, value);
  }

  /** As `put`, with the key and value of another table's bucket. */
  move(at: number, other: DenseBuckets, from: number): void {
    this.put(at, other.keyAt(from), other.#values, from * other.#valueSize);
  }

  remove(at: number): void {
    this.#states[at] = DELETED;
  }

  /** Restores an exported bucket, whose key may be the empty or the deleted key. @returns whether it is used. */
  restore(at: number, key: KeyStart, values: TensorData): boolean {
    const state = this.#stateOf(key);
    this.put(at, key, values, at * this.#valueSize);
    this.#states[at] = state;
    return state === USED;
  }

  /** Copies the key of a bucket, used or not, to bucket `at` of an array of keys. */
  exportKey(target: TensorData, at: number): void {
    const { emptyKey, deletedKey } = this.#layout;
    const none = this.#states[at] === EMPTY ? emptyKey : deletedKey;
    this.#copyKey(target, at, this.isUsed(at) ? this.keyAt(at) : { data: none.data, from: 0 });
  }

  /** Copies the value of a bucket to bucket `to` of an array of values. */
  exportValue(target: TensorData, to: number, at: number): void {
    this.#copyValue(target, to, this.#values, at * this.#valueSize);
  }

  #has(at: number, { data, from }: KeyStart): boolean {
    return isSameKey(this.#keys, at * this.#keySize, data, from, this.#keySize);
  }

  /** The state of a bucket with this key. */
  #stateOf({ data, from }: KeyStart): number {
    const { emptyKey, deletedKey } = this.#layout;
    if (isSameKey(emptyKey.data, 0, data, from, this.#keySize)) {
      return EMPTY;
    }
    return isSameKey(deletedKey.data, 0, data, from, this.#keySize) ? DELETED : USED;
  }

  #copyKey(target: TensorData, at: number, { data, from }: KeyStart): void {
    copy(this.#layout.keyType, target, at * this.#keySize, data, from, this.#keySize);
  }

  #copyValue(target: TensorData, at: number, source: TensorData, from: number): void {
    copy(this.#layout.valueType, target, at * this.#valueSize, source, from, this.#valueSize);
  }
}

function copy(
  dtype: DType,
  target: TensorData,
  at: number,
  source: TensorData,
  from: number,
  length: number,
): void {
  updateElements("update", { dtype, target, at, source, from, length, step: 1 });
}

/** @throws TensorFlowError INVALID_ARGUMENT unless the count is a power of 2 and at least 4. */
export function checkBuckets(count: number): void {
  if (count < MIN_BUCKETS || (count & (count - 1)) !== 0) {
    throw invalidArgument(`Number of buckets must be at least 4 and a power of 2, got: ${count}`);
  }
}
