import { invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import { zeros } from "../../../../protocol/tensor-data.js";
import type { KernelDefinition } from "../kernel.js";
import type { KernelNode } from "../kernel-node.js";
import { allocate, copyOfData } from "../support/allocation.js";
import { pureKernel } from "../support/define.js";
import { indexTypes, numberTypes } from "../support/dtypes.js";
import { inputAt, integersOf, scalarOf } from "../support/elements.js";
import { cppShapeText, productOf, sameShape } from "../support/shapes.js";
import { copyElements, wordsOf } from "../support/strided-copy.js";
import { gatherStrided } from "../support/view.js";
import { type Band, bandOf, mainDiagonal } from "./diagonal-band.js";

function filledWith(value: Tensor, shape: readonly number[]): Tensor {
  return gatherStrided(value, shape, { offset: 0, strides: shape.map(() => 0) });
}

function zeroOf({ dtype }: Tensor): Tensor {
  return new Tensor(dtype, [], zeros(dtype, 1));
}

function matrixDiag(
  diagonal: Tensor,
  band: Band,
  rowsGiven: number,
  columnsGiven: number,
  padding: Tensor,
): Tensor {
  const own = band.count > 1 ? 2 : 1;
  if (diagonal.shape.length < own) {
    throw invalidArgument(
      `diagonal must be at least ${own}-dim, received shape: ${cppShapeText(diagonal.shape)}`,
    );
  }
  const outer = diagonal.shape.slice(0, -own);
  const longest = diagonal.shape.at(-1) ?? 0;
  if (band.count > 1 && diagonal.shape.at(-2) !== band.count) {
    throw invalidArgument(
      "The number of diagonals provided in the input does not match the lower_diag_index and upper_diag_index range.",
    );
  }
  const leastRows = longest - Math.min(band.high, 0);
  const leastColumns = longest + Math.max(band.low, 0);
  const square = Math.max(leastRows, leastColumns);
  const neither = rowsGiven === -1 && columnsGiven === -1;
  const rows = neither ? square : rowsGiven === -1 ? leastRows : rowsGiven;
  const columns = neither ? square : columnsGiven === -1 ? leastColumns : columnsGiven;
  if (rows < leastRows) {
    throw invalidArgument("The number of rows is too small.");
  }
  if (columns < leastColumns) {
    throw invalidArgument("The number of columns is too small.");
  }
  if (rows !== leastRows && columns !== leastColumns) {
    throw invalidArgument(
      "The number of rows or columns is not consistent with the specified d_lower, d_upper, and diagonal.",
    );
  }
  const out = filledWith(padding, [...outer, rows, columns]);
  const [to, from] = [wordsOf(out.dtype, out.data), wordsOf(diagonal.dtype, diagonal.data)];
  for (let batch = 0; batch < productOf(outer); batch += 1) {
    band.forEach(rows, columns, (inMatrix, inBand) =>
      copyElements(to, batch * rows * columns + inMatrix, from, batch * band.count * longest + inBand, 1),
    );
  }
  return out;
}

function matrixSides(input: Tensor): readonly [outer: number[], rows: number, columns: number] {
  if (input.shape.length < 2) {
    throw invalidArgument(`input must be at least 2-dim, received shape: ${cppShapeText(input.shape)}`);
  }
  return [input.shape.slice(0, -2), input.shape.at(-2) ?? 0, input.shape.at(-1) ?? 0];
}

function matrixDiagPart(input: Tensor, band: Band, padding: Tensor): Tensor {
  const [outer, rows, columns] = matrixSides(input);
  band.checkWithin(rows, columns);
  const longest = band.longest(rows, columns);
  const out = filledWith(padding, [...outer, ...band.shape(longest)]);
  const [to, from] = [wordsOf(out.dtype, out.data), wordsOf(input.dtype, input.data)];
  for (let batch = 0; batch < productOf(outer); batch += 1) {
    band.forEach(rows, columns, (inMatrix, inBand) =>
      copyElements(to, batch * band.count * longest + inBand, from, batch * rows * columns + inMatrix, 1),
    );
  }
  return out;
}

function matrixSetDiag(input: Tensor, diagonal: Tensor, band: Band): Tensor {
  const [outer, rows, columns] = matrixSides(input);
  band.checkWithin(rows, columns);
  const longest = band.longest(rows, columns);
  const expected = [...outer, ...band.shape(longest)];
  if (!sameShape(diagonal.shape, expected)) {
    throw invalidArgument(
      `Either first dimensions of diagonal don't match input.shape[:-2], or diagonal.shape[:-1] is not equal to the longests diagonal in range [lower_diag_index:upper_diag_index]. Expected ${cppShapeText(expected)}.`,
    );
  }
  const data = copyOfData(input);
  const [to, from] = [wordsOf(input.dtype, data), wordsOf(input.dtype, diagonal.data)];
  for (let batch = 0; batch < productOf(outer); batch += 1) {
    band.forEach(rows, columns, (inMatrix, inBand) =>
      copyElements(to, batch * rows * columns + inMatrix, from, batch * band.count * longest + inBand, 1),
    );
  }
  return new Tensor(input.dtype, input.shape, data);
}

/** Sets elements outside of a band to 0; a negative number keeps all diagonals on that side. */
function matrixBandPart(input: Tensor, lowerInput: Tensor, upperInput: Tensor): Tensor {
  const [outer, rows, columns] = matrixSides(input);
  const lower = scalarOf(lowerInput, "num_lower");
  const upper = scalarOf(upperInput, "num_upper");
  if (lower > rows) {
    throw invalidArgument(
      `num_lower must be negative or less or equal to number of rows (${rows}) got: ${lower}`,
    );
  }
  if (upper > columns) {
    throw invalidArgument(
      `num_upper must be negative or less or equal to number of columns (${columns}) got: ${upper}`,
    );
  }
  if ((lower < 0 || lower === rows) && (upper < 0 || upper === columns)) {
    return input;
  }
  const data = allocate(input.dtype, input.shape);
  const [to, from] = [wordsOf(input.dtype, data), wordsOf(input.dtype, input.data)];
  for (let row = 0; row < productOf(outer) * rows; row += 1) {
    const i = row % rows;
    const start = lower < 0 ? 0 : Math.min(columns, Math.max(0, i - lower));
    const end = upper < 0 ? columns : Math.min(columns, i + upper + 1);
    copyElements(to, row * columns + start, from, row * columns + start, Math.max(0, end - start));
  }
  return new Tensor(input.dtype, input.shape, data);
}

/** A tensor with the input on its diagonal, and the input's shape twice. */
function diag(input: Tensor): Tensor {
  if (input.shape.length < 1) {
    throw invalidArgument("Input must be at least rank 1, got 0");
  }
  const matrix = matrixDiag(input.reshape([input.size]), mainDiagonal, -1, -1, zeroOf(input));
  return matrix.reshape([...input.shape, ...input.shape]);
}

function diagPart(input: Tensor): Tensor {
  const half = input.shape.length / 2;
  // A scalar is its own diagonal, whatever the message says.
  if (!Number.isInteger(half)) {
    throw invalidArgument(
      `The rank of the tensor should be even and positive, got shape ${cppShapeText(input.shape)}`,
    );
  }
  const shape = input.shape.slice(0, half);
  if (!sameShape(shape, input.shape.slice(half))) {
    throw invalidArgument(
      `Invalid shape ${cppShapeText(input.shape)}: dimensions ${half - 1} and ${2 * half - 1} do not match.`,
    );
  }
  const side = productOf(shape);
  return matrixDiagPart(input.reshape([side, side]), mainDiagonal, zeroOf(input)).reshape(shape);
}

/** V3 ops specify the alignment; V2 ops align to the left. */
function alignOf(node: KernelNode): string {
  return node.has("align") ? node.string("align") : "LEFT_LEFT";
}

const NANOSECONDS_PER_ELEMENT = 10;

/** One matrix per row of the input. */
function squaredCost(input: Tensor): number {
  return input.size * (input.shape.at(-1) ?? 1) * NANOSECONDS_PER_ELEMENT;
}

/** Rows and columns are at least what the diagonals need, or larger if the inputs specify so. */
function matrixDiagCost(inputs: readonly Tensor[]): number {
  const input = inputAt(inputs, 0);
  const [rows, columns] = [2, 3].map((i) => Math.max(integersOf(inputAt(inputs, i))[0] ?? 0, 1));
  const matrices = input.size / Math.max(input.shape.at(-1) ?? 1, 1);
  const given = matrices * (rows ?? 1) * (columns ?? 1) * NANOSECONDS_PER_ELEMENT;
  return Math.max(squaredCost(input), given);
}

const elementTypes = [...numberTypes, "bool"] as const;

/** Diagonals of matrices. */
export const diagonalKernels: readonly KernelDefinition[] = [
  pureKernel("Diag", () => (inputs) => [diag(inputAt(inputs, 0))], {
    types: { T: numberTypes },
    cost: (_, inputs) => 10 * inputAt(inputs, 0).size ** 2,
  }),
  pureKernel("DiagPart", () => (inputs) => [diagPart(inputAt(inputs, 0))], { types: { T: numberTypes } }),
  pureKernel(
    "MatrixDiag",
    () => (inputs) => [matrixDiag(inputAt(inputs, 0), mainDiagonal, -1, -1, zeroOf(inputAt(inputs, 0)))],
    { types: { T: elementTypes }, cost: (_, inputs) => squaredCost(inputAt(inputs, 0)) },
  ),
  pureKernel(
    "MatrixDiagPart",
    () => (inputs) => [matrixDiagPart(inputAt(inputs, 0), mainDiagonal, zeroOf(inputAt(inputs, 0)))],
    { types: { T: elementTypes } },
  ),
  pureKernel(
    "MatrixSetDiag",
    () => (inputs) => [matrixSetDiag(inputAt(inputs, 0), inputAt(inputs, 1), mainDiagonal)],
    { types: { T: elementTypes } },
  ),
  pureKernel(
    "MatrixBandPart",
    () => (inputs) => [matrixBandPart(inputAt(inputs, 0), inputAt(inputs, 1), inputAt(inputs, 2))],
    { types: { T: elementTypes, Tindex: indexTypes } },
  ),
  ...["V2", "V3"].flatMap((version) => [
    pureKernel(
      `MatrixDiag${version}`,
      (node) => {
        const align = alignOf(node);
        return (inputs) => [
          matrixDiag(
            inputAt(inputs, 0),
            bandOf(inputAt(inputs, 1), align),
            scalarOf(inputAt(inputs, 2), "num_rows"),
            scalarOf(inputAt(inputs, 3), "num_cols"),
            inputAt(inputs, 4),
          ),
        ];
      },
      { types: { T: elementTypes }, cost: (_, inputs) => matrixDiagCost(inputs) },
    ),
    pureKernel(
      `MatrixDiagPart${version}`,
      (node) => {
        const align = alignOf(node);
        return (inputs) => [
          matrixDiagPart(inputAt(inputs, 0), bandOf(inputAt(inputs, 1), align), inputAt(inputs, 2)),
        ];
      },
      { types: { T: elementTypes } },
    ),
    pureKernel(
      `MatrixSetDiag${version}`,
      (node) => {
        const align = alignOf(node);
        return (inputs) => [
          matrixSetDiag(inputAt(inputs, 0), inputAt(inputs, 1), bandOf(inputAt(inputs, 2), align)),
        ];
      },
      { types: { T: elementTypes } },
    ),
  ]),
];
