import { dataLoss, invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import type { OpContext, StatefulKernelDefinition } from "../kernel.js";
import type { KernelNode } from "../kernel-node.js";
import { partialText } from "../state/partial-shapes.js";
import { allocate } from "../support/allocation.js";
import { anyType } from "../support/dtypes.js";
import { integersOf } from "../support/elements.js";
import { cppShapeText, productOf, stridesOf } from "../support/shapes.js";
import { copyStrided, wordsOf } from "../support/strided-copy.js";
import { tensorAt } from "../support/tensor-inputs.js";
import { batched, batchSize, columnOf, dropsRemainder } from "./batches.js";
import { cardinality } from "./cardinality.js";
import { type Dataset, type Element, type Pull, transformation } from "./dataset.js";

/** The padding of one component: its value and the padded shape. */
interface Padding {
  /** -1 uses the largest size in the batch. */
  readonly shape: readonly number[];
  /** A scalar. */
  readonly value: Tensor;
}

/** Batches of elements of one rank, each padded to the largest or to a given size. */
function paddedBatch(input: Dataset, context: OpContext, node: KernelNode): () => Pull {
  const count = node.int("N");
  const paddings = Array.from({ length: count }, (_, i): Padding => {
    const value = tensorAt(context.inputs, 2 + count + i);
    if (value.shape.length !== 0) {
      throw invalidArgument("All padding values must be scalars");
    }
    return { shape: integersOf(tensorAt(context.inputs, 2 + i)), value };
  });
  const size = batchSize(context, 1, dropsRemainder(context, 2 + 2 * count));
  return batched(
    () => input.iterate(),
    size,
    (elements: readonly Element[]): Element =>
      paddings.map((padding, i) => {
        const column = columnOf(elements, i);
        const tensors = column.map((_, row) => tensorAt(column, row));
        return stackPadded(tensors, padding, i);
      }),
  );
}

/** Stacks tensors along a new first dimension, padding smaller ones at the end. */
function stackPadded(tensors: readonly Tensor[], { shape, value }: Padding, component: number): Tensor {
  for (const tensor of tensors) {
    checkFits(tensor, shape, component);
  }
  const slice = shape.map((size, axis) =>
    size >= 0 ? size : tensors.reduce((most, tensor) => Math.max(most, tensor.shape[axis] ?? 0), 0),
  );
  const { dtype } = value;
  const whole = [tensors.length, ...slice];
  const data = allocate(dtype, whole);
  const to = wordsOf(dtype, data);
  const strides = stridesOf(whole);
  const nowhere = { offset: 0, strides: whole.map(() => 0) };
  copyStrided(whole, to, { offset: 0, strides }, wordsOf(dtype, value.data), nowhere);
  for (const [i, tensor] of tensors.entries()) {
    const at = { offset: i * productOf(slice), strides: strides.slice(1) };
    const from = { offset: 0, strides: stridesOf(tensor.shape) };
    copyStrided(tensor.shape, to, at, wordsOf(dtype, tensor.data), from);
  }
  return new Tensor(dtype, whole, data);
}

/** @throws TensorFlowError INVALID_ARGUMENT for a different rank, DATA_LOSS for an element that is too large. */
function checkFits({ shape }: Tensor, padded: readonly number[], component: number): void {
  if (shape.length !== padded.length) {
    throw invalidArgument(
      "All elements in a batch must have the same rank as the padded shape for component" +
        `${component}: expected rank ${padded.length} but got element with rank ${shape.length}`,
    );
  }
  if (padded.some((size, axis) => size >= 0 && size < (shape[axis] ?? 0))) {
    throw dataLoss(
      `Attempted to pad to a smaller size than the input element: ${cppShapeText(shape)} to ${partialText(padded)}`,
    );
  }
}

/** Datasets of padded batches of elements of different shapes. */
export const paddedBatchKernels: readonly StatefulKernelDefinition[] = [
  transformation(
    "PaddedBatchDatasetV2",
    {
      types: { Toutput_types: anyType },
      cardinality: cardinality.batched(-1),
    },
    paddedBatch,
  ),
];
