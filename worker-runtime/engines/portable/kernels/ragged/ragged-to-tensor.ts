import { invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import type { PureKernelDefinition } from "../kernel.js";
import { allocate } from "../support/allocation.js";
import { pureKernel } from "../support/define.js";
import { indexTypes, tensorTypes } from "../support/dtypes.js";
import { inputAt, integersOf, newNumbers } from "../support/elements.js";
import { broadcastStrides, cppShapeText, productOf, stridesOf, tryBroadcast } from "../support/shapes.js";
import { copyElements, copyStrided, wordsOf } from "../support/strided-copy.js";

/** How a dimension is divided into rows: by a row number for each value, or by the rows' start indices. */
interface Partition {
  readonly kind: "VALUE_ROWIDS" | "ROW_SPLITS";
  readonly values: readonly number[];
}

/** The number of rows, and how each further dimension is divided. */
interface Partitions {
  readonly first: number;
  readonly levels: readonly Partition[];
}

/** @throws TensorFlowError INVALID_ARGUMENT for partitions in an invalid order. */
function partitionsOf(types: readonly string[], inputs: readonly Tensor[]): Partitions {
  const levels = types.flatMap((kind, i): Partition[] => {
    if (kind === "FIRST_DIM_SIZE") {
      return [];
    }
    if (kind !== "VALUE_ROWIDS" && kind !== "ROW_SPLITS") {
      throw invalidArgument(`Unsupported row partition type ${kind}`);
    }
    const tensor = inputAt(inputs, i);
    if (tensor.shape.length !== 1) {
      throw invalidArgument(`A row partition must be a vector: ${cppShapeText(tensor.shape)}`);
    }
    return [{ kind, values: integersOf(tensor) }];
  });
  const [head] = inputs;
  if (types[0] === "FIRST_DIM_SIZE" && head !== undefined && head.size === 1) {
    return { first: integersOf(head)[0] ?? 0, levels };
  }
  if (types[0] !== "ROW_SPLITS" || levels[0] === undefined || levels[0].values.length === 0) {
    throw invalidArgument("The first row partition must be FIRST_DIM_SIZE or ROW_SPLITS");
  }
  return { first: levels[0].values.length - 1, levels };
}

/** The largest number of values in a row. */
function widestRow({ kind, values }: Partition): number {
  let widest = 0;
  let length = 0;
  for (const [i, value] of values.entries()) {
    if (kind === "ROW_SPLITS") {
      widest = Math.max(widest, i === 0 ? 0 : value - (values[i - 1] ?? 0));
    } else {
      length = i > 0 && value === values[i - 1] ? length + 1 : 1;
      widest = Math.max(widest, length);
    }
  }
  return widest;
}

/** The total number of values in the rows of a partition, as the partition declares it. */
function valueCount({ kind, values }: Partition): number {
  return kind === "VALUE_ROWIDS" ? values.length : (values.at(-1) ?? 0);
}

/** The output indexes of rows, the distance between the values of a row, and the maximum number of values. */
interface Rows {
  /** -1 for rows outside of the shape. */
  readonly indexes: ArrayLike<number>;
  readonly step: number;
  readonly size: number;
}

function indexOf({ indexes, step, size }: Rows, row: number, column: number): number {
  const index = indexes[row];
  if (index === undefined) {
    throw invalidArgument(`Got next_value_rowid=${row} which is not less than ${indexes.length}`);
  }
  return index >= 0 && column < size ? index + column * step : -1;
}

/**
 * The output indexes of values whose rows are given one by one.
 * @throws TensorFlowError INVALID_ARGUMENT for rows that do not exist or are not sorted.
 */
function indexesByRowIds(rowIds: readonly number[], rows: Rows): ArrayLike<number> {
  const indexes = newNumbers("float64", [rowIds.length]);
  let column = 0;
  for (const [i, row] of rowIds.entries()) {
    const before = rowIds[i - 1];
    if (before !== undefined && row < before) {
      throw invalidArgument("row ids must be sorted in ascending order");
    }
    column = row === before ? column + 1 : 0;
    indexes[i] = indexOf(rows, row, column);
  }
  return indexes;
}

/**
 * The output indexes of values whose rows are given by splits. Rows without splits have no values.
 * @throws TensorFlowError INVALID_ARGUMENT for more rows than there are, or if the number of their values differs from
 *   the last split; RESOURCE_EXHAUSTED if there is not enough memory for the values.
 */
function indexesBySplits(splits: readonly number[], rows: Rows): ArrayLike<number> {
  if (splits.length === 0 || splits.length - 1 > rows.indexes.length) {
    throw invalidArgument(
      `Row partition size is greater than output size: ${splits.length - 1} > ${rows.indexes.length}`,
    );
  }
  // Counted as in TensorFlow: a row that ends before it begins is empty.
  const lengths = splits.slice(1).map((end, row) => Math.max(0, end - (splits[row] ?? 0)));
  if (lengths.reduce((sum, length) => sum + length, 0) !== splits.at(-1)) {
    throw invalidArgument("Invalid row split size.");
  }
  // Splits are unchecked numbers: a few of them may declare more values than memory can hold.
  const indexes = newNumbers("float64", [splits.at(-1) ?? 0]);
  let next = 0;
  for (const [row, length] of lengths.entries()) {
    for (let column = 0; column < length; column += 1) {
      indexes[next] = indexOf(rows, row, column);
      next += 1;
    }
  }
  return indexes;
}

/**
 * The sizes of the result.
 * @param asked the input shape: sizes, with -1 for any size that the values need; a scalar -1 for all.
 * @throws TensorFlowError INVALID_ARGUMENT for another rank, or inner sizes that differ from the values'.
 */
function outputShape(asked: Tensor, needed: readonly number[], ragged: number): number[] {
  if (asked.shape.length === 0) {
    if (integersOf(asked)[0] !== -1) {
      throw invalidArgument("The only valid scalar shape tensor is the fully unknown shape specified as -1.");
    }
    return [...needed];
  }
  const sizes = integersOf(asked);
  if (sizes.length !== needed.length) {
    throw invalidArgument(`Shape has ${sizes.length} dimensions, but the values have ${needed.length}`);
  }
  return sizes.map((size, axis) => {
    const own = needed[axis] ?? 0;
    if (size < -1 || (axis >= ragged && size !== -1 && size !== own)) {
      throw invalidArgument(
        `Inconsistent shapes: ${cppShapeText(sizes)} asked for, values of ${cppShapeText(needed.slice(ragged))}`,
      );
    }
    return size === -1 ? own : size;
  });
}

/** Fills a result with the default, which is broadcast to the shape of one value. */
function filled(shape: readonly number[], inner: readonly number[], fill: Tensor): Tensor {
  const fits = tryBroadcast(fill.shape, inner);
  if (fits === undefined || fits.join() !== inner.join()) {
    throw invalidArgument(
      `default_value.shape=${cppShapeText(fill.shape)} and the values' shape ${cppShapeText(inner)} are incompatible`,
    );
  }
  const data = allocate(fill.dtype, shape);
  copyStrided(
    shape,
    wordsOf(fill.dtype, data),
    { offset: 0, strides: stridesOf(shape) },
    wordsOf(fill.dtype, fill.data),
    { offset: 0, strides: broadcastStrides(fill.shape, shape) },
  );
  return new Tensor(fill.dtype, shape, data);
}

function toTensor(asked: Tensor, values: Tensor, fill: Tensor, { first, levels }: Partitions): Tensor {
  if (values.shape.length === 0) {
    throw invalidArgument("values must have at least one dimension");
  }
  const inner = values.shape.slice(1);
  const ragged = levels.length + 1;
  const shape = outputShape(asked, [first, ...levels.map(widestRow), ...inner], ragged);
  const out = filled(shape, inner, fill);
  if (productOf(shape.slice(0, ragged)) === 0) {
    // Like TensorFlow, checks no row if the result is empty.
    return out;
  }
  const last = levels.at(-1);
  const given = last === undefined ? first : valueCount(last);
  if (given > (values.shape[0] ?? 0)) {
    throw invalidArgument(`The row partitions have ${given} values, but there are ${values.shape[0]}`);
  }
  const strides = stridesOf(shape);
  const size = shape[0] ?? 0;
  // The size is an unchecked number: it may be larger than memory.
  const rows = newNumbers("float64", [first]);
  for (let row = 0; row < first; row += 1) {
    rows[row] = row < size ? row * (strides[0] ?? 1) : -1;
  }
  let indexes: ArrayLike<number> = rows;
  for (const [i, level] of levels.entries()) {
    const parents = { indexes, step: strides[i + 1] ?? 1, size: shape[i + 1] ?? 0 };
    indexes =
      level.kind === "VALUE_ROWIDS"
        ? indexesByRowIds(level.values, parents)
        : indexesBySplits(level.values, parents);
  }
  const count = productOf(inner);
  const [to, from] = [wordsOf(out.dtype, out.data), wordsOf(values.dtype, values.data)];
  for (let i = 0; i < indexes.length; i += 1) {
    const index = indexes[i] as number;
    if (index >= 0) {
      copyElements(to, index, from, i * count, count);
    }
  }
  return out;
}

/** A number of a partition, a row of values, and an element of the result, which is filled first. */
const NANOS_PER_PARTITION = 60;
const NANOS_PER_VALUE = 40;
const NANOS_PER_RESULT = 4;
/** This many numbers take long enough; their widest row is not searched for. */
const MANY_PARTITIONS = 200_000;

function cost(types: readonly string[], inputs: readonly Tensor[]): number {
  const values = inputAt(inputs, 1);
  const numbers = inputs.slice(3).reduce((sum, { size }) => sum + size, 0);
  const inner = values.shape.slice(1);
  let result = 0;
  if (numbers <= MANY_PARTITIONS) {
    try {
      const { first, levels } = partitionsOf(types, inputs.slice(3));
      const needed = [first, ...levels.map(widestRow), ...inner];
      result = first + productOf(outputShape(inputAt(inputs, 0), needed, levels.length + 1));
    } catch {
      // The execution will report what is wrong with the inputs.
    }
  }
  return numbers * NANOS_PER_PARTITION + values.size * NANOS_PER_VALUE + result * NANOS_PER_RESULT;
}

/** Converts a ragged tensor to a dense one: a default pads the rows; values outside of the shape are dropped. */
export const raggedToTensorKernel: PureKernelDefinition = pureKernel(
  "RaggedTensorToTensor",
  (node) => {
    const types = node.strings("row_partition_types");
    return (inputs) => [
      toTensor(
        inputAt(inputs, 0),
        inputAt(inputs, 1),
        inputAt(inputs, 2),
        partitionsOf(types, inputs.slice(3)),
      ),
    ];
  },
  {
    types: { T: tensorTypes, Tindex: indexTypes, Tshape: indexTypes },
    cost: (node, inputs) => cost(node.strings("row_partition_types"), inputs),
  },
);
