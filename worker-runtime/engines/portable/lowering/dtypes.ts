/** The dtypes for which ONNX Runtime's CPU provider has kernels; it rejects a whole model if one node has none. */
import type { DType } from "../../../protocol/dtype.js";

export const floats = ["float32", "float64"] as const satisfies readonly DType[];

/** Accepted by arithmetic and comparisons. */
export const numbers = [
  ...floats,
  "int8",
  "int16",
  "int32",
  "int64",
  "uint8",
  "uint16",
  "uint32",
  "uint64",
] as const satisfies readonly DType[];

export const integers = numbers.filter((dtype) => dtype !== "float32" && dtype !== "float64");

/** Accepted by operators that only move elements. */
export const moved = [...numbers, "bool"] as const satisfies readonly DType[];

/** Accepted by sums and products. */
export const summed = [...floats, "int32", "int64"] as const satisfies readonly DType[];

/** Accepted by maxima and minima along axes, and by TopK. */
export const ordered = [...summed, "int8", "uint8"] as const satisfies readonly DType[];

/** Accepted by elementwise Max and Min, and by Clip. */
export const limited = [...ordered, "uint32", "uint64"] as const satisfies readonly DType[];

/** Accepted by Where. */
export const chosen = [...summed, "uint8"] as const satisfies readonly DType[];

/** The dtypes of indices, axes and sizes. */
export const indices = ["int32", "int64"] as const satisfies readonly DType[];
