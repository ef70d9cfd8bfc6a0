import type { DType } from "../../../../../protocol/dtype.js";
import { Tensor } from "../../../../../protocol/tensor.js";
import type { TensorData } from "../../../../../protocol/tensor-data.js";
import { allocate } from "../../support/allocation.js";
import { productOf } from "../../support/shapes.js";
import { updateElements } from "../element-updates.js";

/** Entries whose keys, or values, lie in one array. */
const ENTRIES_PER_BLOCK = 64;

/** Elements of one dtype, so many for each place. */
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

  /** Copies what a place gets from `from` on. @throws TensorFlowError RESOURCE_EXHAUSTED */
  put(place: number, source: TensorData, from: number): void {
    const number = Math.floor(place / ENTRIES_PER_BLOCK);
    let block = this.#blocks[number];
    if (block === undefined) {
      const shape = [ENTRIES_PER_BLOCK * this.#length];
      block = new Tensor(this.#dtype, shape, allocate(this.#dtype, shape));
      this.#blocks[number] = block;
    }
    this.#copy(block.data, (place % ENTRIES_PER_BLOCK) * this.#length, source, from);
  }

  /** Copies what lies at a place to `at` and the following elements. */
  copyTo(target: TensorData, at: number, place: number): void {
    const block = this.#blocks[Math.floor(place / ENTRIES_PER_BLOCK)];
    if (block !== undefined) {
      this.#copy(target, at, block.data, (place % ENTRIES_PER_BLOCK) * this.#length);
    }
  }

  /** What lies at a place; a copy. */
  at(place: number): Tensor {
    const data = allocate(this.#dtype, this.#shape);
    this.copyTo(data, 0, place);
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
 * The entries of a table by their keys as texts, in the order in which the keys came. The elements lie in arrays of many
 * entries: objects for each of a million entries would stop the process for a tenth of a second whenever garbage is
 * collected.
 */
export class EntryColumns {
  /** The place of each key in the columns. */
  readonly #places = new Map<string, number>();
  readonly #keys: Column;
  readonly #values: Column;
  /** Places of keys that were removed. */
  readonly #free: number[] = [];

  constructor(keyType: DType, valueType: DType, valueShape: readonly number[]) {
    this.#keys = new Column(keyType, []);
    this.#values = new Column(valueType, valueShape);
  }

  get size(): number {
    return this.#places.size;
  }

  /** All keys in order, as texts, with their places. */
  places(): Iterable<readonly [text: string, place: number]> {
    return this.#places;
  }

  placeOf(text: string): number | undefined {
    return this.#places.get(text);
  }

  keyAt(place: number): Tensor {
    return this.#keys.at(place);
  }

  valueAt(place: number): Tensor {
    return this.#values.at(place);
  }

  /** Copies the key at a place to element `at`. */
  copyKey(target: TensorData, at: number, place: number): void {
    this.#keys.copyTo(target, at, place);
  }

  /** Copies the value at a place to `at` and the following elements. */
  copyValue(target: TensorData, at: number, place: number): void {
    this.#values.copyTo(target, at, place);
  }

  /**
   * Adds an entry at the end, or gives a key that is there another value.
   * @param key element of `keys`. @param value element of `values` where the value begins.
   */
  put(text: string, keys: TensorData, key: number, values: TensorData, value: number): void {
    let place = this.#places.get(text);
    if (place === undefined) {
      place = this.#free.pop() ?? this.#places.size;
      this.#keys.put(place, keys, key);
      this.#places.set(text, place);
    }
    this.#values.put(place, values, value);
  }

  /** Forgets an entry; one that is not there does not matter. */
  delete(text: string): void {
    const place = this.#places.get(text);
    if (place !== undefined) {
      this.#places.delete(text);
      this.#free.push(place);
    }
  }
}
