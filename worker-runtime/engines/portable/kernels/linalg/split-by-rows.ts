import { Tensor } from "../../../../protocol/tensor.js";
import type { NumericArray } from "../../../../protocol/tensor-data.js";
import type { SplitWork } from "../kernel.js";
import { allocate } from "../support/allocation.js";

/** A part with fewer rows would be spent on copying the other operand. */
const MIN_ROWS = 64;

/**
 * Divides a product of two matrices by the rows of the left one: each part multiplies some of them with the whole of the
 * right one.
 * @param inputs the operands, the left one not transposed; whatever follows them goes to every part.
 * @param most of so many parts at most.
 * @returns undefined for what is not worth dividing, or is no matrix.
 */
export function splitByRows(inputs: readonly Tensor[], most: number): SplitWork | undefined {
  const [left, ...others] = inputs;
  const [rows = 0, columns = 0] = left?.shape ?? [];
  const count = Math.min(most, Math.floor(rows / MIN_ROWS));
  if (left === undefined || left.shape.length !== 2 || count < 2) {
    return undefined;
  }
  const parts = Array.from({ length: count }, (_, part) => {
    const from = Math.floor((rows * part) / count);
    const to = Math.floor((rows * (part + 1)) / count);
    return [rowsOf(left, from, to, columns), ...others];
  });
  return { parts, join: (outputs) => [stackRows(outputs.flatMap(([product]) => product ?? []))] };
}

/** Rows of a matrix, as a view. */
function rowsOf(matrix: Tensor, from: number, to: number, columns: number): Tensor {
  // Operands of a product are numbers, never lists of strings.
  const data = matrix.data as NumericArray;
  const entries = data.length / (matrix.shape[0] ?? 1);
  return new Tensor(matrix.dtype, [to - from, columns], data.subarray(from * entries, to * entries));
}

/** The matrices below each other; all have the same number of columns, and there is one at least. @throws TensorFlowError as `allocate` */
function stackRows(matrices: readonly Tensor[]): Tensor {
  const [first] = matrices;
  const dtype = first?.dtype ?? "float32";
  const columns = first?.shape[1] ?? 0;
  const rows = matrices.reduce((sum, { shape }) => sum + (shape[0] ?? 0), 0);
  // A product holds numbers; all of one dtype have the same kind of array.
  const stacked = allocate(dtype, [rows, columns]) as Float32Array;
  let position = 0;
  for (const { data } of matrices) {
    stacked.set(data as NumericArray as Float32Array, position);
    position += data.length;
  }
  return new Tensor(dtype, [rows, columns], stacked);
}
