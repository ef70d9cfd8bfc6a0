import { invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import { isByteList } from "../../../../protocol/tensor-data.js";
import { allocate } from "../support/allocation.js";
import { productOf, stridesOf } from "../support/shapes.js";
import { inTurns } from "../support/turns.js";
import { updateElements } from "./element-updates.js";
import { checkedLength } from "./list-limits.js";

/** Tensors that are made, or whose elements are copied, in one turn, and elements of all: a few milliseconds. */
const TENSORS_PER_TURN = 8192;
const ELEMENTS_PER_TURN = 2 ** 20;

/** The slices of a tensor along its first dimension; views, not copies. @throws TensorFlowError RESOURCE_EXHAUSTED */
export function unstack(tensor: Tensor): readonly Tensor[] {
  const [count = 0, ...shape] = tensor.shape;
  return Array.from({ length: checkedLength(count) }, (_, i) => sliceAt(tensor, i, shape));
}

/** What `result` makes of the slices that `unstack` gives; many are made in turns. @throws TensorFlowError as `unstack`. */
export function unstackInTurns<T>(
  tensor: Tensor,
  signal: AbortSignal,
  result: (slices: Tensor[]) => T,
): T | Promise<T> {
  const [count = 0, ...shape] = tensor.shape;
  const slices: Tensor[] = [];
  const cut = (first: number, end: number) => {
    for (let i = first; i < end; i += 1) {
      slices.push(sliceAt(tensor, i, shape));
    }
  };
  return inTurns(checkedLength(count), TENSORS_PER_TURN, cut, signal, () => result(slices));
}

/** Slice `index` of a tensor along its first dimension, in a given shape of its size; a view. */
export function sliceAt(tensor: Tensor, index: number, shape: readonly number[]): Tensor {
  return runAt(tensor, index * productOf(shape), shape);
}

/** The elements from `start` on in the given shape; a view. */
export function runAt({ dtype, data }: Tensor, start: number, shape: readonly number[]): Tensor {
  const width = dtype === "complex64" || dtype === "complex128" ? 2 : 1;
  const from = start * width;
  const to = from + productOf(shape) * width;
  return new Tensor(dtype, shape, isByteList(data) ? data.slice(from, to) : data.subarray(from, to));
}

/** Tensors of one dtype, their elements one after the other, in a shape that has room for exactly these. */
export function joined(dtype: Tensor["dtype"], shape: readonly number[], tensors: readonly Tensor[]): Tensor {
  const target = allocate(dtype, shape);
  appender(dtype, target, tensors)(0, tensors.length);
  return new Tensor(dtype, shape, target);
}

/** What `result` makes of what `joined` gives; many tensors are joined in turns. They are of one size. */
export function joinedInTurns<T>(
  dtype: Tensor["dtype"],
  shape: readonly number[],
  tensors: readonly Tensor[],
  signal: AbortSignal,
  result: (tensor: Tensor) => T,
): T | Promise<T> {
  const target = allocate(dtype, shape);
  const size = Math.max(1, tensors[0]?.size ?? 1);
  const perTurn = Math.max(1, Math.min(TENSORS_PER_TURN, Math.floor(ELEMENTS_PER_TURN / size)));
  return inTurns(tensors.length, perTurn, appender(dtype, target, tensors), signal, () =>
    result(new Tensor(dtype, shape, target)),
  );
}

/** Puts the tensors from `first` up to, not including, `end` behind those before. To be called in order. */
function appender(dtype: Tensor["dtype"], target: Tensor["data"], tensors: readonly Tensor[]) {
  let at = 0;
  return (first: number, end: number): void => {
    for (let i = first; i < end; i += 1) {
      const { data, size } = tensors[i] as Tensor;
      updateElements("update", { dtype, target, at, source: data, from: 0, length: size, step: 1 });
      at += size;
    }
  };
}

/** Tensors of one shape along a new first dimension. */
export function stack(
  dtype: Tensor["dtype"],
  elementShape: readonly number[],
  tensors: readonly Tensor[],
): Tensor {
  return joined(dtype, [tensors.length, ...elementShape], tensors);
}

/**
 * Tensors of one rank along a new first dimension, smaller ones filled up with zeros (empty strings) at their ends.
 * @param elementShape sizes, -1 where the largest of the tensors decides.
 * @throws TensorFlowError INVALID_ARGUMENT for a tensor of another rank.
 */
export function stackPadded(
  dtype: Tensor["dtype"],
  elementShape: readonly number[],
  tensors: readonly Tensor[],
): Tensor {
  const slice = elementShape.map((size, i) =>
    size >= 0 ? size : tensors.reduce((most, { shape }) => Math.max(most, shape[i] ?? 0), 0),
  );
  const shape = [tensors.length, ...slice];
  const target = allocate(dtype, shape);
  const strides = stridesOf(slice);
  for (const [i, tensor] of tensors.entries()) {
    if (tensor.shape.length !== slice.length) {
      throw invalidArgument(
        `Mismatched ranks. Element's rank is: ${tensor.shape.length} but should be ${slice.length}`,
      );
    }
    copyRows(tensor, target, i * productOf(slice), strides);
  }
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
