import type { DType } from "../../../../../protocol/dtype.js";
import { failedPrecondition, invalidArgument, unimplemented } from "../../../../../protocol/status.js";
import { Tensor } from "../../../../../protocol/tensor.js";
import { isByteList } from "../../../../../protocol/tensor-data.js";
import type { Resource } from "../../../resources/resource-manager.js";
import { allocate } from "../../support/allocation.js";
import { cppTypeName } from "../../support/dtypes.js";
import { cppShapeText, productOf, sameShape } from "../../support/shapes.js";
import { updateElements } from "../element-updates.js";
import { joined, runAt } from "../tensor-batches.js";

/** The kind of all tables in handles. */
export const LOOKUP_TABLE = "tensorflow::lookup::LookupInterface";

export interface TableOptions {
  readonly keyType: DType;
  readonly valueType: DType;
  /** The shape of one value. */
  readonly valueShape: readonly number[];
  /** Filled once and read-only from then on, or changed at any time. */
  readonly kind: "initialized once" | "mutable";
}

interface Entry {
  /** A scalar. */
  readonly key: Tensor;
  readonly value: Tensor;
}

/** A table from keys to values. */
export class LookupTable implements Resource {
  readonly typeName = LOOKUP_TABLE;
  readonly options: TableOptions;
  #entries = new Map<string, Entry>();
  #initialized: boolean;

  constructor(options: TableOptions) {
    this.options = options;
    this.#initialized = options.kind === "mutable";
  }

  get size(): number {
    return this.#entries.size;
  }

  get initialized(): boolean {
    return this.#initialized;
  }

  /**
   * Values of keys, the default for those that are not there.
   * @param fallback one value for all, or one for each key.
   * @throws TensorFlowError FAILED_PRECONDITION before the table is initialized.
   */
  find(keys: Tensor, fallback: Tensor): Tensor {
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
    const texts = keyTexts(keys);
    for (const [i, text] of texts.entries()) {
      const found = this.#entries.get(text)?.value;
      updateElements("update", {
        dtype: valueType,
        target,
        at: i * length,
        source: (found ?? fallback).data,
        from: found === undefined && isOwn && texts.length > 0 ? i * length : 0,
        length,
        step: 1,
      });
    }
    return new Tensor(valueType, shape, target);
  }

  /** Adds keys, or gives them other values. @throws TensorFlowError UNIMPLEMENTED for a table that is read-only. */
  insert(keys: Tensor, values: Tensor): void {
    this.#checkMutable("Insert");
    this.#put(this.#entries, keys, values);
  }

  /** Forgets keys; those that are not there do not matter. @throws TensorFlowError as `insert`. */
  remove(keys: Tensor): void {
    this.#checkMutable("Remove");
    this.#checkKeys(keys);
    for (const text of keyTexts(keys)) {
      this.#entries.delete(text);
    }
  }

  /** Replaces all that is in the table; a table that is read-only is initialized. @throws TensorFlowError as `initialize`. */
  importValues(keys: Tensor, values: Tensor): void {
    if (this.options.kind === "initialized once") {
      this.initialize(keys, values);
      return;
    }
    const entries = new Map<string, Entry>();
    this.#put(entries, keys, values);
    this.#entries = entries;
  }

  /**
   * Fills a table that is read-only from then on. Doing it again with the same entries is no error.
   * @throws TensorFlowError FAILED_PRECONDITION for other entries and for a key with two values.
   */
  initialize(keys: Tensor, values: Tensor): void {
    const entries = new Map<string, Entry>();
    this.#put(entries, keys, values, true);
    if (this.#initialized) {
      const same =
        entries.size === this.#entries.size &&
        [...entries].every(([text, { value }]) => equal(this.#entries.get(text)?.value, value));
      if (!same) {
        throw failedPrecondition("Table was already initialized with different data.");
      }
      return;
    }
    this.#entries = entries;
    this.#initialized = true;
  }

  /** All keys and their values, in the order in which the keys came. */
  exportValues(): readonly [Tensor, Tensor] {
    const { keyType, valueType, valueShape } = this.options;
    if (!this.#initialized) {
      throw failedPrecondition("Table is not initialized.");
    }
    const entries = [...this.#entries.values()];
    return [
      joined(
        keyType,
        [entries.length],
        entries.map(({ key }) => key),
      ),
      joined(
        valueType,
        [entries.length, ...valueShape],
        entries.map(({ value }) => value),
      ),
    ];
  }

  #put(entries: Map<string, Entry>, keys: Tensor, values: Tensor, isFinal = false): void {
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
    for (const [i, text] of keyTexts(keys).entries()) {
      const value = runAt(values, i * length, valueShape);
      const known = isFinal ? entries.get(text)?.value : undefined;
      if (known !== undefined && !equal(known, value)) {
        throw failedPrecondition(
          `HashTable has different value for same key. Key ${text} has ${known.elementText(0)} and trying to add value ` +
            value.elementText(0),
        );
      }
      entries.set(text, { key: runAt(keys, i, []), value });
    }
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

/** Each key as text that no other key of its dtype has: its number, or its bytes as characters. */
function keyTexts({ data }: Tensor): readonly string[] {
  return isByteList(data)
    ? data.map((bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1"))
    : Array.from(data as Iterable<number | bigint>, String);
}

function equal(a: Tensor | undefined, b: Tensor): boolean {
  return a !== undefined && keyTexts(a).join("\n") === keyTexts(b).join("\n");
}
