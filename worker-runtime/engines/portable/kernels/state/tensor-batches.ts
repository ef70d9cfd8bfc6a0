import { invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import { isByteList } from "../../../../protocol/tensor-data.js";
import { eachOf, ITEMS_PER_PAUSE, type PausingWork, withoutPauses } from "../../pauses.js";
import { allocate } from "../support/allocation.js";
import { productOf, stridesOf } from "../support/shapes.js";
import { updateElements } from "./element-updates.js";
import { checkedLength } from "./list-limits.js";

/** Elements copied between two pauses: a few milliseconds. */
const ELEMENTS_PER_TURN = 2 ** 20;

/** The slices of a tensor along its first dimension; views, not copies. @throws TensorFlowError RESOURCE_EXHAUSTED */
export function unstack(tensor: Tensor): readonly Tensor[] {
  return withoutPauses(unstacking(tensor));
}

/** As `unstack`. */
export function* unstacking(tensor: Tensor): PausingWork<Tensor[]> {
  const [count = 0, ...shape] = tensor.shape;
  const slices: Tensor[] = [];
  for (let i = 0; i < checkedLength(count); i += 1) {
    slices.push(sliceAt(tensor, i, shape));
    if (slices.length % ITEMS_PER_PAUSE === 0) {
      yield;
    }
  }
  return slices;
}

/** Slice `index` of a tensor along its first dimension, as a view with a given shape of the same size. */
export function sliceAt(tensor: Tensor, index: number, shape: readonly number[]): Tensor {
  return runAt(tensor, index * productOf(shape), shape);
}

/** The elements starting at `start`, as a view with the given shape. */
export function runAt({ dtype, data }: Tensor, start: number, shape: readonly number[]): Tensor {
  const width = dtype === "complex64" || dtype === "complex128" ? 2 : 1;
  const from = start * width;
  const to = from + productOf(shape) * width;
  return new Tensor(dtype, shape, isByteList(data) ? data.slice(from, to) : data.subarray(from, to));
}

/** Concatenates the elements of tensors of one dtype into a shape of exactly their total size. */
export function joined(dtype: Tensor["dtype"], shape: readonly number[], tensors: readonly Tensor[]): Tensor {
  return withoutPauses(joining(dtype, shape, tensors));
}

/** As `joined`. */
export function* joining(
  dtype: Tensor["dtype"],
  shape: readonly number[],
  tensors: Iterable<Tensor>,
): PausingWork<Tensor> {
  const target = allocate(dtype, shape);
  let at = 0;
  let costs = 0;
  for (const { data, size } of tensors) {
    for (let from = 0; from < size; from += ELEMENTS_PER_TURN) {
      const length = Math.min(size - from, ELEMENTS_PER_TURN);
      updateElements("update", { dtype, target, at: at + from, source: data, from, length, step: 1 });
      costs += length / ELEMENTS_PER_TURN + 1 / ITEMS_PER_PAUSE;
      if (costs >= 1) {
        costs = 0;
        yield;
      }
    }
    at += size;
  }
  return new Tensor(dtype, shape, target);
}

/** Stacks tensors of one shape along a new first dimension. */
export function stack(
  dtype: Tensor["dtype"],
  elementShape: readonly number[],
  tensors: readonly Tensor[],
): Tensor {
  return joined(dtype, [tensors.length, ...elementShape], tensors);
}

/**
 * Stacks tensors of one rank along a new first dimension, padding smaller ones at the end with zeros (empty strings).
 * @param elementShape the padded shape; -1 uses the largest size among the tensors.
 * @throws TensorFlowError INVALID_ARGUMENT for a tensor of a different rank.
 */
export function stackPadded(
  dtype: Tensor["dtype"],
  elementShape: readonly number[],
  tensors: readonly Tensor[],
): Tensor {
  return withoutPauses(stackingPadded(dtype, elementShape, tensors));
}

/** As `stackPadded`. */
export function* stackingPadded(
  dtype: Tensor["dtype"],
  elementShape: readonly number[],
  tensors: readonly Tensor[],
): PausingWork<Tensor> {
  const slice = elementShape.map((size) => Math.max(size, 0));
  yield* eachOf(tensors, ({ shape }) => {
    for (const [i, size] of elementShape.entries()) {
      if (size < 0) {
        slice[i] = Math.max(slice[i] ?? 0, shape[i] ?? 0);
      }
    }
  });
  const shape = [tensors.length, ...slice];
  const target = allocate(dtype, shape);
  const strides = stridesOf(slice);
  const length = productOf(slice);
  yield* eachOf(tensors, (tensor, i) => {
    if (tensor.shape.length !== slice.length) {
      throw invalidArgument(
        `Mismatched ranks. Element's rank is: ${tensor.shape.length} but should be ${slice.length}`,
      );
    }
    copyRows(tensor, target, i * length, strides);
  });
  return new Tensor(dtype, shape, target);
}

/** Copies a tensor into a larger block, row by row. */
function copyRows(tensor: Tensor, target: Tensor["data"], start: number, strides: readonly number[]): void {
  const { dtype, shape, data, size } = tensor;
  const length = shape.at(-1) ?? 1;
  const rows = length === 0 ? 0 : size / length;
  const outer = shape.slice(0, -1);
  const ownStrides = stridesOf(outer);
  for (let row = 0; row < rows; row += 1) {
    const at = outer.reduce(
      (sum, dimension, i) => sum + (Math.floor(row / (ownStrides[i] ?? 1)) % dimension) * (strides[i] ?? 1),
      start,
    );
    updateElements("update", { dtype, target, at, source: data, from: row * length, length, step: 1 });
  }
}
