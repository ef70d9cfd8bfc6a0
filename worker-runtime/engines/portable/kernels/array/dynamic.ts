import { invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import type { KernelDefinition } from "../kernel.js";
import { allocate } from "../support/allocation.js";
import { type Compute, pureKernel } from "../support/define.js";
import { dataTypes, tensorTypes } from "../support/dtypes.js";
import { indicesOf, inputAt } from "../support/elements.js";
import { cppShapeText, productOf, sameShape } from "../support/shapes.js";
import { copyElements, wordsOf } from "../support/strided-copy.js";

/** Writes the slices of several tensors to the given indices; the last slice for an index wins. */
const dynamicStitch: Compute = (inputs) => {
  const count = inputs.length / 2;
  const indices = inputs.slice(0, count);
  const parts = inputs.slice(count);
  const first = inputAt(parts, 0);
  const rest = first.shape.slice(inputAt(indices, 0).shape.length);
  let length = 0;
  for (const [i, part] of parts.entries()) {
    const indexes = inputAt(indices, i);
    const depth = indexes.shape.length;
    if (!sameShape(part.shape.slice(0, depth), indexes.shape)) {
      throw invalidArgument(
        `data[${i}].shape = ${cppShapeText(part.shape)} does not start with indices[${i}].shape = ${cppShapeText(indexes.shape)}`,
      );
    }
    if (!sameShape(part.shape.slice(depth), rest)) {
      throw invalidArgument(
        `Need data[0].shape[${inputAt(indices, 0).shape.length}:] = data[${i}].shape[${depth}:], got data[0].shape = ${cppShapeText(first.shape)}, data[${i}].shape = ${cppShapeText(part.shape)}, indices[0].shape = ${cppShapeText(inputAt(indices, 0).shape)}, indices[${i}].shape = ${cppShapeText(indexes.shape)}`,
      );
    }
    for (const index of indicesOf(indexes)) {
      if (index < 0) {
        throw invalidArgument(`indices[${i}] is out of range`);
      }
      length = Math.max(length, index + 1);
    }
  }
  const shape = [length, ...rest];
  const data = allocate(first.dtype, shape);
  const to = wordsOf(first.dtype, data);
  const inner = productOf(rest);
  for (const [i, part] of parts.entries()) {
    const from = wordsOf(part.dtype, part.data);
    for (const [row, index] of indicesOf(inputAt(indices, i)).entries()) {
      copyElements(to, index * inner, from, row * inner, inner);
    }
  }
  return [new Tensor(first.dtype, shape, data)];
};

/** Distributes slices among tensors by partition number, preserving their order. */
function dynamicPartition(input: Tensor, partitions: Tensor, count: number): Tensor[] {
  const depth = partitions.shape.length;
  if (!sameShape(input.shape.slice(0, depth), partitions.shape)) {
    throw invalidArgument(
      `data.shape must start with partitions.shape, got data.shape = ${cppShapeText(input.shape)}, partitions.shape = ${cppShapeText(partitions.shape)}`,
    );
  }
  const rows: number[][] = Array.from({ length: count }, () => []);
  for (const [i, partition] of indicesOf(partitions).entries()) {
    const list = rows[partition];
    if (list === undefined) {
      throw invalidArgument(`partitions[${i}] = ${partition} is not in [0, ${count})`);
    }
    list.push(i);
  }
  const inner = productOf(input.shape, depth);
  const from = wordsOf(input.dtype, input.data);
  return rows.map((list) => {
    const shape = [list.length, ...input.shape.slice(depth)];
    const data = allocate(input.dtype, shape);
    const to = wordsOf(input.dtype, data);
    for (const [i, row] of list.entries()) {
      copyElements(to, i * inner, from, row * inner, inner);
    }
    return new Tensor(input.dtype, shape, data);
  });
}

/** Estimates a lookup for each slice, and the copy of its elements. */
function slicesCost(indexes: readonly Tensor[], parts: readonly Tensor[]): number {
  return (
    150 * indexes.reduce((sum, { size }) => sum + size, 0) +
    5 * parts.reduce((sum, { data }) => sum + data.length, 0)
  );
}

const stitching = {
  types: { T: tensorTypes },
  cost: (_: unknown, inputs: readonly Tensor[]) =>
    slicesCost(inputs.slice(0, inputs.length / 2), inputs.slice(inputs.length / 2)),
};

/** Ops that partition slices into several tensors and stitch them together again. */
export const dynamicKernels: readonly KernelDefinition[] = [
  pureKernel("DynamicStitch", () => dynamicStitch, stitching),
  pureKernel("ParallelDynamicStitch", () => dynamicStitch, stitching),
  pureKernel(
    "DynamicPartition",
    (node) => {
      const count = node.int("num_partitions");
      return (inputs) => dynamicPartition(inputAt(inputs, 0), inputAt(inputs, 1), count);
    },
    { types: { T: dataTypes }, cost: (_, inputs) => slicesCost([inputAt(inputs, 1)], [inputAt(inputs, 0)]) },
  ),
];
