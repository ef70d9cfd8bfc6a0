import type { DType } from "../../../../../protocol/dtype.js";
import { Tensor } from "../../../../../protocol/tensor.js";
import type { TensorData } from "../../../../../protocol/tensor-data.js";
import { allocate } from "../../support/allocation.js";
import { productOf } from "../../support/shapes.js";
import { updateElements } from "../element-updates.js";

/** Entries whose keys (or values) share one array. */
const ENTRIES_PER_BLOCK = 64;

/** Elements of one dtype, with a fixed number per index. */
class Column {
  readonly #dtype: DType;
  readonly #shape: readonly number[];
  readonly #length: number;
  readonly #blocks: Tensor[] = [];

  constructor(dtype: DType, shape: readonly number[]) {
    this.#dtype = dtype;
    this.#shape = shape;
    this.#length = productOf(shape);
  }

  /** Copies the elements of an index from `source`, starting at `from`. @throws TensorFlowError RESOURCE_EXHAUSTED */
  put(index: number, source: TensorData, from: number): void {
    const number = Math.floor(index / ENTRIES_PER_BLOCK);
    let block = this.#blocks[number];
    if (block === undefined) {
      const shape = [ENTRIES_PER_BLOCK * this.#length];
      block = new Tensor(this.#dtype, shape, allocate(this.#dtype, shape));
      this.#blocks[number] = block;
    }
    this.#copy(block.data, (index % ENTRIES_PER_BLOCK) * this.#length, source, from);
  }

  /** Copies the elements of an index to `target`, starting at `at`. */
  copyTo(target: TensorData, at: number, index: number): void {
    const block = this.#blocks[Math.floor(index / ENTRIES_PER_BLOCK)];
    if (block !== undefined) {
      this.#copy(target, at, block.data, (index % ENTRIES_PER_BLOCK) * this.#length);
    }
  }

  /** Returns a copy of the elements of an index. */
  at(index: number): Tensor {
    const data = allocate(this.#dtype, this.#shape);
    this.copyTo(data, 0, index);
    return new Tensor(this.#dtype, this.#shape, data);
  }

  #copy(target: TensorData, at: number, source: TensorData, from: number): void {
    updateElements("update", {
      dtype: this.#dtype,
      target,
      at,
      source,
      from,
      length: this.#length,
      step: 1,
    });
  }
}

/**
 * The entries of a table by the texts of their keys, in insertion order. Many entries share an array: an object for
 * each of a million entries would pause the process for a tenth of a second at each garbage collection.
 */
export class EntryColumns {
  /** The index of each key in the columns. */
  readonly #indexes = new Map<string, number>();
  readonly #keys: Column;
  readonly #values: Column;
  /** Indexes freed by removed keys. */
  readonly #free: number[] = [];

  constructor(keyType: DType, valueType: DType, valueShape: readonly number[]) {
    this.#keys = new Column(keyType, []);
    this.#values = new Column(valueType, valueShape);
  }

  get size(): number {
    return this.#indexes.size;
  }

  /** All keys in order, as texts, with their indexes. */
  indexes(): Iterable<readonly [text: string, index: number]> {
    return this.#indexes;
  }

  indexOf(text: string): number | undefined {
    return this.#indexes.get(text);
  }

  keyAt(index: number): Tensor {
    return this.#keys.at(index);
  }

  valueAt(index: number): Tensor {
    return this.#values.at(index);
  }

  /** Copies the key at an index to element `at`. */
  copyKey(target: TensorData, at: number, index: number): void {
    this.#keys.copyTo(target, at, index);
  }

  /** Copies the value at an index to `target`, starting at `at`. */
  copyValue(target: TensorData, at: number, index: number): void {
    this.#values.copyTo(target, at, index);
  }

  /**
   * Appends an entry, or replaces the value of an existing key.
   * @param key the index of the key in `keys`.
   * @param value the index in `values` of the value's first element.
   */
  put(text: string, keys: TensorData, key: number, values: TensorData, value: number): void {
    let index = this.#indexes.get(text);
    if (index === undefined) {
      index = this.#free.pop() ?? this.#indexes.size;
      this.#keys.put(index, keys, key);
      this.#indexes.set(text, index);
    }
    this.#values.put(index, values, value);
  }

  /** Removes an entry if it exists. */
  delete(text: string): void {
    const index = this.#indexes.get(text);
    if (index !== undefined) {
      this.#indexes.delete(text);
      this.#free.push(index);
    }
  }
}
