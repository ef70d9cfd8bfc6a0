import { internalError, invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import type { KernelDefinition, OpContext } from "../kernel.js";
import type { KernelNode } from "../kernel-node.js";
import { allocate } from "../support/allocation.js";
import { indexTypes } from "../support/dtypes.js";
import { cppShapeText, productOf } from "../support/shapes.js";
import { tensorAt } from "../support/tensor-inputs.js";
import { updateElements } from "./element-updates.js";
import { variableInput } from "./resource-access.js";
import { placeText, rowIndices, sliceIndices } from "./row-access.js";
import { statefulKernel } from "./stateful-kernel.js";

/** Runs `use` on the variable's value, which nobody may keep: the next update can then go without a copy. */
function fromVariable(node: KernelNode, context: OpContext, use: (value: Tensor) => Tensor): Tensor {
  const result = variableInput(node, context, 0).peek(use);
  if (result === undefined) {
    throw internalError("Invalid variable reference.");
  }
  return result;
}

/** Copies slices of `source` that begin at `starts` one after the other. */
function copySlices(
  source: Tensor,
  shape: readonly number[],
  starts: Iterable<number>,
  length: number,
): Tensor {
  const target = allocate(source.dtype, shape);
  let at = 0;
  for (const from of starts) {
    updateElements("update", {
      dtype: source.dtype,
      target,
      at,
      source: source.data,
      from,
      length,
      step: 1,
    });
    at += length;
  }
  return new Tensor(source.dtype, shape, target);
}

function gather(params: Tensor, indices: Tensor, batchDims: number): Tensor {
  if (params.shape.length === 0) {
    throw invalidArgument("params must be at least 1 dimensional");
  }
  if (params.shape.length <= batchDims) {
    throw invalidArgument(
      `params must have at least ${batchDims} (batch_dims) dimensions but it has shape ${cppShapeText(params.shape)}`,
    );
  }
  for (let i = 0; i < batchDims; i += 1) {
    if (params.shape[i] !== indices.shape[i]) {
      throw invalidArgument(
        `params.shape[${i}]: ${params.shape[i]} should be equal to indices.shape[${i}]: ${indices.shape[i]}`,
      );
    }
  }
  const rows = params.shape[batchDims] ?? 0;
  const list = rowIndices(indices, rows);
  const length = productOf(params.shape, batchDims + 1);
  const batches = productOf(params.shape, 0, batchDims);
  const perBatch = list.length / batches;
  const starts = Array.from(list, (row, i) => (Math.floor(i / perBatch) * rows + row) * length);
  const shape = [
    ...params.shape.slice(0, batchDims),
    ...indices.shape.slice(batchDims),
    ...params.shape.slice(batchDims + 1),
  ];
  return copySlices(params, shape, starts, length);
}

function gatherNd(node: KernelNode, params: Tensor, indices: Tensor): Tensor {
  const { starts, length, batchShape, sliceShape } = sliceIndices(params.shape, indices, (row, index) => {
    throw invalidArgument(
      `${placeText(indices.shape.slice(0, -1), row)} = [${index.join(", ")}] does not index into param shape ` +
        `${cppShapeText(params.shape)}, node name: ${node.name}`,
    );
  });
  return copySlices(params, [...batchShape, ...sliceShape], starts, length);
}

const types = { Tindices: indexTypes };

/** Reads of single rows and slices, which leave the variable's array alone. */
export const gatherKernels: readonly KernelDefinition[] = [
  statefulKernel(
    "ResourceGather",
    (node) => {
      const batchDims = node.int("batch_dims");
      return (context) => [
        fromVariable(node, context, (value) => gather(value, tensorAt(context.inputs, 1), batchDims)),
      ];
    },
    { types },
  ),
  statefulKernel(
    "ResourceGatherNd",
    (node) => (context) => [
      fromVariable(node, context, (value) => gatherNd(node, value, tensorAt(context.inputs, 1))),
    ],
    { types },
  ),
];
