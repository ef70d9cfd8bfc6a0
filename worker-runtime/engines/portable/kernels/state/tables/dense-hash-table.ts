import type { CancellationSignal } from "../../../../../cancellation/cancellation-signal.js";
import { internalError, invalidArgument, unimplemented } from "../../../../../protocol/status.js";
import { Tensor } from "../../../../../protocol/tensor.js";
import type { PausingWork } from "../../../pauses.js";
import type { Outputs } from "../../kernel.js";
import { allocate } from "../../support/allocation.js";
import { cppShapeText, productOf, sameShape } from "../../support/shapes.js";
import { atPauses, inTurns } from "../../support/turns.js";
import { updateElements } from "../element-updates.js";
import { type BucketLayout, checkBuckets, DenseBuckets, type KeyStart } from "./dense-buckets.js";
import { isSameKey } from "./dense-keys.js";
import { LookupTable } from "./lookup-table.js";

/** Keys looked up or inserted per turn: a few milliseconds. */
const KEYS_PER_TURN = 2048;

export interface DenseTableOptions extends BucketLayout {
  readonly buckets: number;
  /** The fraction of buckets in use beyond which the table grows. */
  readonly maxLoad: number;
}

/**
 * An open-addressing hash table: a key is in the bucket given by its hash or, if that is taken, at increasing distances
 * from it. Exports contain the whole array, including buckets without a key, which makes the order of the keys visible;
 * it is that of TensorFlow's core/kernels/lookup_table_op.cc.
 */
export class DenseHashTable extends LookupTable {
  readonly #own: DenseTableOptions;
  #buckets: DenseBuckets;
  #count = 0;

  /** @throws TensorFlowError INVALID_ARGUMENT for options that TensorFlow rejects. */
  constructor(options: DenseTableOptions) {
    super({ ...options, kind: "mutable" });
    const { emptyKey, deletedKey, buckets, maxLoad } = options;
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
    if (isSameKey(emptyKey.data, 0, deletedKey.data, 0, emptyKey.size)) {
      throw invalidArgument("Empty and deleted keys cannot be equal");
    }
    this.#own = options;
    this.#buckets = new DenseBuckets(options, buckets);
  }

  override get size(): number {
    return this.#count;
  }

  override find(keys: Tensor, fallback: Tensor, signal: CancellationSignal): Tensor | Promise<Tensor> {
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
    const target = allocate(valueType, shape);
    const length = productOf(valueShape);
    const run = (first: number, end: number) => {
      for (let i = first; i < end; i += 1) {
        const at = this.#buckets.indexOf(this.#keyAt(keys, i), false);
        if (at !== undefined && this.#buckets.isUsed(at)) {
          this.#buckets.exportValue(target, i, at);
        } else {
          updateElements("update", {
            dtype: valueType,
            target,
            at: i * length,
            source: fallback.data,
            from: 0,
            length,
            step: 1,
          });
        }
      }
    };
    return inTurns(count, KEYS_PER_TURN, run, signal, () => new Tensor(valueType, shape, target));
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
    // Assumes that all keys are new.
    let buckets = this.#buckets.count;
    while (this.#count + count > buckets * maxLoad) {
      buckets *= 2;
    }
    return atPauses(this.#putting(keys, values, count, buckets), undefined);
  }

  *#putting(keys: Tensor, values: Tensor, count: number, buckets: number): PausingWork<void> {
    if (buckets > this.#buckets.count) {
      yield* this.#growing(buckets);
    }
    const size = productOf(this.#own.valueShape);
    for (let i = 0; i < count; i += 1) {
      const key = this.#keyAt(keys, i);
      const at = freeBucket(this.#buckets, key);
      this.#count += this.#buckets.isUsed(at) ? 0 : 1;
      this.#buckets.put(at, key, values.data, i * size);
      if (i % KEYS_PER_TURN === KEYS_PER_TURN - 1) {
        yield;
      }
    }
  }

  override remove(keys: Tensor): void | Promise<void> {
    const run = (first: number, end: number) => {
      for (let i = first; i < end; i += 1) {
        const at = this.#buckets.indexOf(this.#keyAt(keys, i), false);
        if (at !== undefined && this.#buckets.isUsed(at)) {
          this.#buckets.remove(at);
          this.#count -= 1;
        }
      }
    };
    return inTurns(this.#countOf(keys), KEYS_PER_TURN, run, undefined, () => undefined);
  }

  /** Adopts the buckets of an exported table unchanged. */
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
    const buckets = new DenseBuckets(this.#own, count);
    let used = 0;
    for (let i = 0; i < count; i += 1) {
      used += buckets.restore(i, this.#keyAt(keys, i), values.data) ? 1 : 0;
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

  /** All buckets: keys [buckets, size of a key] and values [buckets, size of a value]. */
  override exportValues(signal: CancellationSignal): Outputs | Promise<Outputs> {
    const { keyType, emptyKey, valueType, valueShape } = this.#own;
    const buckets = this.#buckets;
    const { count } = buckets;
    const [keyShape, shape] = [
      [count, emptyKey.size],
      [count, productOf(valueShape)],
    ];
    const [keys, values] = [allocate(keyType, keyShape), allocate(valueType, shape)];
    const run = (first: number, end: number) => {
      for (let at = first; at < end; at += 1) {
        buckets.exportKey(keys, at);
        buckets.exportValue(values, at, at);
      }
    };
    return inTurns(count, KEYS_PER_TURN, run, signal, () => [
      new Tensor(keyType, keyShape, keys),
      new Tensor(valueType, shape, values),
    ]);
  }

  *#growing(count: number): PausingWork<void> {
    const old = this.#buckets;
    const grown = new DenseBuckets(this.#own, count);
    for (let at = 0; at < old.count; at += 1) {
      if (old.isUsed(at)) {
        grown.move(freeBucket(grown, old.keyAt(at)), old, at);
      }
      if (at % KEYS_PER_TURN === KEYS_PER_TURN - 1) {
        yield;
      }
    }
    this.#buckets = grown;
  }

  /** The number of keys in a tensor. @throws TensorFlowError INVALID_ARGUMENT if its dtype or shape does not match. */
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

  #keyAt({ data }: Tensor, index: number): KeyStart {
    return { data, from: index * this.#own.emptyKey.size };
  }
}

/**
 * The bucket of a key, or the one to insert it in.
 * @throws TensorFlowError as `indexOf`; INTERNAL if the table is full.
 */
function freeBucket(buckets: DenseBuckets, key: KeyStart): number {
  const at = buckets.indexOf(key, true);
  if (at === undefined) {
    throw internalError("Internal error in MutableDenseHashTable insert");
  }
  return at;
}
