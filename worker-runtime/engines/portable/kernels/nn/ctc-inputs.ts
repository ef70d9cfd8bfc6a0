import { invalidArgument, type TensorFlowError } from "../../../../protocol/status.js";
import type { Tensor } from "../../../../protocol/tensor.js";
import { integersOf } from "../support/elements.js";
import { cppShapeText } from "../support/shapes.js";

/** The inputs of the ops of connectionist temporal classification: a logit for each class at each time step. */
export interface CtcInputs {
  /** [times, batches, classes] */
  readonly inputs: Tensor;
  readonly times: number;
  readonly batches: number;
  readonly classes: number;
  /** The number of time steps of each sequence. */
  readonly lengths: readonly number[];
}

/** @param refuse creates the error for invalid lengths. @throws TensorFlowError INVALID_ARGUMENT and that one. */
export function ctcInputs(
  inputs: Tensor,
  sequenceLength: Tensor,
  refuse: (message: string) => TensorFlowError,
): CtcInputs {
  const [times = 0, batches = 0, classes = 0] = inputs.shape;
  if (inputs.shape.length !== 3) {
    throw invalidArgument(`inputs is not a 3-Tensor: ${cppShapeText(inputs.shape)}`);
  }
  if (sequenceLength.shape.length !== 1) {
    throw invalidArgument(`sequence_length is not a vector: ${cppShapeText(sequenceLength.shape)}`);
  }
  if (times === 0) {
    throw invalidArgument("max_time is 0");
  }
  const lengths = integersOf(sequenceLength);
  if (lengths.length !== batches) {
    throw refuse(
      `len(sequence_length) != batch_size.  len(sequence_length):  ${lengths.length} batch_size: ${batches}`,
    );
  }
  if (classes === 0) {
    throw invalidArgument("num_classes is 0");
  }
  const long = lengths.findIndex((length) => length > times);
  if (long >= 0) {
    throw refuse(`sequence_length(${long}) <= ${times}`);
  }
  return { inputs, times, batches, classes, lengths };
}

/** Labels by sequence from a sparse matrix. @throws TensorFlowError INVALID_ARGUMENT for a sequence without labels. */
export function labelSequences(indices: Tensor, values: Tensor, batches: number): number[][] {
  if (indices.shape.length !== 2 || values.shape.length !== 1 || indices.shape[0] !== values.size) {
    throw invalidArgument(
      `labels_indices must be a matrix with a row for each label: ${cppShapeText(indices.shape)} and ${cppShapeText(values.shape)}`,
    );
  }
  const columns = indices.shape[1] ?? 0;
  const indexes = integersOf(indices);
  const sequences = Array.from({ length: batches }, (): number[] => []);
  for (const [i, label] of integersOf(values).entries()) {
    const sequence = sequences[indexes[i * columns] ?? -1];
    if (sequence === undefined) {
      throw invalidArgument(
        `label SparseTensor is not valid: indices[${i}] = ${cppShapeText(indexes.slice(i * columns, (i + 1) * columns))} is out of bounds: need 0 <= index < ${batches}`,
      );
    }
    sequence.push(label);
  }
  const empty = sequences.findIndex((labels) => labels.length === 0);
  if (empty >= 0) {
    throw invalidArgument(`Labels length is zero in batch ${empty}`);
  }
  return sequences;
}
