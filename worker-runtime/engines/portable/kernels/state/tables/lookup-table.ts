import type { DType } from "../../../../../protocol/dtype.js";
import { failedPrecondition, invalidArgument, unimplemented } from "../../../../../protocol/status.js";
import { Tensor } from "../../../../../protocol/tensor.js";
import { ExclusiveAccess } from "../../../exclusive-access.js";
import { eachOf, type PausingWork } from "../../../pauses.js";
import type { Resource } from "../../../resources/resource-manager.js";
import type { KernelTypes, Outputs } from "../../kernel.js";
import { allocate } from "../../support/allocation.js";
import { anyType, cppTypeName, indexTypes } from "../../support/dtypes.js";
import { cppShapeText, productOf, sameShape } from "../../support/shapes.js";
import { atPauses, inTurns } from "../../support/turns.js";
import { updateElements } from "../element-updates.js";
import { runAt } from "../tensor-batches.js";
import { EntryColumns } from "./entry-columns.js";

/** Keys that are looked up or put in one turn: some five milliseconds. */
const KEYS_PER_TURN = 4096;

/** The kind of all tables in handles. */
export const LOOKUP_TABLE = "tensorflow::lookup::LookupInterface";

/** The keys and values of tables. */
export const tableTypes: KernelTypes = { key_dtype: [...indexTypes, "string"], value_dtype: anyType };

export interface TableOptions {
  readonly keyType: DType;
  readonly valueType: DType;
  /** The shape of one value. */
  readonly valueShape: readonly number[];
  /** Filled once and read-only from then on, or changed at any time. */
  readonly kind: "initialized once" | "mutable";
}

/** A table from keys to values. What takes long is done in turns, and goes through `exclusively` for that. */
export class LookupTable implements Resource {
  readonly typeName = LOOKUP_TABLE;
  readonly options: TableOptions;
  #entries: EntryColumns;
  #initialized: boolean;
  readonly #access = new ExclusiveAccess();

  constructor(options: TableOptions) {
    this.options = options;
    this.#entries = this.#noEntries();
    this.#initialized = options.kind === "mutable";
  }

  get size(): number {
    return this.#entries.size;
  }

  get initialized(): boolean {
    return this.#initialized;
  }

  /**
   * Acts on the table while no other act does, at once where it is free, otherwise after those that came before: an
   * insert is seen as a whole or not at all, as under the lock of TensorFlow's tables.
   */
  exclusively<T>(act: () => T | Promise<T>): T | Promise<T> {
    return this.#access.run(act);
  }

  /**
   * Values of keys, the default for those that are not there.
   * @param fallback one value for all, or one for each key.
   * @throws TensorFlowError FAILED_PRECONDITION before the table is initialized.
   */
  find(keys: Tensor, fallback: Tensor, signal: AbortSignal): Tensor | Promise<Tensor> {
    const { valueType, valueShape } = this.options;
    if (!this.#initialized) {
      throw failedPrecondition("Table not initialized.");
    }
    this.#checkKeys(keys);
    if (fallback.dtype !== valueType) {
      throw invalidArgument(
        `Expected the default value to be ${cppTypeName(valueType)}, got ${cppTypeName(fallback.dtype)}`,
      );
    }
    const shape = [...keys.shape, ...valueShape];
    const isOwn = sameShape(fallback.shape, shape);
    if (!isOwn && !sameShape(fallback.shape, valueShape)) {
      throw invalidArgument(
        `Expected shape ${cppShapeText(valueShape)} or ${cppShapeText(shape)} for default value, got ` +
          cppShapeText(fallback.shape),
      );
    }
    const target = allocate(valueType, shape);
    const length = productOf(valueShape);
    const run = (first: number, end: number) => {
      for (let i = first; i < end; i += 1) {
        const index = this.#entries.indexOf(keyText(keys, i));
        if (index !== undefined) {
          this.#entries.copyValue(target, i * length, index);
          continue;
        }
        updateElements("update", {
          dtype: valueType,
          target,
          at: i * length,
          source: fallback.data,
          from: isOwn ? i * length : 0,
          length,
          step: 1,
        });
      }
    };
    return inTurns(keys.size, KEYS_PER_TURN, run, signal, () => new Tensor(valueType, shape, target));
  }

  /** Adds keys, or gives them other values. @throws TensorFlowError UNIMPLEMENTED for a table that is read-only. */
  insert(keys: Tensor, values: Tensor): void | Promise<void> {
    this.#checkMutable("Insert");
    return this.#change(this.#putting(this.#entries, keys, values));
  }

  /** Forgets keys; those that are not there do not matter. @throws TensorFlowError as `insert`. */
  remove(keys: Tensor): void | Promise<void> {
    this.#checkMutable("Remove");
    this.#checkKeys(keys);
    const run = (first: number, end: number) => {
      for (let i = first; i < end; i += 1) {
        this.#entries.delete(keyText(keys, i));
      }
    };
    return inTurns(keys.size, KEYS_PER_TURN, run, undefined, () => undefined);
  }

  /** Replaces all that is in the table; a table that is read-only is initialized. @throws TensorFlowError as `initialize`. */
  importValues(keys: Tensor, values: Tensor): void | Promise<void> {
    return this.options.kind === "initialized once"
      ? this.initialize(keys, values)
      : this.#change(this.#replacing(keys, values));
  }

  /**
   * Fills a table that is read-only from then on. Doing it again with the same entries is no error.
   * @throws TensorFlowError FAILED_PRECONDITION for other entries and for a key with two values.
   */
  initialize(keys: Tensor, values: Tensor): void | Promise<void> {
    return this.#change(this.#initializing(keys, values));
  }

  /** All keys and their values, in the order in which the keys came. */
  exportValues(signal: AbortSignal): Outputs | Promise<Outputs> {
    if (!this.#initialized) {
      throw failedPrecondition("Table is not initialized.");
    }
    return atPauses(this.#exporting(), signal);
  }

  /** A change never ends half done. */
  #change(work: PausingWork<void>): void | Promise<void> {
    return atPauses(work, undefined);
  }

  *#replacing(keys: Tensor, values: Tensor): PausingWork<void> {
    const entries = this.#noEntries();
    yield* this.#putting(entries, keys, values);
    this.#entries = entries;
  }

  *#initializing(keys: Tensor, values: Tensor): PausingWork<void> {
    const entries = this.#noEntries();
    yield* this.#putting(entries, keys, values, true);
    if (!this.#initialized) {
      this.#entries = entries;
      this.#initialized = true;
      return;
    }
    const differ = () => failedPrecondition("Table was already initialized with different data.");
    if (entries.size !== this.#entries.size) {
      throw differ();
    }
    yield* eachOf(entries.indexes(), ([text, index]) => {
      const known = this.#entries.indexOf(text);
      if (known === undefined || !equal(this.#entries.valueAt(known), entries.valueAt(index))) {
        throw differ();
      }
    });
  }

  *#exporting(): PausingWork<Outputs> {
    const { keyType, valueType, valueShape } = this.options;
    const count = this.#entries.size;
    const shape = [count, ...valueShape];
    const [keys, values] = [allocate(keyType, [count]), allocate(valueType, shape)];
    const length = productOf(valueShape);
    yield* eachOf(
      this.#entries.indexes(),
      ([, index], i) => {
        this.#entries.copyKey(keys, i, index);
        this.#entries.copyValue(values, i * length, index);
      },
      KEYS_PER_TURN,
    );
    return [new Tensor(keyType, [count], keys), new Tensor(valueType, shape, values)];
  }

  /** @param isFinal a key must not have two values. */
  *#putting(entries: EntryColumns, keys: Tensor, values: Tensor, isFinal = false): PausingWork<void> {
    const { valueType, valueShape } = this.options;
    this.#checkKeys(keys);
    if (values.dtype !== valueType) {
      throw invalidArgument(
        `Value must be type ${cppTypeName(valueType)} but got ${cppTypeName(values.dtype)}`,
      );
    }
    const expected = [...keys.shape, ...valueShape];
    if (!sameShape(values.shape, expected)) {
      throw invalidArgument(
        `Expected shape ${cppShapeText(expected)} for value, got ${cppShapeText(values.shape)}`,
      );
    }
    const length = productOf(valueShape);
    for (let i = 0; i < keys.size; i += 1) {
      const text = keyText(keys, i);
      const index = isFinal ? entries.indexOf(text) : undefined;
      if (index !== undefined) {
        const [known, value] = [entries.valueAt(index), runAt(values, i * length, valueShape)];
        if (!equal(known, value)) {
          throw failedPrecondition(
            `HashTable has different value for same key. Key ${text} has ${known.elementText(0)} and trying to add ` +
              `value ${value.elementText(0)}`,
          );
        }
      }
      entries.put(text, keys.data, i, values.data, i * length);
      if (i % KEYS_PER_TURN === KEYS_PER_TURN - 1) {
        yield;
      }
    }
  }

  #noEntries(): EntryColumns {
    const { keyType, valueType, valueShape } = this.options;
    return new EntryColumns(keyType, valueType, valueShape);
  }

  #checkKeys(keys: Tensor): void {
    const { keyType } = this.options;
    if (keys.dtype !== keyType) {
      throw invalidArgument(`Key must be type ${cppTypeName(keyType)} but got ${cppTypeName(keys.dtype)}`);
    }
  }

  #checkMutable(what: string): void {
    if (this.options.kind !== "mutable") {
      throw unimplemented(`${what} not supported by InitializableLookupTable implementations`);
    }
  }
}

/** A key as text that no other key of its dtype has: its number, or its bytes as characters. */
function keyText({ data }: Tensor, index: number): string {
  const key = data[index];
  return key instanceof Uint8Array
    ? Buffer.from(key.buffer, key.byteOffset, key.byteLength).toString("latin1")
    : String(key);
}

/** Of one dtype and shape: as keys, so that NaN is equal to itself. */
function equal(a: Tensor, b: Tensor): boolean {
  return a.data.every((_: unknown, i: number) => keyText(a, i) === keyText(b, i));
}
