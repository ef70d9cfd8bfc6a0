import { invalidArgument, type TensorFlowError } from "../../../../protocol/status.js";
import type { Tensor } from "../../../../protocol/tensor.js";
import { indicesOf } from "../support/elements.js";
import { cppShapeText, productOf, stridesOf } from "../support/shapes.js";
import { checkedLength } from "./list-limits.js";

/** The position of an element of an indices tensor, as in errors: "indices[0,1]", "indices" for a scalar. */
export function indexText(shape: readonly number[], index: number): string {
  if (shape.length === 0) {
    return "indices";
  }
  const strides = stridesOf(shape);
  const elementIndex = shape.map((size, i) => Math.floor(index / (strides[i] ?? 1)) % Math.max(size, 1));
  return `indices[${elementIndex.join(",")}]`;
}

/** Row indices as far as they are valid, and the error for the first that is not. */
interface CheckedRows {
  readonly list: ArrayLike<number>;
  /** INVALID_ARGUMENT "indices[0,1] = 5 is not in [0, 3)" */
  readonly failure?: TensorFlowError;
}

export function checkedRows(indices: Tensor, rows: number): CheckedRows {
  const list = indicesOf(indices);
  for (let i = 0; i < list.length; i += 1) {
    const row = list[i] as number;
    if (!(row >= 0 && row < rows)) {
      const failure = invalidArgument(`${indexText(indices.shape, i)} = ${row} is not in [0, ${rows})`);
      return { list: list.subarray(0, i), failure };
    }
  }
  return { list };
}

/** Row indices. @throws TensorFlowError INVALID_ARGUMENT, as in `CheckedRows`. */
export function rowIndices(indices: Tensor, rows: number): ArrayLike<number> {
  const { list, failure } = checkedRows(indices, rows);
  if (failure !== undefined) {
    throw failure;
  }
  return list;
}

/** The slices that the rows of an indices tensor select, as in GatherNd and ScatterNd. */
interface SliceIndices {
  /** For each row of indices, as far as they are valid: the offset of its slice, in elements. */
  readonly starts: readonly number[];
  /** The error for the first row that is not. */
  readonly failure: TensorFlowError | undefined;
  /** The number of elements of a slice. */
  readonly length: number;
  /** The dimensions left after indexing. */
  readonly sliceShape: readonly number[];
  /** The shape of indices without the last dimension, which holds the index. */
  readonly batchShape: readonly number[];
}

/**
 * @param refusal the op's own error for a row of indices outside the shape.
 * @throws TensorFlowError INVALID_ARGUMENT if an index has more components than the shape has dimensions.
 */
export function sliceIndices(
  shape: readonly number[],
  indices: Tensor,
  refusal: (row: number, index: readonly number[]) => TensorFlowError,
): SliceIndices {
  const depth = indices.shape.at(-1);
  if (depth === undefined) {
    throw invalidArgument("indices must be at least a vector");
  }
  if (depth > shape.length) {
    throw invalidArgument(
      `index innermost dimension length must be <= params rank; saw: ${depth} vs. ${shape.length}, ` +
        `indices.shape=${cppShapeText(indices.shape)}`,
    );
  }
  const batchShape = indices.shape.slice(0, -1);
  const strides = stridesOf(shape);
  const list = indicesOf(indices);
  const rows = checkedLength(productOf(batchShape));
  const starts: number[] = [];
  let failure: TensorFlowError | undefined;
  for (let row = 0; row < rows && failure === undefined; row += 1) {
    let start = 0;
    for (let i = 0; i < depth; i += 1) {
      const index = list[row * depth + i] as number;
      if (!(index >= 0 && index < (shape[i] ?? 0))) {
        failure = refusal(row, Array.from(list.subarray(row * depth, (row + 1) * depth)));
        break;
      }
      start += index * (strides[i] ?? 1);
    }
    if (failure === undefined) {
      starts.push(start);
    }
  }
  return { starts, failure, length: productOf(shape, depth), sliceShape: shape.slice(depth), batchShape };
}
