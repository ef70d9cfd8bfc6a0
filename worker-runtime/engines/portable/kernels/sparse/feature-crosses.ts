/** Crosses of features: the SparseCross ops combine the rows of sparse and dense columns. */
import { invalidArgument, resourceExhausted } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import { indicesOf, integersOf, newLongs } from "../support/elements.js";
import { memoryBudget } from "../support/memory-budget.js";
import { cppShapeText } from "../support/shapes.js";

/** Features of rows: strings, or numbers of int64. */
export interface Column {
  readonly values: Tensor;
  /** Whether the column is a matrix, with one row of features per row. */
  readonly isDense: boolean;
  /** The indices of a row's features among the values. */
  featuresOf(row: number): Features;
}

interface Features {
  readonly start: number;
  readonly count: number;
}

/** Columns with the same number of rows. */
export interface Columns {
  readonly columns: readonly Column[];
  readonly rows: number;
  /** The rows that may have features in every column, in order. */
  readonly filledRows: Iterable<number>;
}

/** The three parts of a sparse column. */
export interface SparseParts {
  readonly indices: Tensor;
  readonly values: Tensor;
  readonly shape: Tensor;
}

const none: Features = { start: 0, count: 0 };

/** @throws TensorFlowError INVALID_ARGUMENT for parts that do not form a sparse matrix. */
function checkSparse({ indices, values, shape }: SparseParts, position: number): void {
  const at = `at position ${position}`;
  if (indices.shape.length !== 2) {
    throw invalidArgument(
      `Input indices should be a matrix but received shape ${cppShapeText(indices.shape)} ${at}`,
    );
  }
  if (indices.shape[1] !== 2) {
    throw invalidArgument(`Expected D2 of index to be 2 got ${indices.shape[1]} ${at}`);
  }
  if (values.shape.length !== 1) {
    throw invalidArgument(
      `Input values should be a vector but received shape ${cppShapeText(values.shape)} ${at}`,
    );
  }
  if (indices.shape[0] !== values.size) {
    throw invalidArgument(`Expected size of values to be ${indices.shape[0]} got ${values.size} ${at}`);
  }
  if (shape.shape.length !== 1 || shape.size !== 2) {
    throw invalidArgument(`shape should imply a 2D tensor, but got ${cppShapeText(shape.shape)} ${at}`);
  }
}

/**
 * The features of a sparse column by row. As in TensorFlow, everything after an index that is out of order or out of
 * range is ignored.
 */
function sparseRows(indices: Tensor, rows: number): Map<number, Features> {
  const indexes = indicesOf(indices);
  const byRow = new Map<number, Features>();
  let before = -1;
  for (let at = 0; at < indexes.length / 2; ) {
    const row = indexes[at * 2] ?? -1;
    if (row <= before || row >= rows) {
      break;
    }
    const start = at;
    while (at < indexes.length / 2 && indexes[at * 2] === row) {
      at += 1;
    }
    byRow.set(row, { start, count: at - start });
    before = row;
  }
  return byRow;
}

/**
 * The columns of an op's inputs.
 * @throws TensorFlowError INVALID_ARGUMENT for shapes that are not columns with the same number of rows.
 */
export function columnsOf(sparse: readonly SparseParts[], dense: readonly Tensor[]): Columns {
  for (const [position, parts] of sparse.entries()) {
    checkSparse(parts, position);
  }
  for (const [position, { shape }] of dense.entries()) {
    if (shape.length !== 2) {
      throw invalidArgument(
        `Dense inputs should be a matrix but received shape ${cppShapeText(shape)} at position ${position}`,
      );
    }
  }
  const sizes = [...sparse.map(({ shape }) => integersOf(shape)[0]), ...dense.map(({ shape }) => shape[0])];
  const [rows = 0] = sizes;
  const other = sizes.find((size) => size !== rows);
  if (other !== undefined || rows < 0) {
    throw invalidArgument(`Expected batch size ${rows} got ${other ?? rows}`);
  }
  const byRow = sparse.map(({ indices }) => sparseRows(indices, rows));
  const columns = [
    ...sparse.map(({ values }, i): Column => {
      const found = byRow[i];
      return { values, isDense: false, featuresOf: (row) => found?.get(row) ?? none };
    }),
    ...dense.map((values): Column => {
      const count = values.shape[1] ?? 0;
      return { values, isDense: true, featuresOf: (row) => ({ start: row * count, count }) };
    }),
  ];
  // A dense column may have any number of rows without a single feature.
  const denseRows = dense.every(({ size }) => size > 0) ? rows : 0;
  return {
    columns,
    rows,
    filledRows: byRow[0]?.keys() ?? Array.from({ length: denseRows }, (_, row) => row),
  };
}

/** Writes the values of crosses, first to last. */
export interface CrossWriter {
  /** Allocates this many crosses. @throws TensorFlowError RESOURCE_EXHAUSTED */
  begin(count: number): void;
  /** Adds the next cross. @param indexes of one feature per column, among the column's values. */
  add(indexes: readonly number[]): void;
  result(count: number): Tensor;
  /** The bytes of crosses beyond their elements, for a row's features in each column and this many crosses. */
  bytesOf?(features: readonly Features[], crosses: number): number;
}

/**
 * Crosses every feature of each column with every one of the others, row by row; the last column varies fastest.
 * @returns indices, values and shape of a sparse matrix.
 * @throws TensorFlowError RESOURCE_EXHAUSTED if the crosses do not fit into memory.
 */
export function crossed({ columns, rows, filledRows }: Columns, writer: CrossWriter): readonly Tensor[] {
  const found: { readonly row: number; readonly features: readonly Features[]; readonly crosses: number }[] =
    [];
  let count = 0;
  let most = 0;
  let bytes = 0;
  for (const row of filledRows) {
    const features = columns.map((column) => column.featuresOf(row));
    const crosses = features.reduce((product, feature) => product * feature.count, 1);
    if (crosses > 0) {
      found.push({ row, features, crosses });
      count += crosses;
      most = Math.max(most, crosses);
      bytes += writer.bytesOf?.(features, crosses) ?? 0;
    }
  }
  if (!memoryBudget.hasRoomFor(bytes)) {
    throw resourceExhausted(
      `OOM when making ${count} crosses of ${bytes} bytes${memoryBudget.refusal(bytes)}`,
    );
  }
  const indices = newLongs("int64", [count, 2]);
  writer.begin(count);
  let at = 0;
  for (const { row, features, crosses } of found) {
    const indexes = features.map(({ start }) => start);
    for (let cross = 0; cross < crosses; cross += 1) {
      indices[at * 2] = BigInt(row);
      indices[at * 2 + 1] = BigInt(cross);
      at += 1;
      writer.add(indexes);
      advance(indexes, features);
    }
  }
  const shape = BigInt64Array.of(BigInt(rows), BigInt(most));
  return [new Tensor("int64", [count, 2], indices), writer.result(count), new Tensor("int64", [2], shape)];
}

/** Advances to the next cross of a row; from the last one back to the first. */
function advance(indexes: number[], features: readonly Features[]): void {
  for (let column = indexes.length - 1; column >= 0; column -= 1) {
    const { start, count } = features[column] ?? none;
    const next = (indexes[column] ?? 0) + 1;
    if (next < start + count) {
      indexes[column] = next;
      return;
    }
    indexes[column] = start;
  }
}
