import { ResourceHandleProto } from "../../protos/generated/tensorflow/resource_handle.js";
import { TensorProto, VariantTensorDataProto } from "../../protos/generated/tensorflow/tensor.js";
import { type DType, dataTypeOf, dtypeKind, dtypeOf, itemSize } from "./dtype.js";
import { elementsOfShape, shapeFromProto, shapeText, shapeToProto } from "./shape.js";
import { invalidArgument } from "./status.js";
import { contentOfStrings, stringsFromContent } from "./string-content.js";
import {
  arrayConstructor,
  arrayFromBytes,
  bytesOfArray,
  entriesPerElement,
  isByteList,
  type NumericArray,
  type TensorData,
} from "./tensor-data.js";
import type { Elements } from "./tensor-values.js";

/**
 * The largest tensor created from a proto that does not itself hold all elements ("the last value repeats").
 * It is the maximum size of a message of the protocol, so no tensor that was sent in full is larger.
 */
const MAX_EXPANDED_BYTES = 2 ** 31 - 1;

/** The minimum memory of a string (a reference and the header of an empty array). */
const BYTES_PER_STRING_ELEMENT = 16;

/** About a millisecond's work. */
const NUMBERS_PER_PAUSE = 65_536;

/** From this number of strings on, they are sent as tensor_content, which is created in pieces. */
const MIN_CONTENT_STRINGS = 1024;

type ValueList = ArrayLike<number> | ArrayLike<bigint> | ArrayLike<boolean>;

/** The *_val field that carries a dtype, as TensorFlow's Tensor::FromProto reads it. */
function valuesOf(proto: TensorProto, dtype: DType): ValueList {
  switch (dtype) {
    case "float32":
      return proto.floatVal;
    case "float64":
      return proto.doubleVal;
    case "complex64":
      return proto.scomplexVal;
    case "complex128":
      return proto.dcomplexVal;
    case "int64":
      return proto.int64Val;
    case "uint64":
      return proto.uint64Val;
    case "uint32":
      return proto.uint32Val;
    case "bool":
      return proto.boolVal;
    case "float16":
    case "bfloat16":
      return proto.halfVal;
    default:
      return dtypeKind(dtype) === "bits" && dtype !== "float4_e2m1fn" ? proto.float8Val : proto.intVal;
  }
}

function* numericFromValues(
  proto: TensorProto,
  dtype: DType,
  count: number,
  make: new (n: number) => NumericArray,
): Generator<void, NumericArray> {
  const values = valuesOf(proto, dtype);
  const entries = entriesPerElement(dtype);
  if (values.length % entries !== 0) {
    throw invalidArgument(`A tensor of ${dtype} has ${values.length} numbers, which are not pairs.`);
  }
  const needed = count * entries;
  const data = new make(needed);
  // Writes numbers or bigints depending on the array; the lists above have the same kind of element.
  const target = data as Float64Array;
  const given = Math.min(values.length, needed);
  for (let i = 0; i < given; i += 1) {
    target[i] = Number(values[i]);
    if (i % NUMBERS_PER_PAUSE === NUMBERS_PER_PAUSE - 1) {
      yield;
    }
  }
  if (given > 0 && given < needed) {
    if (entries === 1) {
      target.fill(target[given - 1] ?? 0, given);
    } else {
      for (let i = given; i < needed; i += 1) {
        target[i] = target[i - entries] ?? 0;
      }
    }
  }
  return data;
}

function* longsFromValues(
  proto: TensorProto,
  dtype: "int64" | "uint64",
  count: number,
): Generator<void, NumericArray> {
  const values = dtype === "int64" ? proto.int64Val : proto.uint64Val;
  const data = dtype === "int64" ? new BigInt64Array(count) : new BigUint64Array(count);
  const given = Math.min(values.length, count);
  for (let i = 0; i < given; i += 1) {
    data[i] = values[i] ?? 0n;
    if (i % NUMBERS_PER_PAUSE === NUMBERS_PER_PAUSE - 1) {
      yield;
    }
  }
  return given === 0 ? data : data.fill(data[given - 1] ?? 0n, given);
}

function listOfBytes(proto: TensorProto, dtype: DType): readonly Uint8Array[] {
  switch (dtype) {
    case "resource":
      return proto.resourceHandleVal.map((handle) => ResourceHandleProto.encode(handle).finish());
    case "variant":
      return proto.variantVal.map((variant) => VariantTensorDataProto.encode(variant).finish());
    default:
      return proto.stringVal;
  }
}

function stringsFromValues(proto: TensorProto, dtype: DType, count: number): readonly Uint8Array[] {
  const values = listOfBytes(proto, dtype);
  if (values.length === count) {
    return values;
  }
  const last = values[values.length - 1] ?? new Uint8Array(0);
  return Array.from({ length: count }, (_, i) => values[i] ?? last);
}

function* dataFromProto(
  proto: TensorProto,
  dtype: DType,
  shape: readonly number[],
  mayMove: boolean,
): Generator<void, TensorData> {
  const count = elementsOfShape(shape);
  const content = proto.tensorContent;
  const arrayType = arrayConstructor(dtype);
  if (content.byteLength > 0 && count > 0) {
    if (arrayType === undefined) {
      if (dtype !== "string") {
        throw invalidArgument(`A tensor of ${dtype} cannot have tensor_content.`);
      }
      return yield* stringsFromContent(content, count);
    }
    const expected = count * itemSize(dtype);
    if (content.byteLength !== expected) {
      throw invalidArgument(
        `A ${dtype} tensor of shape ${shapeText(shape)} needs ${expected} bytes, but its tensor_content has ` +
          `${content.byteLength}.`,
      );
    }
    return arrayFromBytes(dtype, content, mayMove);
  }
  const bytes = count * (itemSize(dtype) || BYTES_PER_STRING_ELEMENT);
  if (bytes > MAX_EXPANDED_BYTES) {
    throw invalidArgument(
      `A ${dtype} tensor of shape ${shapeText(shape)} would take ${bytes} bytes; at most ${MAX_EXPANDED_BYTES} are ` +
        "made from a value that repeats.",
    );
  }
  if (dtype === "int64" || dtype === "uint64") {
    return yield* longsFromValues(proto, dtype, count);
  }
  return arrayType === undefined
    ? stringsFromValues(proto, dtype, count)
    : yield* numericFromValues(proto, dtype, count, arrayType);
}

/**
 * The elements of a TensorProto, from tensor_content (a view if aligned, otherwise a copy) or from the *_val fields, of
 * which the last value is repeated; without any value, the elements are zeros.
 * @param mayMove allows moving large content within its buffer: see `arrayFromBytes`.
 * @throws TensorFlowError INVALID_ARGUMENT if dtype, shape and content are inconsistent.
 */
export function elementsFromProto(proto: TensorProto, mayMove = false): Elements {
  const work = elementsInPieces(proto, mayMove);
  for (;;) {
    const { done, value } = work.next();
    if (done === true) {
      return value;
    }
  }
}

/** Like `elementsFromProto`, pausing after every few thousand elements that have to be converted. */
export function* elementsInPieces(proto: TensorProto, mayMove = false): Generator<void, Elements> {
  const dtype = dtypeOf(proto.dtype);
  const shape = shapeFromProto(proto.tensorShape);
  return { dtype, shape, data: yield* dataFromProto(proto, dtype, shape, mayMove) };
}

/** A TensorProto of the elements. Numbers travel as tensor_content, which is a view of `data`: no copy is made. */
export function elementsToProto({ dtype, shape, data }: Elements): TensorProto {
  const proto = TensorProto.create();
  proto.dtype = dataTypeOf(dtype);
  proto.tensorShape = shapeToProto(shape);
  if (!isByteList(data)) {
    proto.tensorContent = bytesOfArray(data);
  } else if (dtype === "resource") {
    proto.resourceHandleVal = data.map((bytes) => ResourceHandleProto.decode(bytes));
  } else if (dtype === "variant") {
    proto.variantVal = data.map((bytes) => VariantTensorDataProto.decode(bytes));
  } else {
    proto.stringVal = [...data];
  }
  return proto;
}

/**
 * Like `elementsToProto`, with pauses during long conversions. Many strings travel as tensor_content, as sent by
 * TensorFlow's servers, without an object for each. Not for node attributes, which Python's tools could not read.
 */
export function* protoInPieces(elements: Elements): Generator<void, TensorProto> {
  const { dtype, shape, data } = elements;
  if (dtype !== "string" || !isByteList(data) || data.length < MIN_CONTENT_STRINGS) {
    return elementsToProto(elements);
  }
  const proto = TensorProto.create();
  proto.dtype = dataTypeOf(dtype);
  proto.tensorShape = shapeToProto(shape);
  proto.tensorContent = yield* contentOfStrings(data);
  return proto;
}
