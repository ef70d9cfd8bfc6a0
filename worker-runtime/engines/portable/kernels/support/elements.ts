import type { DType } from "../../../../protocol/dtype.js";
import { internalError, invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import { isByteList, type TensorData } from "../../../../protocol/tensor-data.js";
import { allocate, allocateLike } from "./allocation.js";
import { cppShapeText } from "./shapes.js";

/** Arrays whose elements are JS numbers. */
export type NumberArray =
  | Float32Array
  | Float64Array
  | Int8Array
  | Int16Array
  | Int32Array
  | Uint8Array
  | Uint16Array
  | Uint32Array;

/** Arrays whose elements are bigints. */
export type LongArray = BigInt64Array | BigUint64Array;

function isLongArray(data: TensorData): data is LongArray {
  return data instanceof BigInt64Array || data instanceof BigUint64Array;
}

/** The elements of a tensor of a dtype up to 32 bits, a float or bool. @throws TensorFlowError INTERNAL for others. */
export function numbersOf({
  dtype,
  data,
}: {
  readonly dtype: DType;
  readonly data: TensorData;
}): NumberArray {
  // The most common case, without the searches through prototypes.
  if (dtype === "float32") {
    return data as Float32Array;
  }
  if (isLongArray(data) || isByteList(data)) {
    throw internalError(`The elements of a ${dtype} tensor are no JS numbers.`);
  }
  return data;
}

/** The elements of an int64 or uint64 tensor. @throws TensorFlowError INTERNAL for others. */
export function longsOf({ dtype, data }: { readonly dtype: DType; readonly data: TensorData }): LongArray {
  if (!isLongArray(data)) {
    throw internalError(`The elements of a ${dtype} tensor are no bigints.`);
  }
  return data;
}

/** The elements of a string tensor. @throws TensorFlowError INTERNAL for others. */
export function stringsOf({
  dtype,
  data,
}: {
  readonly dtype: DType;
  readonly data: TensorData;
}): readonly Uint8Array[] {
  if (!isByteList(data)) {
    throw internalError(`The elements of a ${dtype} tensor are no strings.`);
  }
  return data;
}

/** A new array of zeros. @throws TensorFlowError as `allocate`. */
export function newNumbers(dtype: DType, shape: readonly number[]): NumberArray {
  return numbersOf({ dtype, data: allocate(dtype, shape) });
}

/** A new array of zeros of a tensor's dtype and shape. @throws TensorFlowError as `allocateLike`. */
export function newNumbersLike(tensor: Tensor): NumberArray {
  return numbersOf({ dtype: tensor.dtype, data: allocateLike(tensor) });
}

/** A new int64 or uint64 array of zeros. @throws TensorFlowError as `allocate`. */
export function newLongs(dtype: DType, shape: readonly number[]): LongArray {
  return longsOf({ dtype, data: allocate(dtype, shape) });
}

/** Input `index` of a kernel. @throws TensorFlowError INTERNAL if there is none. */
export function inputAt(inputs: readonly Tensor[], index: number): Tensor {
  const input = inputs[index];
  if (input === undefined) {
    throw internalError(`The kernel was called without its input ${index}.`);
  }
  return input;
}

/**
 * All elements of an integer tensor (bool as 0 and 1) as JS numbers: sizes, axes, indices. Values beyond 2^53 lose
 * precision, but no size or index is that large.
 */
export function integersOf(tensor: Tensor): number[] {
  const { data } = tensor;
  return isLongArray(data) ? Array.from(data, Number) : Array.from(numbersOf(tensor));
}

/** Like `integersOf` for long lists, without the boxed numbers of an Array. */
export function indicesOf(tensor: Tensor): Float64Array | Int32Array {
  const { data } = tensor;
  if (data instanceof Int32Array) {
    return data;
  }
  return isLongArray(data) ? roundedLongs(data) : new Float64Array(numbersOf(tensor));
}

/**
 * The only element of a scalar (or of any one-element tensor) as a JS number.
 * @param what the input's name in the error message.
 * @throws TensorFlowError INVALID_ARGUMENT
 */
export function scalarOf(tensor: Tensor, what: string): number {
  if (tensor.size !== 1) {
    throw invalidArgument(`${what} must be a scalar, not shape ${cppShapeText(tensor.shape)}`);
  }
  return isLongArray(tensor.data) ? Number(tensor.data[0]) : (numbersOf(tensor)[0] ?? 0);
}

/** An integer tensor of whole numbers. Uses a loop, since `from` of a typed array takes several times as long. */
export function integerTensor(dtype: DType, shape: readonly number[], values: ArrayLike<number>): Tensor {
  const { length } = values;
  if (dtype === "int64") {
    const longs = new BigInt64Array(length);
    for (let i = 0; i < length; i += 1) {
      longs[i] = BigInt(values[i] as number);
    }
    return new Tensor(dtype, shape, longs);
  }
  const numbers = newNumbers(dtype, shape);
  for (let i = 0; i < length; i += 1) {
    numbers[i] = values[i] as number;
  }
  return new Tensor(dtype, shape, numbers);
}

/** Uses a loop, since there may be millions of elements: `Float64Array.from` takes ten times as long. */
function roundedLongs(longs: LongArray): Float64Array {
  const numbers = new Float64Array(longs.length);
  for (let i = 0; i < longs.length; i += 1) {
    numbers[i] = Number(longs[i]);
  }
  return numbers;
}
