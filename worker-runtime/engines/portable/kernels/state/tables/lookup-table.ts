import type { CancellationSignal } from "../../../../../cancellation/cancellation-signal.js";
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

/** Keys looked up or inserted per turn: about five milliseconds. */
const KEYS_PER_TURN = 4096;

/** The type name of all tables in handles. */
export const LOOKUP_TABLE = "tensorflow::lookup::LookupInterface";

/** The dtypes of the keys and values of tables. */
export const tableTypes: KernelTypes = { key_dtype: [...indexTypes, "string"], value_dtype: anyType };

export interface TableOptions {
  readonly keyType: DType;
  readonly valueType: DType;
  /** The shape of one value. */
  readonly valueShape: readonly number[];
  /** Initialized once and then read-only, or mutable at any time. */
  readonly kind: "initialized once" | "mutable";
}

/** A table from keys to values. Long operations run in several turns and therefore through `exclusively`. */
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
   * Runs an action on the table exclusively: immediately if the table is free, otherwise after earlier actions. Inserts
   * are therefore atomic, as under the lock of TensorFlow's tables.
   */
  exclusively<T>(act: () => T | Promise<T>): T | Promise<T> {
    return this.#access.run(act);
  }

  /**
   * Looks up keys; missing ones get the default.
   * @param fallback the default: one value for all keys, or one per key.
   * @throws TensorFlowError FAILED_PRECONDITION before the table is initialized.
   */
  find(keys: Tensor, fallback: Tensor, signal: CancellationSignal): Tensor | Promise<Tensor> {
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

  /** Adds keys or replaces their values. @throws TensorFlowError UNIMPLEMENTED for a read-only table. */
  insert(keys: Tensor, values: Tensor): void | Promise<void> {
    this.#checkMutable("Insert");
    return this.#change(this.#putting(this.#entries, keys, values));
  }

  /** Removes keys; missing ones are ignored. @throws TensorFlowError as `insert`. */
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

  /** Replaces the contents of the table; initializes a read-only one. @throws TensorFlowError as `initialize`. */
  importValues(keys: Tensor, values: Tensor): void | Promise<void> {
    return this.options.kind === "initialized once"
      ? this.initialize(keys, values)
      : this.#change(this.#replacing(keys, values));
  }

  /**
   * Fills the table, which is read-only afterwards. Repeating it with the same entries is not an error.
   * @throws TensorFlowError FAILED_PRECONDITION for different entries and for a key with two values.
   */
  initialize(keys: Tensor, values: Tensor): void | Promise<void> {
    return this.#change(this.#initializing(keys, values));
  }

  /** All keys and their values, in insertion order. */
  exportValues(signal: CancellationSignal): Outputs | Promise<Outputs> {
    if (!this.#initialized) {
      throw failedPrecondition("Table is not initialized.");
    }
    return atPauses(this.#exporting(), signal);
  }

  /** Runs a change, which is not cancellable. */
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

  /** @param isFinal whether a key with two values is an error. */
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

/** A text that identifies a key within its dtype: its number, or its bytes as characters. */
function keyText({ data }: Tensor, index: number): string {
  const key = data[index];
  return key instanceof Uint8Array
    ? Buffer.from(key.buffer, key.byteOffset, key.byteLength).toString("latin1")
    : String(key);
}

/** Compares elements of one dtype and shape as keys, in which NaN equals itself. */
function equal(a: Tensor, b: Tensor): boolean {
  return a.data.every((_: unknown, i: number) => keyText(a, i) === keyText(b, i));
}
