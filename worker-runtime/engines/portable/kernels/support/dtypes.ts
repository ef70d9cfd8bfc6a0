import { type DType, dtypeKind, dtypes } from "../../../../protocol/dtype.js";

/**
 * Every dtype: for stateful kernels that move values without reading them, and for attributes checked by the kernel.
 */
export const anyType: readonly DType[] = dtypes;

/** Every dtype that a `Tensor` can hold: for pure kernels that move elements without reading them. */
export const tensorTypes: readonly DType[] = dtypes.filter((dtype) => dtypeKind(dtype) !== "opaque");

/** The types of kernels whose ops have no type attribute. */
export const noTypes = {} as const;

/** Floats that JavaScript computes with natively. */
export const floatTypes = ["float32", "float64"] as const satisfies readonly DType[];

/** Floats that are stored as raw bits and computed as float32: see `withSmallFloats`. */
const smallFloatTypes = ["float16", "bfloat16"] as const satisfies readonly DType[];

/** Every float that kernels compute with. */
export const allFloatTypes = [...floatTypes, ...smallFloatTypes] as const satisfies readonly DType[];

/** Integers of at most 32 bits: JS numbers. */
export const shortIntTypes = [
  "int8",
  "int16",
  "int32",
  "uint8",
  "uint16",
  "uint32",
] as const satisfies readonly DType[];

/** Integers of 64 bits: bigints. */
export const longTypes = ["int64", "uint64"] as const satisfies readonly DType[];

const intTypes = [...shortIntTypes, ...longTypes] as const satisfies readonly DType[];

/** TensorFlow's "realnumbertype". */
export const realTypes = [...allFloatTypes, ...intTypes] as const satisfies readonly DType[];

export const complexTypes = ["complex64", "complex128"] as const satisfies readonly DType[];

/** TensorFlow's "numbertype", quantized types excluded. */
export const numberTypes = [...realTypes, ...complexTypes] as const satisfies readonly DType[];

/** Everything that a `Tensor` can hold, resources and variants excluded. */
export const dataTypes = [...numberTypes, "bool", "string"] as const satisfies readonly DType[];

/** The dtypes of indices, axes and sizes. */
export const indexTypes = ["int32", "int64"] as const satisfies readonly DType[];

/** True if the elements are bigints. */
export function isLong(dtype: DType): boolean {
  return dtype === "int64" || dtype === "uint64";
}

export function isSmallFloat(dtype: DType): dtype is (typeof smallFloatTypes)[number] {
  return dtype === "float16" || dtype === "bfloat16";
}

/** The dtype's name in TensorFlow's C++ error messages: "float", "double", "int32". */
export function cppTypeName(dtype: DType): string {
  const names: Partial<Record<DType, string>> = { float32: "float", float64: "double", float16: "half" };
  return names[dtype] ?? dtype;
}
