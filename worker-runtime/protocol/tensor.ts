import type { TensorProto } from "../../protos/generated/tensorflow/tensor.js";
import type { DType } from "./dtype.js";
import { type ElementValue, elementText, elementValue } from "./element-text.js";
import { elementsOfShape, shapeText } from "./shape.js";
import { invalidArgument, outOfRange } from "./status.js";
import { byteLengthOf, elementCount, type TensorData } from "./tensor-data.js";
import { elementsFromProto, elementsInPieces, elementsToProto, protoInPieces } from "./tensor-proto.js";
import { elementsOf, type TensorValue } from "./tensor-values.js";

/** Elements in nested arrays, as deep as the tensor's rank. */
export type NestedElements = ElementValue | NestedElements[];

/** Elements stored elsewhere, for example on a GPU, and copied here on first access. */
export class DistantData {
  readonly load: () => TensorData;

  constructor(load: () => TensorData) {
    this.load = load;
  }
}

const distantData = new WeakMap<Tensor, DistantData>();

/** Whether the elements of a tensor are stored elsewhere, or were until they were first read. */
export function isDistant(tensor: Tensor): boolean {
  return distantData.has(tensor);
}

/**
 * One getter for all tensors with distant data: with getters of their own they would be hash tables to V8, and all code
 * slower that has met some of them.
 */
const loadedData: PropertyDescriptor & ThisType<Tensor> = {
  get() {
    return distantData.get(this)?.load();
  },
  enumerable: true,
};

/** A value: elements of one dtype in a shape. The data is never copied, so it must not be modified. */
export class Tensor {
  readonly dtype: DType;
  readonly shape: readonly number[];
  // Not defined as a field: an object whose field is replaced by a getter becomes a hash table, too.
  declare readonly data: TensorData;

  /** @throws TensorFlowError INVALID_ARGUMENT if the shape does not have as many elements as the data. */
  constructor(dtype: DType, shape: readonly number[], data: TensorData | DistantData) {
    this.dtype = dtype;
    this.shape = shape;
    if (data instanceof DistantData) {
      distantData.set(this, data);
      Object.defineProperty(this, "data", loadedData);
      return;
    }
    const count = elementsOfShape(shape);
    if (elementCount(dtype, data) !== count) {
      throw invalidArgument(
        `A ${dtype} tensor of shape ${shapeText(shape)} has ${count} elements, but ${elementCount(dtype, data)} were given.`,
      );
    }
    this.data = data;
  }

  /**
   * Creates a tensor from a JavaScript value. Without `dtype`: numbers are float32, bigints int64, booleans bool,
   * strings string, `{re, im}` complex64, typed arrays their own dtype. With `dtype`, a typed array that is the
   * dtype's own kind of memory (a Uint16Array for float16: raw bits) is used directly, any other is converted.
   * With `shape`, the elements get that shape; a single element fills it.
   * @throws TensorFlowError INVALID_ARGUMENT for ragged arrays and for elements that the dtype cannot hold.
   */
  static of(value: TensorValue, dtype?: DType, shape?: readonly number[]): Tensor {
    const elements = elementsOf(value, dtype, shape);
    return new Tensor(elements.dtype, elements.shape, elements.data);
  }

  /** Number of elements. */
  get size(): number {
    return elementCount(this.dtype, this.data);
  }

  /** Bytes of the elements; for strings the sum of their lengths. */
  get byteLength(): number {
    return byteLengthOf(this.dtype, this.data);
  }

  /**
   * Element `index` in row-major order: 64-bit integers as bigint, strings as text (UTF-8), complex as `{re, im}`,
   * resource and variant as bytes.
   * @throws TensorFlowError OUT_OF_RANGE if there is no such element.
   */
  at(index: number): ElementValue {
    if (!Number.isInteger(index) || index < 0 || index >= this.size) {
      throw outOfRange(`There is no element ${index} in a tensor of ${this.size}.`);
    }
    return elementValue(this.dtype, this.data, index);
  }

  /** The only element. @throws TensorFlowError INVALID_ARGUMENT if there is not exactly one. */
  item(): ElementValue {
    if (this.size !== 1) {
      throw invalidArgument(`A tensor of shape ${shapeText(this.shape)} has ${this.size} elements, not one.`);
    }
    return this.at(0);
  }

  /** All elements in nested arrays; a scalar is the element itself. */
  toArray(): NestedElements {
    let next = 0;
    const level = (depth: number): NestedElements => {
      const length = this.shape[depth];
      if (length === undefined) {
        const element = elementValue(this.dtype, this.data, next);
        next += 1;
        return element;
      }
      return Array.from({ length }, () => level(depth + 1));
    };
    return level(0);
  }

  /** Element `index` in row-major order as text for display: "11.0", "true", "1.0+2.0j", the text of a string. */
  elementText(index: number): string {
    return index < this.size ? elementText(this.dtype, this.data, index) : "";
  }

  /** The same elements in another shape; no copy. @throws TensorFlowError INVALID_ARGUMENT if the sizes differ. */
  reshape(shape: readonly number[]): Tensor {
    return new Tensor(this.dtype, shape, this.data);
  }
}

/**
 * The tensor in a TensorProto. Numbers in tensor_content are not copied if their memory is aligned; the tensor then
 * keeps the message's buffer alive.
 * @throws TensorFlowError INVALID_ARGUMENT if dtype, shape and content are inconsistent.
 */
export function tensorFromProto(proto: TensorProto): Tensor {
  const elements = elementsFromProto(proto);
  return new Tensor(elements.dtype, elements.shape, elements.data);
}

/**
 * Like `tensorFromProto`, for a TensorProto of a received message that is not read again: large content is moved into
 * alignment within the message's own buffer instead of being copied.
 *
 * @throws TensorFlowError INVALID_ARGUMENT if dtype, shape and content are inconsistent.
 */
export function tensorFromReceived(proto: TensorProto): Tensor {
  const elements = elementsFromProto(proto, true);
  return new Tensor(elements.dtype, elements.shape, elements.data);
}

/** Like `tensorFromReceived`, with pauses during long conversions. */
export function* tensorFromReceivedInPieces(proto: TensorProto): Generator<void, Tensor> {
  const { dtype, shape, data } = yield* elementsInPieces(proto, true);
  return new Tensor(dtype, shape, data);
}

/** Like `tensorToProto`, with pauses during long conversions; many strings become tensor_content. */
export function tensorToProtoInPieces(tensor: Tensor): Generator<void, TensorProto> {
  return protoInPieces(tensor);
}

/** A TensorProto of the tensor; its tensor_content is a view of the tensor's data. */
export function tensorToProto(tensor: Tensor): TensorProto {
  return elementsToProto(tensor);
}
