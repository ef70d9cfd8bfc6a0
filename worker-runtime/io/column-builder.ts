import { type DType, dtypeKind } from "../protocol/dtype.js";
import { bitsFromNumber } from "../protocol/small-float.js";
import { arrayConstructor, entriesPerElement, type TensorData } from "../protocol/tensor-data.js";
import { elementParser } from "./parse-element.js";

const FIRST_CAPACITY = 1024;

/** Collects elements of one dtype, parsed from texts. Their number need not be known in advance. */
export interface ColumnBuilder {
  /** Parses and adds an element. @throws ElementError if `text` is not an element */
  push(text: string): void;
  readonly length: number;
  /** The elements so far; the builder must not be used afterwards. */
  finish(): TensorData;
}

class StringBuilder implements ColumnBuilder {
  readonly #elements: Uint8Array[] = [];
  readonly #encoder = new TextEncoder();

  push(text: string): void {
    this.#elements.push(this.#encoder.encode(text));
  }

  get length(): number {
    return this.#elements.length;
  }

  finish(): TensorData {
    return this.#elements;
  }
}

/** Elements in a typed array that doubles when it is full. */
class NumberBuilder implements ColumnBuilder {
  readonly #dtype: DType;
  readonly #parse: ReturnType<typeof elementParser>;
  readonly #entries: number;
  readonly #bits: boolean;
  readonly #plainFloat: boolean;
  #data: Float64Array;
  #length = 0;

  constructor(dtype: DType) {
    this.#dtype = dtype;
    this.#parse = elementParser(dtype);
    this.#entries = entriesPerElement(dtype);
    this.#bits = dtypeKind(dtype) === "bits";
    this.#plainFloat = dtypeKind(dtype) === "float";
    this.#data = this.#allocate(FIRST_CAPACITY);
  }

  /** The array of the dtype; cast to one type, because all typed arrays are filled in the same way. */
  #allocate(capacity: number): Float64Array {
    const arrayType = arrayConstructor(this.#dtype) ?? Float64Array;
    return new arrayType(capacity * this.#entries) as Float64Array;
  }

  push(text: string): void {
    const at = this.#length * this.#entries;
    if (at >= this.#data.length) {
      const larger = this.#allocate(this.#length * 2);
      larger.set(this.#data);
      this.#data = larger;
    }
    // Number() alone is fast; texts that it accepts although they are not numbers ("", 0x10) use the slow path.
    const quick = this.#plainFloat ? Number(text) : Number.NaN;
    if (quick !== 0 && quick < 1e30 && quick > -1e30 && !/[xXbBoO]/.test(text)) {
      this.#data[at] = quick;
    } else {
      this.#store(at, text);
    }
    this.#length += 1;
  }

  #store(at: number, text: string): void {
    const element = this.#parse(text);
    if (typeof element === "object" && "re" in element) {
      this.#data[at] = element.re;
      this.#data[at + 1] = element.im;
    } else if (this.#bits) {
      this.#data[at] = bitsFromNumber(this.#dtype, Number(element));
    } else {
      // A bigint for an array of bigints, a number for all others: the dtype's parser ensures it.
      this.#data[at] = (typeof element === "boolean" ? Number(element) : element) as number;
    }
  }

  get length(): number {
    return this.#length;
  }

  finish(): TensorData {
    return this.#data.slice(0, this.#length * this.#entries);
  }
}

/** @throws ElementError for dtypes without a text form (resource, variant) */
export function columnBuilder(dtype: DType): ColumnBuilder {
  return dtype === "string" ? new StringBuilder() : new NumberBuilder(dtype);
}
