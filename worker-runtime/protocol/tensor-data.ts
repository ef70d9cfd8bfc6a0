import { type DType, itemSize } from "./dtype.js";
import { invalidArgument } from "./status.js";

export type NumericArray =
  | Float32Array
  | Float64Array
  | Int8Array
  | Int16Array
  | Int32Array
  | Uint8Array
  | Uint16Array
  | Uint32Array
  | BigInt64Array
  | BigUint64Array;

/**
 * The elements of a tensor in row-major order. By dtype:
 * - the typed array of the same name (float32: Float32Array, qint8: Int8Array, int64: BigInt64Array, …);
 * - bool: Uint8Array of 0 and 1; float16 and bfloat16: Uint16Array of raw bits; float8 and float4: Uint8Array of raw bits;
 *   int4, uint4, int2, uint2: Int8Array or Uint8Array, one element a byte;
 * - complex64 and complex128: Float32Array and Float64Array of interleaved real and imaginary parts;
 * - string: one Uint8Array an element; resource and variant: one serialized ResourceHandleProto or
 *   VariantTensorDataProto an element.
 */
export type TensorData = NumericArray | readonly Uint8Array[];

type NumericArrayConstructor = {
  new (length: number): NumericArray;
  new (buffer: ArrayBufferLike, byteOffset: number, length: number): NumericArray;
  readonly BYTES_PER_ELEMENT: number;
};

const constructors: Partial<Record<DType, NumericArrayConstructor>> = {
  float16: Uint16Array,
  bfloat16: Uint16Array,
  float32: Float32Array,
  float64: Float64Array,
  int8: Int8Array,
  int16: Int16Array,
  int32: Int32Array,
  int64: BigInt64Array,
  uint8: Uint8Array,
  uint16: Uint16Array,
  uint32: Uint32Array,
  uint64: BigUint64Array,
  bool: Uint8Array,
  complex64: Float32Array,
  complex128: Float64Array,
  qint8: Int8Array,
  quint8: Uint8Array,
  qint16: Int16Array,
  quint16: Uint16Array,
  qint32: Int32Array,
  float8_e5m2: Uint8Array,
  float8_e4m3fn: Uint8Array,
  float8_e4m3fnuz: Uint8Array,
  float8_e4m3b11fnuz: Uint8Array,
  float8_e5m2fnuz: Uint8Array,
  float4_e2m1fn: Uint8Array,
  int4: Int8Array,
  uint4: Uint8Array,
  int2: Int8Array,
  uint2: Uint8Array,
};

/** The kind of typed array that holds a dtype; undefined for string, resource and variant. */
export function arrayConstructor(dtype: DType): NumericArrayConstructor | undefined {
  return constructors[dtype];
}

/** Array entries per element: 2 for complex dtypes, otherwise 1. */
export function entriesPerElement(dtype: DType): number {
  return dtype === "complex64" || dtype === "complex128" ? 2 : 1;
}

export function isByteList(data: TensorData): data is readonly Uint8Array[] {
  return Array.isArray(data);
}

/** Content below this size is copied rather than moved: see `arrayFromBytes`. */
const MIN_MOVED_BYTES = 64 * 1024;

/**
 * The elements in `bytes` (little-endian): a view if the memory is aligned for the dtype, otherwise a copy. A view
 * keeps the whole underlying buffer alive.
 * @param mayMove moves large unaligned content down by a few bytes within its buffer, over what precedes it (allocating
 *   a copy costs several times as much). Only for content of a received message that is not read again: a message has
 *   at least ten bytes of tags and lengths before a tensor's content of this size.
 * @throws TensorFlowError INVALID_ARGUMENT for dtypes whose elements have no fixed size.
 */
export function arrayFromBytes(dtype: DType, bytes: Uint8Array, mayMove = false): NumericArray {
  const arrayType = fixedSizeConstructor(dtype);
  const size = arrayType.BYTES_PER_ELEMENT;
  const length = Math.floor(bytes.byteLength / size);
  const excess = bytes.byteOffset % size;
  if (excess === 0) {
    return new arrayType(bytes.buffer, bytes.byteOffset, length);
  }
  if (mayMove && bytes.byteLength >= MIN_MOVED_BYTES) {
    const start = bytes.byteOffset - excess;
    new Uint8Array(bytes.buffer, start, excess + bytes.byteLength).copyWithin(0, excess);
    return new arrayType(bytes.buffer, start, length);
  }
  // Uint8Array.prototype.slice, because the slice of a Node Buffer would be a view.
  const copy = Uint8Array.prototype.slice.call(bytes, 0, length * size);
  return new arrayType(copy.buffer, copy.byteOffset, length);
}

/**
 * A view of all elements in a buffer that holds nothing else.
 * @throws TensorFlowError INVALID_ARGUMENT for dtypes whose elements have no fixed size.
 */
export function arrayOver(dtype: DType, buffer: ArrayBufferLike): NumericArray {
  const arrayType = fixedSizeConstructor(dtype);
  return new arrayType(buffer, 0, buffer.byteLength / arrayType.BYTES_PER_ELEMENT);
}

function fixedSizeConstructor(dtype: DType): NumericArrayConstructor {
  const arrayType = constructors[dtype];
  if (arrayType === undefined) {
    throw invalidArgument(`A tensor of ${dtype} has no fixed layout in memory.`);
  }
  return arrayType;
}

/** The memory of a numeric array as bytes, little-endian; a view, never a copy. */
export function bytesOfArray(array: NumericArray): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

/** An array of zeros (or empty strings) for `count` elements. */
export function zeros(dtype: DType, count: number): TensorData {
  // The most common case in kernels, without the lookup.
  if (dtype === "float32") {
    return new Float32Array(count);
  }
  const arrayType = constructors[dtype];
  if (arrayType === undefined) {
    return Array.from({ length: count }, () => new Uint8Array(0));
  }
  return new arrayType(count * entriesPerElement(dtype));
}

/** Number of elements of `data` as `dtype`. */
export function elementCount(dtype: DType, data: TensorData): number {
  // A read of its own for the most common case: V8 compiles it for one kind of array, and looks up the length of an array
  // of any kind, which takes many times as long.
  if (dtype === "float32") {
    return data.length;
  }
  return data.length / entriesPerElement(dtype);
}

/** Bytes of the elements; for strings the sum of their lengths. */
export function byteLengthOf(dtype: DType, data: TensorData): number {
  if (isByteList(data)) {
    let sum = 0;
    for (const element of data) {
      sum += element.byteLength;
    }
    return sum;
  }
  return elementCount(dtype, data) * itemSize(dtype);
}
