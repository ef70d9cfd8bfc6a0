import { invalidArgument } from "../../../../protocol/status.js";
import type { Tensor } from "../../../../protocol/tensor.js";
import type { PureKernelDefinition } from "../kernel.js";
import { checkedSize } from "../support/allocation.js";
import { pureKernel } from "../support/define.js";
import { indexTypes } from "../support/dtypes.js";
import { inputAt, integersOf, integerTensor } from "../support/elements.js";
import { cppShapeText, productOf, stridesOf } from "../support/shapes.js";

function unravel(indices: Tensor, dims: Tensor): Tensor {
  if (indices.shape.length > 1) {
    throw invalidArgument(`The indices can only be scalar or vector, got "${cppShapeText(indices.shape)}"`);
  }
  if (dims.shape.length !== 1) {
    throw invalidArgument(`The indices can only be 1-D, got "${cppShapeText(dims.shape)}"`);
  }
  const sizes = integersOf(dims);
  const empty = sizes.indexOf(0);
  if (empty >= 0) {
    throw invalidArgument(
      `Input dims cannot contain a dim of zero, but dims contains zero at index ${empty}`,
    );
  }
  const indexes = integersOf(indices);
  const limit = productOf(sizes);
  if (indexes.some((index) => index >= limit)) {
    throw invalidArgument("index is out of bound as with dims");
  }
  const shape = [sizes.length, ...indices.shape];
  checkedSize(indices.dtype, shape);
  const strides = stridesOf(sizes);
  const coordinates = sizes.flatMap((size, axis) =>
    indexes.map((index) => {
      const row = Math.trunc(index / (strides[axis] ?? 1));
      // The first coordinate is the quotient, whatever the size of its dimension.
      return axis === 0 ? row : row % size;
    }),
  );
  return integerTensor(indices.dtype, shape, coordinates);
}

/** Converts indexes in a row-major array to coordinates: one row for each dimension. */
export const unravelIndexKernel: PureKernelDefinition = pureKernel(
  "UnravelIndex",
  () => (inputs) => [unravel(inputAt(inputs, 0), inputAt(inputs, 1))],
  {
    types: { Tidx: indexTypes },
    cost: (_, inputs) => 250 * inputAt(inputs, 0).size * (inputAt(inputs, 1).size + 1),
  },
);
