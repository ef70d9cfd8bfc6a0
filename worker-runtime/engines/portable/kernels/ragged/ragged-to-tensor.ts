import { invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import type { PureKernelDefinition } from "../kernel.js";
import { allocate } from "../support/allocation.js";
import { pureKernel } from "../support/define.js";
import { inputAt, integersOf, newNumbers } from "../support/elements.js";
import { broadcastStrides, cppShapeText, productOf, stridesOf, tryBroadcast } from "../support/shapes.js";
import { copyElements, copyStrided, wordsOf } from "../support/strided-copy.js";

/** How a dimension is divided into rows: a row's number for each value, or where rows begin. */
interface Partition {
  readonly kind: "VALUE_ROWIDS" | "ROW_SPLITS";
  readonly values: readonly number[];
}

/** The number of rows, and how each further dimension is divided. */
interface Partitions {
  readonly first: number;
  readonly levels: readonly Partition[];
}

/** @throws TensorFlowError INVALID_ARGUMENT for partitions in an order that makes no sense. */
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

/** The most values that a row has. */
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

/**
 * Where the values of the next dimension go: a number of places further for each of them in its row; -1 for those that the
 * shape has no room for.
 * @param parents where their rows go.
 * @param step how far neighbours lie apart.
 * @throws TensorFlowError INVALID_ARGUMENT for rows that there are not.
 */
function childPlaces(
  { kind, values }: Partition,
  parents: ArrayLike<number>,
  step: number,
  size: number,
): number[] {
  const places: number[] = [];
  const add = (row: number, column: number) => {
    const parent = parents[row];
    if (parent === undefined) {
      throw invalidArgument(`Row ${row} does not exist: there are ${parents.length}`);
    }
    places.push(parent >= 0 && column < size ? parent + column * step : -1);
  };
  if (kind === "VALUE_ROWIDS") {
    let column = 0;
    for (const [i, row] of values.entries()) {
      const before = values[i - 1];
      if (before !== undefined && row < before) {
        throw invalidArgument("row ids must be sorted in ascending order");
      }
      column = row === before ? column + 1 : 0;
      add(row, column);
    }
    return places;
  }
  if (values.length !== parents.length + 1 && values.length !== 0) {
    throw invalidArgument(`There are splits of ${values.length - 1} rows, but ${parents.length} rows`);
  }
  if (values[0] !== undefined && values[0] !== 0) {
    throw invalidArgument(`row splits must begin with 0, not ${values[0]}`);
  }
  for (let row = 0; row + 1 < values.length; row += 1) {
    const [first, end] = [values[row] ?? 0, values[row + 1] ?? 0];
    if (end < first) {
      throw invalidArgument("row splits must be sorted in ascending order");
    }
    for (let i = first; i < end; i += 1) {
      add(row, i - first);
    }
  }
  return places;
}

/**
 * The sizes of the result.
 * @param asked the input shape: sizes, -1 for one that is as the values need it; a scalar -1 for all.
 * @throws TensorFlowError INVALID_ARGUMENT for one of another rank or other sizes of its values.
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

/** Fills the places of a result with the default, which is broadcast to the shape of one value. */
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
  const strides = stridesOf(shape);
  const size = shape[0] ?? 0;
  // A size is but a number: it may be larger than there is memory for.
  const rows = newNumbers("float64", [first]);
  for (let row = 0; row < first; row += 1) {
    rows[row] = row < size ? row * (strides[0] ?? 1) : -1;
  }
  let places: ArrayLike<number> = rows;
  for (const [i, level] of levels.entries()) {
    places = childPlaces(level, places, strides[i + 1] ?? 1, shape[i + 1] ?? 0);
  }
  if (places.length > (values.shape[0] ?? 0)) {
    throw invalidArgument(
      `The row partitions have ${places.length} values, but there are ${values.shape[0]}`,
    );
  }
  const count = productOf(inner);
  const [to, from] = [wordsOf(out.dtype, out.data), wordsOf(values.dtype, values.data)];
  for (let i = 0; i < places.length; i += 1) {
    const place = places[i] as number;
    if (place >= 0) {
      copyElements(to, place, from, i * count, count);
    }
  }
  return out;
}

/** A ragged tensor as a dense one: a default fills its rows up; what the shape has no room for or no row has is left out. */
export const raggedToTensorKernel: PureKernelDefinition = pureKernel("RaggedTensorToTensor", (node) => {
  const types = node.strings("row_partition_types");
  return (inputs) => [
    toTensor(
      inputAt(inputs, 0),
      inputAt(inputs, 1),
      inputAt(inputs, 2),
      partitionsOf(types, inputs.slice(3)),
    ),
  ];
});
