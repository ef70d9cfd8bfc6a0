import { internalError, invalidArgument, unimplemented } from "../../../../../protocol/status.js";
import type { Tensor } from "../../../../../protocol/tensor.js";
import { eachOf, mapped, type PausingWork } from "../../../pauses.js";
import type { Outputs } from "../../kernel.js";
import { zeroTensor } from "../../support/allocation.js";
import { cppShapeText, productOf, sameShape } from "../../support/shapes.js";
import { atPauses, inTurns } from "../../support/turns.js";
import { joining, runAt } from "../tensor-batches.js";
import { hashOf, textOf } from "./dense-keys.js";
import { LookupTable, type TableOptions } from "./lookup-table.js";

/** Keys that are looked up or put in one turn: a few milliseconds. */
const KEYS_PER_TURN = 2048;

const MIN_BUCKETS = 4;

/** A place of the table. One that holds nothing has the empty key, one that was removed the deleted key. */
interface Bucket {
  /** The key as text that no other key has. */
  readonly text: string;
  readonly key: Tensor;
  readonly value: Tensor;
}

export interface DenseTableOptions extends Omit<TableOptions, "kind"> {
  /** Keys that stand for places without a key; their shape is that of all keys. */
  readonly emptyKey: Tensor;
  readonly deletedKey: Tensor;
  readonly buckets: number;
  /** The table grows before more of its buckets than this part of them are in use. */
  readonly maxLoad: number;
}

/**
 * A table whose keys lie in an array, at the place that their hash says or, where that is taken, at ever larger
 * distances from it. It is the array that is exported, places without a key included, so that the order of its keys is
 * seen: it is TensorFlow's, whose core/kernels/lookup_table_op.cc has the rules.
 */
export class DenseHashTable extends LookupTable {
  readonly #own: DenseTableOptions;
  readonly #empty: Bucket;
  readonly #deletedText: string;
  #buckets: Bucket[];
  #count = 0;

  /** @throws TensorFlowError INVALID_ARGUMENT for options that TensorFlow refuses. */
  constructor(options: DenseTableOptions) {
    super({ ...options, kind: "mutable" });
    const { emptyKey, deletedKey, buckets, maxLoad, valueType, valueShape } = options;
    if (!(maxLoad > 0 && maxLoad < 1)) {
      throw invalidArgument(`max_load_factor must be between 0 and 1, got: ${maxLoad}`);
    }
    if (emptyKey.shape.length > 1) {
      throw invalidArgument(
        `Empty key must be a scalar or a vector, got shape ${cppShapeText(emptyKey.shape)}`,
      );
    }
    if (!sameShape(emptyKey.shape, deletedKey.shape)) {
      throw invalidArgument(
        "Empty and deleted keys must have same shape, got shapes: " +
          `${cppShapeText(emptyKey.shape)} and ${cppShapeText(deletedKey.shape)}`,
      );
    }
    this.#own = options;
    this.#empty = { text: textOf(emptyKey), key: emptyKey, value: zeroTensor(valueType, valueShape) };
    this.#deletedText = textOf(deletedKey);
    if (this.#deletedText === this.#empty.text) {
      throw invalidArgument("Empty and deleted keys cannot be equal");
    }
    this.#buckets = this.#emptyBuckets(buckets);
  }

  override get size(): number {
    return this.#count;
  }

  override find(keys: Tensor, fallback: Tensor, signal: AbortSignal): Tensor | Promise<Tensor> {
    const { valueType, valueShape } = this.#own;
    const count = this.#countOf(keys);
    const outer = this.#outerShape(keys);
    const shape = [...outer, ...valueShape];
    if (fallback.dtype !== valueType) {
      throw invalidArgument(`Expected the default value to be ${valueType}, got ${fallback.dtype}`);
    }
    if (!sameShape(fallback.shape, valueShape) && !sameShape(fallback.shape, shape)) {
      throw invalidArgument(
        `Expected shape ${cppShapeText(valueShape)} or ${cppShapeText(shape)} for default value, got ` +
          cppShapeText(fallback.shape),
      );
    }
    const missing = runAt(fallback, 0, valueShape);
    const found: Tensor[] = [];
    const run = (first: number, end: number) => {
      for (let i = first; i < end; i += 1) {
        const key = this.#keyAt(keys, i);
        const at = this.#placeOf(textOf(key), key, false);
        const bucket = at === undefined ? undefined : this.#buckets[at];
        found.push(bucket?.text === textOf(key) ? bucket.value : missing);
      }
    };
    const join = () => atPauses(joining(valueType, shape, found), signal);
    const searched = inTurns(count, KEYS_PER_TURN, run, signal, () => undefined);
    return searched instanceof Promise ? searched.then(join) : join();
  }

  override insert(keys: Tensor, values: Tensor): void | Promise<void> {
    const { valueType, valueShape, maxLoad } = this.#own;
    const count = this.#countOf(keys);
    const expected = [...this.#outerShape(keys), ...valueShape];
    if (values.dtype !== valueType) {
      throw invalidArgument(`Value must be type ${valueType} but got ${values.dtype}`);
    }
    if (!sameShape(values.shape, expected)) {
      throw invalidArgument(
        `Expected shape ${cppShapeText(expected)} for value, got ${cppShapeText(values.shape)}`,
      );
    }
    // As if all keys were new.
    let buckets = this.#buckets.length;
    while (this.#count + count > buckets * maxLoad) {
      buckets *= 2;
    }
    return atPauses(this.#putting(keys, values, count, buckets), undefined);
  }

  *#putting(keys: Tensor, values: Tensor, count: number, buckets: number): PausingWork<void> {
    if (buckets > this.#buckets.length) {
      yield* this.#growing(buckets);
    }
    const { valueShape } = this.#own;
    const size = productOf(valueShape);
    for (let i = 0; i < count; i += 1) {
      this.#put(this.#keyAt(keys, i), runAt(values, i * size, valueShape));
      if (i % KEYS_PER_TURN === KEYS_PER_TURN - 1) {
        yield;
      }
    }
  }

  override remove(keys: Tensor): void | Promise<void> {
    const run = (first: number, end: number) => {
      for (let i = first; i < end; i += 1) {
        const key = this.#keyAt(keys, i);
        const at = this.#placeOf(textOf(key), key, false);
        const bucket = at === undefined ? undefined : this.#buckets[at];
        if (at !== undefined && bucket?.text === textOf(key)) {
          this.#buckets[at] = { text: this.#deletedText, key: this.#own.deletedKey, value: bucket.value };
          this.#count -= 1;
        }
      }
    };
    return inTurns(this.#countOf(keys), KEYS_PER_TURN, run, undefined, () => undefined);
  }

  /** Takes the places of a table that was exported as they are. */
  override importValues(keys: Tensor, values: Tensor): void | Promise<void> {
    const { keyType, emptyKey, valueType, valueShape } = this.#own;
    const [count = 0] = keys.shape;
    const [keySize, valueSize] = [emptyKey.size, productOf(valueShape)];
    if (keys.dtype !== keyType || values.dtype !== valueType) {
      throw invalidArgument(
        `Expected ${keyType} keys and ${valueType} values, got ${keys.dtype} and ${values.dtype}`,
      );
    }
    if (keys.size !== count * keySize || values.size !== count * valueSize) {
      throw invalidArgument(
        `Expected shape ${cppShapeText([count, valueSize])} for value, got ${cppShapeText(values.shape)}`,
      );
    }
    checkBuckets(count);
    return atPauses(this.#importing(keys, values, count), undefined);
  }

  *#importing(keys: Tensor, values: Tensor, count: number): PausingWork<void> {
    const { emptyKey, valueShape } = this.#own;
    const [keySize, valueSize] = [emptyKey.size, productOf(valueShape)];
    const buckets: Bucket[] = [];
    let used = 0;
    for (let i = 0; i < count; i += 1) {
      const key = runAt(keys, i * keySize, emptyKey.shape);
      const text = textOf(key);
      buckets.push({ text, key, value: runAt(values, i * valueSize, valueShape) });
      used += text === this.#empty.text || text === this.#deletedText ? 0 : 1;
      if (i % KEYS_PER_TURN === KEYS_PER_TURN - 1) {
        yield;
      }
    }
    this.#buckets = buckets;
    this.#count = used;
  }

  override initialize(): never {
    throw unimplemented("A table of this kind cannot be initialized.");
  }

  /** All places: keys [buckets, size of a key] and values [buckets, size of a value]. */
  override exportValues(signal: AbortSignal): Outputs | Promise<Outputs> {
    const { keyType, emptyKey, valueType, valueShape } = this.#own;
    const count = this.#buckets.length;
    const buckets = this.#buckets;
    return atPauses(
      (function* () {
        const keys = yield* mapped(buckets, ({ key }) => key);
        const values = yield* mapped(buckets, ({ value }) => value);
        return [
          yield* joining(keyType, [count, emptyKey.size], keys),
          yield* joining(valueType, [count, productOf(valueShape)], values),
        ];
      })(),
      signal,
    );
  }

  #emptyBuckets(count: number): Bucket[] {
    checkBuckets(count);
    return new Array<Bucket>(count).fill(this.#empty);
  }

  *#growing(count: number): PausingWork<void> {
    const old = this.#buckets;
    this.#buckets = this.#emptyBuckets(count);
    this.#count = 0;
    yield* eachOf(
      old,
      ({ text, key, value }) => {
        if (text !== this.#empty.text && text !== this.#deletedText) {
          this.#put(key, value);
        }
      },
      KEYS_PER_TURN,
    );
  }

  #put(key: Tensor, value: Tensor): void {
    const text = textOf(key);
    const at = this.#placeOf(text, key, true);
    if (at === undefined) {
      throw internalError("Internal error in MutableDenseHashTable insert");
    }
    this.#count += this.#buckets[at]?.text === text ? 0 : 1;
    this.#buckets[at] = { text, key, value };
  }

  /**
   * Where a key is, or the first place on its way that has no key; undefined where there is neither.
   * @param takesDeleted whether a place whose key was removed will do.
   * @throws TensorFlowError INVALID_ARGUMENT for the two keys that are none.
   */
  #placeOf(text: string, key: Tensor, takesDeleted: boolean): number | undefined {
    if (text === this.#empty.text || text === this.#deletedText) {
      const which = text === this.#empty.text ? "empty_key" : "deleted_key";
      throw invalidArgument(`Using the ${which} as a table key is not allowed`);
    }
    const mask = this.#buckets.length - 1;
    let at = Number(hashOf(key) & BigInt(mask));
    for (let probes = 1; probes <= this.#buckets.length; probes += 1) {
      const found = this.#buckets[at]?.text;
      if (found === text || found === this.#empty.text || (takesDeleted && found === this.#deletedText)) {
        return at;
      }
      at = (at + probes) & mask;
    }
    return undefined;
  }

  /** How many keys a tensor has. @throws TensorFlowError INVALID_ARGUMENT for another dtype or shape. */
  #countOf(keys: Tensor): number {
    const { keyType, emptyKey } = this.#own;
    if (keys.dtype !== keyType) {
      throw invalidArgument(`Key must be type ${keyType} but got ${keys.dtype}`);
    }
    const { shape } = emptyKey;
    if (!sameShape(keys.shape.slice(keys.shape.length - shape.length), shape)) {
      throw invalidArgument(
        `Input key shape ${cppShapeText(keys.shape)} must end with the table's key shape ${cppShapeText(shape)}`,
      );
    }
    const count = keys.shape[0] ?? 1;
    if (keys.size !== count * emptyKey.size) {
      throw invalidArgument(
        `Expected key shape ${cppShapeText([count, ...shape])} got ${cppShapeText(keys.shape)}`,
      );
    }
    return count;
  }

  #outerShape(keys: Tensor): readonly number[] {
    return keys.shape.slice(0, keys.shape.length - this.#own.emptyKey.shape.length);
  }

  #keyAt(keys: Tensor, index: number): Tensor {
    const { emptyKey } = this.#own;
    return runAt(keys, index * emptyKey.size, emptyKey.shape);
  }
}

function checkBuckets(count: number): void {
  if (count < MIN_BUCKETS || (count & (count - 1)) !== 0) {
    throw invalidArgument(`Number of buckets must be at least 4 and a power of 2, got: ${count}`);
  }
}
