import { internalError, invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import { isByteList } from "../../../../protocol/tensor-data.js";
import type { PureKernelDefinition } from "../kernel.js";
import { allocate } from "../support/allocation.js";
import { perElement, pureKernel, withSmallFloats } from "../support/define.js";
import { realTypes } from "../support/dtypes.js";
import { inputAt, integersOf } from "../support/elements.js";

/** The element that would be at index n of each sorted row. */
function nthElements(input: Tensor, n: Tensor, reverse: boolean): Tensor {
  if (n.shape.length !== 0) {
    throw invalidArgument(`N must be scalar but has rank ${n.shape.length}`);
  }
  const index = integersOf(n)[0] ?? 0;
  if (index < 0) {
    throw invalidArgument(`n must be non-negative but is ${index}`);
  }
  const width = input.shape.at(-1);
  if (width === undefined) {
    throw invalidArgument(`Input must be at least rank 1 but is rank ${input.shape.length}`);
  }
  if (width <= index) {
    throw invalidArgument(`Input must have last dimension > n = ${index}`);
  }
  const shape = input.shape.slice(0, -1);
  const out = allocate(input.dtype, shape);
  const { data } = input;
  if (isByteList(data) || isByteList(out)) {
    throw internalError("Strings have no order here.");
  }
  for (let row = 0; row < out.length; row += 1) {
    const sorted = data.slice(row * width, (row + 1) * width).sort();
    out[row] = sorted[reverse ? width - 1 - index : index] ?? 0;
  }
  return new Tensor(input.dtype, shape, out);
}

export const nthElementKernel: PureKernelDefinition = pureKernel(
  "NthElement",
  (node) => {
    const reverse = node.bool("reverse");
    return withSmallFloats((inputs) => [nthElements(inputAt(inputs, 0), inputAt(inputs, 1), reverse)]);
  },
  { types: { T: realTypes }, cost: perElement(60) },
);
