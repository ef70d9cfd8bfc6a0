import type { DType } from "../../../../protocol/dtype.js";
import { invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import { entriesPerElement, type TensorData } from "../../../../protocol/tensor-data.js";
import type { KernelDefinition } from "../kernel.js";
import { type Accumulation, accumulator } from "../support/accumulate.js";
import { allocate, copyOfData } from "../support/allocation.js";
import { pureKernel, withSmallFloats } from "../support/define.js";
import { dataTypes, indexTypes, numberTypes, realTypes } from "../support/dtypes.js";
import { inputAt, integersOf } from "../support/elements.js";
import { cppShapeText, productOf, sameShape } from "../support/shapes.js";
import { sliceOffsets } from "./gather.js";

/**
 * Applies updates, in order, to the slices of `data` (elements of `shape`) that the rows of `indices` select.
 * @param data is changed; it belongs to a tensor under construction.
 * @throws TensorFlowError INVALID_ARGUMENT for shapes that do not fit and indices out of bounds, before any change.
 */
function scatterNdInto(
  kind: Accumulation,
  dtype: DType,
  data: TensorData,
  shape: readonly number[],
  given: Tensor,
  updates: Tensor,
): void {
  if (given.shape.length < 1) {
    throw invalidArgument(`Indices shape must have rank at least one. Found:${cppShapeText(given.shape)}`);
  }
  checkEmptyOutput(data, given, updates);
  // As in TensorFlow, a vector is a list of indices, not a single index vector.
  const indices = given.shape.length === 1 ? given.reshape([given.size, 1]) : given;
  const depth = indices.shape.at(-1) ?? 0;
  const outer = indices.shape.slice(0, -1);
  if (depth > shape.length) {
    throw invalidArgument(
      `The inner ${depth} dimensions of output.shape=${cppShapeText(shape)} must match the inner ${depth} dimensions of updates.shape=${cppShapeText(updates.shape)}`,
    );
  }
  if (!sameShape(updates.shape, [...outer, ...shape.slice(depth)])) {
    throw invalidArgument(
      `Must have updates.shape = indices.shape[:batch_dim] + params_shape[slice_dim:], got updates.shape: ${cppShapeText(updates.shape)}, indices.shape: ${cppShapeText(indices.shape)}, params_shape: ${cppShapeText(shape)}, slice_dim: ${depth}, and batch_dim: ${outer.length}`,
    );
  }
  const offsets = sliceOffsets(indices, depth, shape, (row, index) => {
    throw invalidArgument(
      `indices[${row}] = [${index.join(", ")}] does not index into shape ${cppShapeText(shape)}`,
    );
  });
  const apply = accumulator(kind, dtype, data, updates.data);
  const inner = productOf(shape, depth) * entriesPerElement(dtype);
  for (let row = 0; row < offsets.length; row += 1) {
    apply((offsets[row] as number) * inner, row * inner, inner);
  }
}

/** @throws TensorFlowError INVALID_ARGUMENT if only some of output, indices and updates are empty, as TensorFlow does. */
function checkEmptyOutput(data: TensorData, indices: Tensor, updates: Tensor): void {
  const areNone = indices.size === 0 && updates.size === 0;
  if (!areNone && (data.length === 0 || indices.size === 0 || updates.size === 0)) {
    throw invalidArgument(
      `Indices and updates specified for empty output. indices shape: ${cppShapeText(indices.shape)}`,
    );
  }
}

function scatterNd(indices: Tensor, updates: Tensor, shapeInput: Tensor): Tensor {
  const shape = integersOf(shapeInput);
  if (shapeInput.shape.length !== 1) {
    throw invalidArgument("Shape must be a vector");
  }
  const data = allocate(updates.dtype, shape);
  scatterNdInto("add", updates.dtype, data, shape, indices, updates);
  return new Tensor(updates.dtype, shape, data);
}

function tensorScatterKernel(op: string, kind: Accumulation, types: readonly DType[]): KernelDefinition {
  const compute = withSmallFloats((inputs) => {
    const tensor = inputAt(inputs, 0);
    if (tensor.shape.length < 1) {
      throw invalidArgument(`Output must be at least 1-D, got shape: ${cppShapeText(tensor.shape)}`);
    }
    const data = copyOfData(tensor);
    scatterNdInto(kind, tensor.dtype, data, tensor.shape, inputAt(inputs, 1), inputAt(inputs, 2));
    return [new Tensor(tensor.dtype, tensor.shape, data)];
  });
  return pureKernel(op, () => compute, { types: { T: types, Tindices: indexTypes } });
}

/** Ops that write slices at given indices. */
export const scatterKernels: readonly KernelDefinition[] = [
  pureKernel(
    "ScatterNd",
    () =>
      withSmallFloats((inputs) => [scatterNd(inputAt(inputs, 0), inputAt(inputs, 1), inputAt(inputs, 2))]),
    { types: { T: dataTypes, Tindices: indexTypes } },
  ),
  tensorScatterKernel("TensorScatterUpdate", "set", dataTypes),
  tensorScatterKernel("TensorScatterAdd", "add", numberTypes),
  tensorScatterKernel("TensorScatterSub", "sub", numberTypes),
  tensorScatterKernel("TensorScatterMax", "max", realTypes),
  tensorScatterKernel("TensorScatterMin", "min", realTypes),
];
