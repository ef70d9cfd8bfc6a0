import { TensorProto, TensorProto_DataType } from "../../../../protos/generated/onnx/onnx.js";
import type { DType } from "../../../protocol/dtype.js";
import { internalError } from "../../../protocol/status.js";
import type { Tensor } from "../../../protocol/tensor.js";
import { isByteList } from "../../../protocol/tensor-data.js";

/** ONNX's number of each dtype that it shares with TensorFlow and that the engine represents identically. */
const dataTypes: Partial<Record<DType, TensorProto_DataType>> = {
  float16: TensorProto_DataType.FLOAT16,
  bfloat16: TensorProto_DataType.BFLOAT16,
  float32: TensorProto_DataType.FLOAT,
  float64: TensorProto_DataType.DOUBLE,
  int8: TensorProto_DataType.INT8,
  int16: TensorProto_DataType.INT16,
  int32: TensorProto_DataType.INT32,
  int64: TensorProto_DataType.INT64,
  uint8: TensorProto_DataType.UINT8,
  uint16: TensorProto_DataType.UINT16,
  uint32: TensorProto_DataType.UINT32,
  uint64: TensorProto_DataType.UINT64,
  bool: TensorProto_DataType.BOOL,
};

/** Whether ONNX has tensors of a dtype. */
export function isOnnxType(dtype: DType): boolean {
  return dataTypes[dtype] !== undefined;
}

/** @throws TensorFlowError INTERNAL for a dtype that ONNX does not have, which must not be lowered. */
export function onnxDataType(dtype: DType): TensorProto_DataType {
  const dataType = dataTypes[dtype];
  if (dataType === undefined) {
    throw internalError(`ONNX has no tensors of ${dtype}.`);
  }
  return dataType;
}

/**
 * A tensor in ONNX's format. Its data is not copied.
 * @throws TensorFlowError INTERNAL for a dtype that ONNX does not have.
 */
export function tensorProto(name: string, { dtype, shape, data }: Tensor): TensorProto {
  if (isByteList(data)) {
    throw internalError(`ONNX has no tensors of ${dtype}.`);
  }
  return TensorProto.fromPartial({
    name,
    dims: shape.map(BigInt),
    dataType: onnxDataType(dtype),
    rawData: new Uint8Array(data.buffer, data.byteOffset, data.byteLength),
  });
}
