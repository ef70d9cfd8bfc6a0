import { type DType, dtypeKind } from "../protocol/dtype.js";
import { bitsFromNumber } from "../protocol/small-float.js";
import { arrayConstructor, entriesPerElement, type TensorData } from "../protocol/tensor-data.js";
import { elementParser } from "./parse-element.js";

const FIRST_CAPACITY = 1024;

/** Elements of one dtype, read from texts one after another. The number of elements need not be known before. */
export interface ColumnBuilder {
  /** Adds the element that `text` stands for. @throws ElementError when it stands for none */
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

  /** The array of the dtype; seen as one type, since all typed arrays are filled alike. */
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
    // Number() alone is fast; what it takes but a number is not (an empty text, 0x10) goes the careful way.
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
      // A bigint for an array of bigints, a number for all others: the parser of the dtype sees to it.
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

/** @throws ElementError for dtypes that no text stands for (resource, variant) */
export function columnBuilder(dtype: DType): ColumnBuilder {
  return dtype === "string" ? new StringBuilder() : new NumberBuilder(dtype);
}
