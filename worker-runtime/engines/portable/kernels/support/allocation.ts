import { totalmem } from "node:os";
import type { TensorProto } from "../../../../../protos/generated/tensorflow/tensor.js";
import { type DType, dtypeOf, itemSize } from "../../../../protocol/dtype.js";
import { elementsOfShape, shapeFromProto } from "../../../../protocol/shape.js";
import { invalidArgument, resourceExhausted, type TensorFlowError } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import { isByteList, type TensorData, zeros } from "../../../../protocol/tensor-data.js";
import { cppTypeName } from "./dtypes.js";
import { memoryBudget } from "./memory-budget.js";
import { cppShapeText } from "./shapes.js";

/** TensorShape::MaxDimensions of TensorFlow. */
const MAX_RANK = 254;

/** An element of a string tensor takes at least a reference to its bytes. */
const STRING_ITEM_BYTES = 8;

/** V8 stores longer lists as hash tables, which take many times the memory. */
const MAX_STRINGS = 2 ** 25;

const noBytes = new Uint8Array(0);

/** The greatest length of a typed array in every supported version of V8. */
const MAX_ELEMENTS = 2 ** 32 - 1;

let maxTensorBytes = Math.min(2 ** 33, Math.floor(totalmem() / 2));

/**
 * Sets the maximum size of one tensor in bytes, for this thread and for compute threads started later. Defaults to half
 * of the machine's memory, at most 8 GiB.
 */
export function limitTensorBytes(bytes: number): void {
  maxTensorBytes = bytes;
}

/** The maximum size of one tensor in bytes. */
export function tensorBytesLimit(): number {
  return maxTensorBytes;
}

/**
 * The number of elements of a requested shape, checked before anything is allocated.
 * @throws TensorFlowError INVALID_ARGUMENT for negative sizes, more than 254 dimensions, or at least 2^63 elements;
 *   RESOURCE_EXHAUSTED for a tensor above the limit.
 */
export function checkedSize(dtype: DType, shape: readonly number[]): number {
  if (shape.length > MAX_RANK) {
    throw invalidArgument("Shape has too many dimensions");
  }
  let count = 1;
  let whole = 1;
  for (let i = 0; i < shape.length; i += 1) {
    const size = shape[i] as number;
    if (size < 0 || !Number.isInteger(size)) {
      throw invalidArgument(`Expected shape dimensions to be non-negative, got ${size}: dimension ${i}`);
    }
    count *= size;
    // An overflow is an error even if another dimension is 0, as in TensorFlow's MultiplyWithoutOverflow.
    whole *= Math.max(size, 1);
    if (whole >= 2 ** 63) {
      throw invalidArgument(`Shape ${cppShapeText(shape)} would have more than 2**63 - 1 elements`);
    }
  }
  const mostElements = dtype === "string" ? MAX_STRINGS : MAX_ELEMENTS;
  if (count > mostElements || count * (itemSize(dtype) || STRING_ITEM_BYTES) > maxTensorBytes) {
    throw outOfMemory(dtype, shape);
  }
  return count;
}

/**
 * An array of zeros (empty strings) for the elements of a shape.
 * @throws TensorFlowError as `checkedSize`; RESOURCE_EXHAUSTED if there is no memory.
 */
export function allocate(dtype: DType, shape: readonly number[]): TensorData {
  const count = checkedSize(dtype, shape);
  requireRoom(dtype, shape, count);
  try {
    return dtype === "string" ? new Array<Uint8Array>(count).fill(noBytes) : zeros(dtype, count);
  } catch (error) {
    if (error instanceof RangeError) {
      throw outOfMemory(dtype, shape, { cause: error });
    }
    throw error;
  }
}

/** Up to this many elements, V8 always finds memory or ends the process. */
const FEW_ELEMENTS = 1024;

/**
 * An array of zeros for as many elements as a tensor has, whose size needs no check any more.
 * @throws TensorFlowError RESOURCE_EXHAUSTED if there is no memory.
 */
export function allocateLike({ dtype, shape, data }: Tensor): TensorData {
  // The small steps of most graphs: a scalar costs less than its checks would.
  if (dtype === "float32" && data.length <= FEW_ELEMENTS && memoryBudget.hasRoomFor(4 * data.length)) {
    return new Float32Array(data.length);
  }
  return allocate(dtype, shape);
}

/**
 * Checks a tensor in a message before it is decoded: a single element can stand for all elements of its shape.
 * @throws TensorFlowError RESOURCE_EXHAUSTED if there is no memory; INVALID_ARGUMENT for an invalid dtype or shape.
 */
export function checkExpansion({ dtype: dataType, tensorShape, tensorContent }: TensorProto): void {
  const dtype = dtypeOf(dataType);
  const shape = shapeFromProto(tensorShape);
  if (tensorContent.byteLength === 0) {
    requireRoom(dtype, shape, elementsOfShape(shape));
  }
}

/**
 * Checks that there is room for the constants of a received graph, which stay within the message.
 * @throws TensorFlowError RESOURCE_EXHAUSTED if this task is full.
 */
export function checkRoomForGraph(): void {
  if (!memoryBudget.hasRoomNow(0)) {
    throw resourceExhausted(`There is no memory for another graph${memoryBudget.refusal(0)}.`);
  }
}

/** A tensor of zeros (empty strings). @throws TensorFlowError as `allocate`. */
export function zeroTensor(dtype: DType, shape: readonly number[]): Tensor {
  return new Tensor(dtype, shape, allocate(dtype, shape));
}

/** A mutable copy of a tensor's data. @throws TensorFlowError RESOURCE_EXHAUSTED if there is no memory. */
export function copyOfData(tensor: Tensor): TensorData {
  checkRoomForCopy(tensor);
  const { data } = tensor;
  // slice of a Node Buffer would be a view, but strings are lists of buffers and the rest are plain typed arrays.
  return isByteList(data) ? [...data] : data.slice();
}

/** Checks that there is room for another tensor of this dtype and shape. @throws TensorFlowError RESOURCE_EXHAUSTED */
export function checkRoomForCopy({ dtype, shape, size }: Tensor): void {
  requireRoom(dtype, shape, size);
}

/**
 * Checks that this task may keep a tensor of numbers that something else has allocated.
 * @throws TensorFlowError RESOURCE_EXHAUSTED
 */
export function checkRoomWith({
  dtype,
  shape,
  byteLength,
}: Pick<Tensor, "dtype" | "shape" | "byteLength">): void {
  if (!memoryBudget.hasRoomWith(byteLength)) {
    throw outOfMemory(dtype, shape, { why: memoryBudget.refusal(0) });
  }
}

function requireRoom(dtype: DType, shape: readonly number[], count: number): void {
  if (dtype === "string") {
    if (!memoryBudget.hasRoomForStrings(count)) {
      throw outOfMemory(dtype, shape);
    }
    return;
  }
  const bytes = count * itemSize(dtype);
  if (!memoryBudget.hasRoomFor(bytes)) {
    throw outOfMemory(dtype, shape, { why: memoryBudget.refusal(bytes) });
  }
}

function outOfMemory(
  dtype: DType,
  shape: readonly number[],
  { why = "", cause }: { readonly why?: string; readonly cause?: unknown } = {},
): TensorFlowError {
  return resourceExhausted(
    `OOM when allocating tensor with shape${cppShapeText(shape)} and type ${cppTypeName(dtype)}${why}`,
    { cause },
  );
}
