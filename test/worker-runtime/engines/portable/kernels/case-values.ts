import { type DType, dtypeKind, integerRange } from "../../../../../worker-runtime/protocol/dtype.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import type { TensorElement } from "../../../../../worker-runtime/protocol/tensor-values.js";

/** The dtypes of numbers that most kernels are tried with. */
export const numberDTypes = [
  "float32",
  "float64",
  "float16",
  "bfloat16",
  "int8",
  "int16",
  "int32",
  "int64",
  "uint8",
  "uint16",
  "uint32",
  "uint64",
] as const satisfies readonly DType[];

export const floatDTypes = ["float32", "float64", "float16", "bfloat16"] as const satisfies readonly DType[];

/** Values at the edges of a dtype: zeros, extremes, NaN, infinities. */
export function edgeValues(dtype: DType): TensorElement[] {
  const range = integerRange(dtype);
  if (range !== undefined) {
    const small = [0n, 1n, 2n, 3n, 7n, range.max, range.max - 1n, range.min, range.min + 1n];
    return range.min < 0n ? [...small, -1n, -2n, -7n] : small;
  }
  switch (dtypeKind(dtype)) {
    case "bool":
      return [false, true];
    case "string":
      return ["", "a", "b", "äß"];
    case "complex":
      return [
        { re: 0, im: 0 },
        { re: 1.5, im: -2 },
        { re: -3, im: 0.5 },
        { re: 0, im: 1 },
      ];
    default:
      return [0, -0, 1, -1, 0.5, -0.5, 1.5, 2.5, -2.5, 3, -7.25, 100, 1e-3, Infinity, -Infinity, NaN];
  }
}

/** Every pair of edge values: two vectors of the same length. */
export function edgePairs(dtype: DType): [Tensor, Tensor] {
  const values = edgeValues(dtype);
  return [
    Tensor.of(
      values.flatMap((value) => values.map(() => value)),
      dtype,
    ),
    Tensor.of(
      values.flatMap(() => values),
      dtype,
    ),
  ];
}

/** A tensor of small harmless values 1, 2, 3, … (as far as the dtype goes), with signs where there are any. */
export function counting(dtype: DType, shape: readonly number[]): Tensor {
  const count = shape.reduce((product, size) => product * size, 1);
  return Tensor.of(
    Array.from({ length: count }, (_, i): TensorElement => element(dtype, i)),
    dtype,
    shape,
  );
}

function element(dtype: DType, i: number): TensorElement {
  const value = (i % 11) + 1;
  switch (dtypeKind(dtype)) {
    case "bool":
      return i % 3 !== 0;
    case "string":
      return `s${value}`;
    case "complex":
      return { re: value, im: -value / 2 };
    case "float":
    case "bits":
      return (i % 2 === 0 ? value : -value) / 2;
    case "uint":
      return value;
    default:
      return dtype === "uint64" || i % 2 === 0 ? value : -value;
  }
}
