import { type TensorProto, TensorProto_DataType } from "../../../protos/generated/onnx/onnx.js";
import { type DType, itemSize } from "../../protocol/dtype.js";
import { elementsOfShape, shapeText } from "../../protocol/shape.js";
import { invalidArgument, unimplemented } from "../../protocol/status.js";
import { Tensor } from "../../protocol/tensor.js";
import { arrayFromBytes } from "../../protocol/tensor-data.js";

const DTYPES: ReadonlyMap<number, DType> = new Map([
  [TensorProto_DataType.FLOAT, "float32"],
  [TensorProto_DataType.DOUBLE, "float64"],
  [TensorProto_DataType.FLOAT16, "float16"],
  [TensorProto_DataType.INT8, "int8"],
  [TensorProto_DataType.INT16, "int16"],
  [TensorProto_DataType.INT32, "int32"],
  [TensorProto_DataType.INT64, "int64"],
  [TensorProto_DataType.UINT8, "uint8"],
  [TensorProto_DataType.UINT16, "uint16"],
  [TensorProto_DataType.UINT32, "uint32"],
  [TensorProto_DataType.UINT64, "uint64"],
  [TensorProto_DataType.BOOL, "bool"],
]);

/** @throws TensorFlowError UNIMPLEMENTED for a type that TensorFlow does not have */
export function dtypeOfOnnx(type: number | undefined, what: string): DType {
  const dtype = DTYPES.get(type ?? 0);
  if (dtype) return dtype;
  throw unimplemented(`${what} has elements of ONNX's type ${type ?? 0}, which cannot be opened here.`);
}

/** @throws TensorFlowError INVALID_ARGUMENT if it has not as many elements as its shape says, or another file has them */
export function tensorOfOnnx(proto: TensorProto): Tensor {
  const what = `The constant "${proto.name ?? ""}"`;
  const dtype = dtypeOfOnnx(proto.dataType, what);
  const shape = proto.dims.map(Number);
  if (proto.dataLocation === 1) {
    throw unimplemented(
      `${what} is in another file. Save the model with its weights in it: onnx.save(model, file) without external data.`,
    );
  }
  const count = elementsOfShape(shape);
  const raw = proto.rawData;
  if (raw && raw.length > 0) {
    if (raw.length === count * itemSize(dtype)) return new Tensor(dtype, shape, arrayFromBytes(dtype, raw));
    throw wrongCount(what, shape, raw.length / itemSize(dtype));
  }
  const listed: readonly (number | bigint)[] =
    [proto.floatData, proto.int32Data, proto.int64Data, proto.doubleData].find((list) => list.length > 0) ??
    [];
  if (listed.length !== count) throw wrongCount(what, shape, listed.length);
  if (dtype === "float16") return new Tensor(dtype, shape, Uint16Array.from(listed, Number));
  return Tensor.of(dtype === "bool" ? listed.map((one) => Number(one) !== 0) : [...listed], dtype, shape);
}

function wrongCount(what: string, shape: readonly number[], count: number): Error {
  return invalidArgument(
    `${what} has ${count} elements, but the shape ${shapeText(shape)}: the file is damaged.`,
  );
}
