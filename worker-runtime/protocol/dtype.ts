import { DataType } from "../../protos/generated/tensorflow/types.js";
import { invalidArgument } from "./status.js";

/** How the elements of a dtype are stored in memory and which field of a TensorProto may carry them. */
interface DTypeTraits {
  readonly dataType: DataType;
  /** Bytes of one element; 0 when elements differ in size (string, resource, variant). */
  readonly itemSize: number;
  readonly kind: DTypeKind;
}

/** float: JS numbers with a fraction; int, uint: integral JS numbers; long: bigint; bits: small floats as raw bits. */
export type DTypeKind = "float" | "bits" | "int" | "uint" | "long" | "bool" | "complex" | "string" | "opaque";

// Names are those of tf.dtypes. Types smaller than a byte use one byte per element, as in TensorFlow's memory.
const traits = {
  float16: { dataType: DataType.DT_HALF, itemSize: 2, kind: "bits" },
  bfloat16: { dataType: DataType.DT_BFLOAT16, itemSize: 2, kind: "bits" },
  float32: { dataType: DataType.DT_FLOAT, itemSize: 4, kind: "float" },
  float64: { dataType: DataType.DT_DOUBLE, itemSize: 8, kind: "float" },
  int8: { dataType: DataType.DT_INT8, itemSize: 1, kind: "int" },
  int16: { dataType: DataType.DT_INT16, itemSize: 2, kind: "int" },
  int32: { dataType: DataType.DT_INT32, itemSize: 4, kind: "int" },
  int64: { dataType: DataType.DT_INT64, itemSize: 8, kind: "long" },
  uint8: { dataType: DataType.DT_UINT8, itemSize: 1, kind: "uint" },
  uint16: { dataType: DataType.DT_UINT16, itemSize: 2, kind: "uint" },
  uint32: { dataType: DataType.DT_UINT32, itemSize: 4, kind: "uint" },
  uint64: { dataType: DataType.DT_UINT64, itemSize: 8, kind: "long" },
  bool: { dataType: DataType.DT_BOOL, itemSize: 1, kind: "bool" },
  string: { dataType: DataType.DT_STRING, itemSize: 0, kind: "string" },
  complex64: { dataType: DataType.DT_COMPLEX64, itemSize: 8, kind: "complex" },
  complex128: { dataType: DataType.DT_COMPLEX128, itemSize: 16, kind: "complex" },
  resource: { dataType: DataType.DT_RESOURCE, itemSize: 0, kind: "opaque" },
  variant: { dataType: DataType.DT_VARIANT, itemSize: 0, kind: "opaque" },
  qint8: { dataType: DataType.DT_QINT8, itemSize: 1, kind: "int" },
  quint8: { dataType: DataType.DT_QUINT8, itemSize: 1, kind: "uint" },
  qint16: { dataType: DataType.DT_QINT16, itemSize: 2, kind: "int" },
  quint16: { dataType: DataType.DT_QUINT16, itemSize: 2, kind: "uint" },
  qint32: { dataType: DataType.DT_QINT32, itemSize: 4, kind: "int" },
  float8_e5m2: { dataType: DataType.DT_FLOAT8_E5M2, itemSize: 1, kind: "bits" },
  float8_e4m3fn: { dataType: DataType.DT_FLOAT8_E4M3FN, itemSize: 1, kind: "bits" },
  float8_e4m3fnuz: { dataType: DataType.DT_FLOAT8_E4M3FNUZ, itemSize: 1, kind: "bits" },
  float8_e4m3b11fnuz: { dataType: DataType.DT_FLOAT8_E4M3B11FNUZ, itemSize: 1, kind: "bits" },
  float8_e5m2fnuz: { dataType: DataType.DT_FLOAT8_E5M2FNUZ, itemSize: 1, kind: "bits" },
  float4_e2m1fn: { dataType: DataType.DT_FLOAT4_E2M1FN, itemSize: 1, kind: "bits" },
  int4: { dataType: DataType.DT_INT4, itemSize: 1, kind: "int" },
  uint4: { dataType: DataType.DT_UINT4, itemSize: 1, kind: "uint" },
  int2: { dataType: DataType.DT_INT2, itemSize: 1, kind: "int" },
  uint2: { dataType: DataType.DT_UINT2, itemSize: 1, kind: "uint" },
} as const satisfies Record<string, DTypeTraits>;

/** A base dtype by its TensorFlow name. */
export type DType = keyof typeof traits;

/** Every dtype, in display order. */
export const dtypes = Object.keys(traits) as readonly DType[];

const byDataType = new Map<DataType, DType>(dtypes.map((dtype) => [traits[dtype].dataType, dtype]));

/** Reference types are numbered 100 above their base type (types.proto). */
const referenceOffset = 100;

export function isDType(name: string): name is DType {
  return Object.hasOwn(traits, name);
}

/** The number of a dtype on the wire. */
export function dataTypeOf(dtype: DType): DataType {
  return traits[dtype].dataType;
}

/** True for a reference type such as DT_FLOAT_REF, the output of an old-style variable. */
export function isReference(dataType: DataType): boolean {
  return dataType > referenceOffset;
}

/** The base of a reference type; any other type unchanged. */
export function baseDataType(dataType: DataType): DataType {
  return isReference(dataType) ? ((dataType - referenceOffset) as DataType) : dataType;
}

/**
 * The dtype of a number from the wire; for reference types, the base type.
 * @throws TensorFlowError INVALID_ARGUMENT if the number is not a known dtype.
 */
export function dtypeOf(dataType: DataType): DType {
  const dtype = byDataType.get(baseDataType(dataType));
  if (dtype === undefined) {
    throw invalidArgument(`${dataTypeText(dataType)} is not a dtype that tensors can have.`);
  }
  return dtype;
}

function dataTypeText(dataType: DataType): string {
  return dataType === DataType.DT_INVALID ? "DT_INVALID (no dtype was given)" : `Data type ${dataType}`;
}

/** The name as Python shows it: "float32", "float32_ref"; "invalid" or "dtype(<number>)" if unknown. */
export function dtypeName(dataType: DataType): string {
  const base = byDataType.get(baseDataType(dataType));
  if (base === undefined) {
    return dataType === DataType.DT_INVALID ? "invalid" : `dtype(${dataType})`;
  }
  return isReference(dataType) ? `${base}_ref` : base;
}

/** A lookup in a Map takes a fifth of the time of one in a large object, and each new tensor needs two. */
const itemSizes = new Map(dtypes.map((dtype) => [dtype, traits[dtype].itemSize]));

/** Bytes of one element; 0 for string, resource and variant, whose elements differ in size. */
export function itemSize(dtype: DType): number {
  return itemSizes.get(dtype) ?? 0;
}

export function dtypeKind(dtype: DType): DTypeKind {
  return traits[dtype].kind;
}

const integerBits = new Map<DType, number>([
  ["int2", 2],
  ["uint2", 2],
  ["int4", 4],
  ["uint4", 4],
]);

/** Smallest and largest value of an integer dtype, bool excluded; undefined for every other dtype. */
export function integerRange(dtype: DType): { readonly min: bigint; readonly max: bigint } | undefined {
  const kind = dtypeKind(dtype);
  if (kind !== "int" && kind !== "uint" && kind !== "long") {
    return undefined;
  }
  const bits = BigInt(integerBits.get(dtype) ?? itemSize(dtype) * 8);
  const unsigned = kind === "uint" || dtype === "uint64";
  return unsigned
    ? { min: 0n, max: (1n << bits) - 1n }
    : { min: -(1n << (bits - 1n)), max: (1n << (bits - 1n)) - 1n };
}
