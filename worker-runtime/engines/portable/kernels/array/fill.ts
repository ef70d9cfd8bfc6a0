import { type DType, itemSize } from "../../../../protocol/dtype.js";
import { invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import { isByteList, zeros } from "../../../../protocol/tensor-data.js";
import type { KernelDefinition } from "../kernel.js";
import { allocate, zeroTensor } from "../support/allocation.js";
import { pureKernel } from "../support/define.js";
import { dataTypes, indexTypes, tensorTypes } from "../support/dtypes.js";
import { inputAt, integersOf } from "../support/elements.js";
import { broadcastStrides, cppShapeText, productOf, tryBroadcast } from "../support/shapes.js";
import { gatherStrided } from "../support/view.js";

/**
 * The sizes in a vector.
 * @throws TensorFlowError INVALID_ARGUMENT for anything that is not a vector of sizes.
 */
function shapeFromTensor(tensor: Tensor, what: string): number[] {
  if (tensor.shape.length !== 1) {
    throw invalidArgument(
      `${what} must be a vector of {int32,int64}, got shape ${cppShapeText(tensor.shape)}`,
    );
  }
  const shape = integersOf(tensor);
  const negative = shape.find((size) => size < 0);
  if (negative !== undefined) {
    throw invalidArgument(`Dimension ${negative} must be >= 0`);
  }
  return shape;
}

/** A tensor filled with a scalar. */
function filled(shape: readonly number[], value: Tensor): Tensor {
  return gatherStrided(value, shape, { offset: 0, strides: shape.map(() => 0) });
}

/** A scalar of a dtype: the number 1, true, or an empty string. */
function one(dtype: Tensor["dtype"]): Tensor {
  const data = zeros(dtype, 1);
  return isByteList(data) ? new Tensor(dtype, [], data) : Tensor.of(1, dtype);
}

function broadcastTo(input: Tensor, shape: readonly number[]): Tensor {
  if (input.shape.length > shape.length) {
    throw invalidArgument(
      `Rank of input (${input.shape.length}) must be no greater than rank of output shape (${shape.length}).`,
    );
  }
  const fits = tryBroadcast(input.shape, shape);
  if (fits === undefined || fits.some((size, i) => size !== shape[i])) {
    throw invalidArgument(
      `Unable to broadcast tensor of shape ${cppShapeText(input.shape)} to tensor of shape ${cppShapeText(shape)}`,
    );
  }
  return productOf(input.shape) === productOf(shape)
    ? input.reshape(shape)
    : gatherStrided(input, shape, { offset: 0, strides: broadcastStrides(input.shape, shape) });
}

/** A string is a reference to shared bytes; for numbers, allocating the memory takes most of the time. */
function nanosPerElement(dtype: DType): number {
  return dtype === "string" ? 30 : 0.5 * itemSize(dtype) + 1;
}

/** Overhead per repeated short run. */
const NANOS_OF_WALK = 4;

/** Ops that make a tensor of repeated elements. */
export const fillKernels: readonly KernelDefinition[] = [
  pureKernel(
    "Fill",
    () => (inputs) => {
      const dims = inputAt(inputs, 0);
      const value = inputAt(inputs, 1);
      // Old graphs pass a single size as a scalar.
      const shape = shapeFromTensor(dims.shape.length === 0 ? dims.reshape([1]) : dims, "dims");
      if (value.shape.length !== 0 && !(value.shape.length === 1 && value.size === 1)) {
        throw invalidArgument(`value must represent a scalar, got shape ${cppShapeText(value.shape)}`);
      }
      return [filled(shape, value)];
    },
    {
      types: { T: dataTypes, index_type: indexTypes },
      cost: (_, inputs) =>
        productOf(integersOf(inputAt(inputs, 0))) * nanosPerElement(inputAt(inputs, 1).dtype),
    },
  ),
  pureKernel(
    "ZerosLike",
    () => (inputs) => [zeroTensor(inputAt(inputs, 0).dtype, inputAt(inputs, 0).shape)],
    {
      types: { T: dataTypes },
    },
  ),
  pureKernel(
    "OnesLike",
    () => (inputs) => [filled(inputAt(inputs, 0).shape, one(inputAt(inputs, 0).dtype))],
    { types: { T: dataTypes } },
  ),
  pureKernel(
    "Empty",
    (node) => (inputs) => {
      const shape = shapeFromTensor(inputAt(inputs, 0), "shape");
      return [new Tensor(node.type("dtype"), shape, allocate(node.type("dtype"), shape))];
    },
    {
      types: { dtype: dataTypes },
      cost: (node, inputs) => productOf(integersOf(inputAt(inputs, 0))) * nanosPerElement(node.type("dtype")),
    },
  ),
  pureKernel(
    "BroadcastTo",
    () => (inputs) => [broadcastTo(inputAt(inputs, 0), shapeFromTensor(inputAt(inputs, 1), "shape"))],
    {
      types: { T: tensorTypes, Tidx: indexTypes },
      cost: (_, inputs) =>
        productOf(integersOf(inputAt(inputs, 1))) *
        (nanosPerElement(inputAt(inputs, 0).dtype) + NANOS_OF_WALK),
    },
  ),
];
