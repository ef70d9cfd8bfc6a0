import { dtypeKind } from "../../../worker-runtime/protocol/dtype.js";
import { type Grid, gridOf, type Selection } from "../../../worker-runtime/protocol/selection.js";
import { numberFromBits } from "../../../worker-runtime/protocol/small-float.js";
import type { Tensor } from "../../../worker-runtime/protocol/tensor.js";
import { isByteList } from "../../../worker-runtime/protocol/tensor-data.js";
import { problem } from "../../shared/problems.js";
import type { Progressing } from "./jobs.js";

/** Elements between two pauses: about a millisecond's work. */
const ELEMENTS_PER_PAUSE = 1 << 16;

/** The elements of a part of a tensor as numbers. */
export interface NumberGrid extends Grid {
  /** By the position in the tensor, in row-major order. */
  readonly numberAt: (index: number) => number;
}

/**
 * Lays a part of a tensor out as rows and columns of numbers: booleans are 0 and 1, complex elements their absolute
 * values, 64-bit integers the nearest numbers.
 *
 * @throws ProblemError INVALID_ARGUMENT for strings and handles; TensorFlowError INVALID_ARGUMENT if the selection does
 *   not fit the tensor.
 */
export function numberGrid(tensor: Tensor, selection: Selection, columnAxis?: number | null): NumberGrid {
  const grid = gridOf(tensor.shape, selection, columnAxis);
  return { ...grid, numberAt: numberReader(tensor) };
}

function numberReader({ dtype, data }: Tensor): (index: number) => number {
  if (isByteList(data)) {
    throw problem("INVALID_ARGUMENT", `The elements of a ${dtype} tensor are not numbers.`);
  }
  switch (dtypeKind(dtype)) {
    case "complex":
      return (index) => Math.hypot(Number(data[2 * index]), Number(data[2 * index + 1]));
    case "bits":
      return (index) => numberFromBits(dtype, Number(data[index]));
    case "long":
      return (index) => Number(data[index]);
    default: {
      const numbers = data as Float64Array;
      return (index) => numbers[index] ?? Number.NaN;
    }
  }
}

/** Calls back with every element, row by row, and yields the part of `share` that is done, beginning at `from`. */
export function* eachNumber(
  grid: NumberGrid,
  act: (value: number, row: number, column: number) => void,
  from = 0,
  share = 1,
): Progressing<void> {
  const { rows, columns, columnStride, numberAt } = grid;
  const count = rows * columns;
  let sincePause = 0;
  for (let row = 0; row < rows; row += 1) {
    const offset = grid.offsetOfRow(row);
    for (let column = 0; column < columns; column += 1) {
      act(numberAt(offset + column * columnStride), row, column);
      sincePause += 1;
      if (sincePause < ELEMENTS_PER_PAUSE) continue;
      sincePause = 0;
      yield from + (share * (row * columns + column)) / count;
    }
  }
}
