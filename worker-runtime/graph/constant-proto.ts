import { getTextEncoding } from "@bufbuild/protobuf/wire";
import { TensorProto } from "../../protos/generated/tensorflow/tensor.js";
import { type DType, dataTypeOf, dtypeKind, itemSize } from "../protocol/dtype.js";
import { shapeToProto } from "../protocol/shape.js";
import { invalidArgument } from "../protocol/status.js";
import { Tensor } from "../protocol/tensor.js";
import { arrayConstructor, bytesOfArray, isByteList, type NumericArray } from "../protocol/tensor-data.js";

// Python's make_tensor_proto writes these as tensor_content where there is more than one element.
const CONTENT_KINDS = new Set(["float", "int", "uint", "long"]);

/** The field of a TensorProto that lists the elements of a dtype. */
function valueFields(dtype: DType, data: NumericArray): Partial<TensorProto> {
  const numbers = Array.from(data, Number);
  switch (dtype) {
    case "float32":
      return { floatVal: numbers };
    case "float64":
      return { doubleVal: numbers };
    case "int64":
      return { int64Val: Array.from(data, BigInt) };
    case "uint64":
      return { uint64Val: Array.from(data, BigInt) };
    case "uint32":
      return { uint32Val: numbers };
    case "bool":
      return { boolVal: numbers.map((n) => n !== 0) };
    case "complex64":
      return { scomplexVal: numbers };
    case "complex128":
      return { dcomplexVal: numbers };
    case "float16":
    case "bfloat16":
      return { halfVal: numbers };
    default:
      if (dtypeKind(dtype) === "bits") return { float8Val: bytesOfArray(data) };
      return { intVal: numbers };
  }
}

/**
 * The value of a Const in the form that Python's `make_tensor_proto` writes, so graphs made by both are equal: more
 * than one number as tensor_content; single elements, bools, strings and complex numbers as lists.
 */
export function constantProto(tensor: Tensor): TensorProto {
  const { dtype, shape, data } = tensor;
  const base = { dtype: dataTypeOf(dtype), tensorShape: shapeToProto(shape) };
  if (isByteList(data)) {
    if (dtype !== "string") throw invalidArgument(`A Const cannot hold values of dtype ${dtype}.`);
    return TensorProto.fromPartial({ ...base, stringVal: [...data] });
  }
  const asContent = tensor.size > 1 && (CONTENT_KINDS.has(dtypeKind(dtype)) || dtypeKind(dtype) === "bits");
  if (asContent) return TensorProto.fromPartial({ ...base, tensorContent: bytesOfArray(data) });
  return TensorProto.fromPartial({ ...base, ...valueFields(dtype, data) });
}

/** A Const's value that repeats one element over a shape: tf.zeros, tf.ones, tf.fill of a known shape. */
export function filledProto(dtype: DType, shape: readonly number[], element: Tensor): TensorProto {
  const { data } = element;
  const base = { dtype: dataTypeOf(dtype), tensorShape: shapeToProto(shape) };
  if (isByteList(data)) return TensorProto.fromPartial({ ...base, stringVal: [...data] });
  return TensorProto.fromPartial({ ...base, ...valueFields(dtype, data) });
}

/** The zero of a dtype as a scalar: 0, false or the empty string. */
export function zeroOf(dtype: DType): Tensor {
  if (dtype === "string") return new Tensor("string", [], [getTextEncoding().encodeUtf8("")]);
  const arrayType = arrayConstructor(dtype);
  if (!arrayType || itemSize(dtype) === 0) throw invalidArgument(`There is no zero of dtype ${dtype}.`);
  return Tensor.of(dtype === "bool" ? false : 0, dtype, []);
}
