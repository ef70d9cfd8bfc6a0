import { internalError, invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import { alone } from "../../resources/variable.js";
import type { KernelDefinition, OpContext, Outputs } from "../kernel.js";
import type { KernelNode } from "../kernel-node.js";
import { allocate } from "../support/allocation.js";
import { anyType, indexTypes } from "../support/dtypes.js";
import { cppShapeText, productOf } from "../support/shapes.js";
import { tensorAt } from "../support/tensor-inputs.js";
import { inTurns } from "../support/turns.js";
import { updateElements } from "./element-updates.js";
import { variableInput } from "./resource-access.js";
import { indexText, rowIndices, sliceIndices } from "./row-access.js";
import { statefulKernel } from "./stateful-kernel.js";

/** Elements copied per turn (a few milliseconds), and the cost of locating a slice, in elements. */
const ELEMENTS_PER_TURN = 2 ** 19;
const ELEMENTS_PER_SLICE = 16;

/** Slices of a variable's value, to be concatenated. */
interface Slices {
  /** The shape of the result. */
  readonly shape: readonly number[];
  readonly count: number;
  /** The number of elements of each slice. */
  readonly length: number;
  /** The offset of a slice in the value, in elements. */
  startOf(index: number): number;
}

/**
 * Copies slices of a variable's value, many of them in several turns. Reads the variable's own array, which spares the
 * next update a copy; that update waits until all slices are read.
 */
function fromVariable(
  node: KernelNode,
  context: OpContext,
  slicesOf: (value: Tensor) => Slices,
): Outputs | Promise<Outputs> {
  const variable = variableInput(node, context, 0);
  const copy = (value: Tensor) => copySlices(value, slicesOf(value), context);
  return alone([variable], context.step, () => {
    const outputs = variable.peek(copy);
    if (outputs === undefined) {
      throw internalError("Invalid variable reference.");
    }
    return outputs;
  });
}

function copySlices(
  { dtype, data }: Tensor,
  { shape, count, length, startOf }: Slices,
  { step }: OpContext,
): Outputs | Promise<Outputs> {
  const perTurn = Math.max(1, Math.floor(ELEMENTS_PER_TURN / (length + ELEMENTS_PER_SLICE)));
  const target = allocate(dtype, shape);
  const run = (first: number, end: number) => {
    for (let i = first; i < end; i += 1) {
      const slice = { at: i * length, source: data, from: startOf(i), length, step: 1 } as const;
      updateElements("update", { dtype, target, ...slice });
    }
  };
  return inTurns(count, perTurn, run, count > perTurn ? step.signal : undefined, () => [
    new Tensor(dtype, shape, target),
  ]);
}

function rowSlices(params: Tensor, indices: Tensor, batchDims: number): Slices {
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
  const shape = [
    ...params.shape.slice(0, batchDims),
    ...indices.shape.slice(batchDims),
    ...params.shape.slice(batchDims + 1),
  ];
  const startOf = (i: number) => (Math.floor(i / perBatch) * rows + (list[i] ?? 0)) * length;
  return { shape, count: list.length, length, startOf };
}

function innerSlices(node: KernelNode, params: Tensor, indices: Tensor): Slices {
  const { starts, failure, length, batchShape, sliceShape } = sliceIndices(
    params.shape,
    indices,
    (row, index) =>
      invalidArgument(
        `${indexText(indices.shape.slice(0, -1), row)} = [${index.join(", ")}] does not index into param shape ` +
          `${cppShapeText(params.shape)}, node name: ${node.name}`,
      ),
  );
  if (failure !== undefined) {
    throw failure;
  }
  const startOf = (i: number) => starts[i] ?? 0;
  return { shape: [...batchShape, ...sliceShape], count: starts.length, length, startOf };
}

const options = {
  types: { Tindices: indexTypes, dtype: anyType },
  facts: { neverWaits: true, usesRows: true },
} as const;

/** Reads of single rows and slices, which do not share the variable's array. */
export const gatherKernels: readonly KernelDefinition[] = [
  statefulKernel(
    "ResourceGather",
    (node) => {
      const batchDims = node.int("batch_dims");
      return (context) =>
        fromVariable(node, context, (value) => rowSlices(value, tensorAt(context.inputs, 1), batchDims));
    },
    options,
  ),
  statefulKernel(
    "ResourceGatherNd",
    (node) => (context) =>
      fromVariable(node, context, (value) => innerSlices(node, value, tensorAt(context.inputs, 1))),
    options,
  ),
];
