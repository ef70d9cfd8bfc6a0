import { Tensor } from "../../../../protocol/tensor.js";
import type { PureKernelDefinition } from "../kernel.js";
import { pureKernel } from "../support/define.js";
import { dataTypes, isSmallFloat } from "../support/dtypes.js";
import { inputAt } from "../support/elements.js";

/** All bits of a 16-bit float except the sign. */
const MAGNITUDE = 0x7fff;

/**
 * The truth value of a tensor of any dtype in TensorFlow: a scalar is true if it is a number other than 0 (NaN is true)
 * or a string that is not empty, any other tensor if it has elements.
 */
export function isTrue({ data, dtype, shape, size }: Tensor): boolean {
  if (shape.length > 0) {
    return size > 0;
  }
  const element = data[0];
  if (element instanceof Uint8Array) {
    return element.length > 0;
  }
  return isSmallFloat(dtype) ? (Number(element) & MAGNITUDE) !== 0 : element !== 0 && element !== 0n;
}

/** The truth value of a condition that is not a boolean. */
export const toBoolKernel: PureKernelDefinition = pureKernel(
  "ToBool",
  () => (inputs) => [Tensor.of(isTrue(inputAt(inputs, 0)), "bool")],
  { types: { T: dataTypes.filter((dtype) => !dtype.startsWith("complex")) }, cost: () => 1_000 },
);
