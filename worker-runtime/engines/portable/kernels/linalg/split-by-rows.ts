import { Tensor } from "../../../../protocol/tensor.js";
import type { NumericArray } from "../../../../protocol/tensor-data.js";
import type { PausingWork } from "../../pauses.js";
import type { SplitWork } from "../kernel.js";
import { allocate } from "../support/allocation.js";

/** With fewer rows, a part would mostly copy the other operand. */
const MIN_ROWS = 64;

/** Elements copied between two pauses: about a millisecond's work, including the first access to the memory. */
const ELEMENTS_PER_PAUSE = 512 * 1024;

/**
 * Divides a product of two matrices by the rows of the left one: each part multiplies some of them with the whole right
 * one.
 * @param inputs the operands, the left one not transposed; all further inputs go to every part.
 * @param most the maximum number of parts.
 * @returns undefined if dividing is not worthwhile, or an operand is not a matrix.
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
  return {
    parts,
    *join(outputs) {
      return [yield* stackRows(outputs.flatMap(([product]) => product ?? []))];
    },
  };
}

/** Rows of a matrix, as a view. */
function rowsOf(matrix: Tensor, from: number, to: number, columns: number): Tensor {
  // Operands of a product are numeric, never lists of strings.
  const data = matrix.data as NumericArray;
  const entries = data.length / (matrix.shape[0] ?? 1);
  return new Tensor(matrix.dtype, [to - from, columns], data.subarray(from * entries, to * entries));
}

/** Stacks at least one matrix; all have the same number of columns. @throws TensorFlowError as `allocate` */
function* stackRows(matrices: readonly Tensor[]): PausingWork<Tensor> {
  const [first] = matrices;
  const dtype = first?.dtype ?? "float32";
  const columns = first?.shape[1] ?? 0;
  const rows = matrices.reduce((sum, { shape }) => sum + (shape[0] ?? 0), 0);
  // A product is numeric; all parts of one dtype have the same kind of array.
  const stacked = allocate(dtype, [rows, columns]) as Float32Array;
  let position = 0;
  for (const { data } of matrices) {
    for (let from = 0; from < data.length; from += ELEMENTS_PER_PAUSE) {
      const piece = (data as NumericArray as Float32Array).subarray(from, from + ELEMENTS_PER_PAUSE);
      stacked.set(piece, position);
      position += piece.length;
      yield;
    }
  }
  return new Tensor(dtype, [rows, columns], stacked);
}
