import { invalidArgument } from "../../../../protocol/status.js";
import type { Tensor } from "../../../../protocol/tensor.js";
import type { PureKernelDefinition } from "../kernel.js";
import { pureKernel } from "../support/define.js";
import { allFloatTypes, isSmallFloat } from "../support/dtypes.js";
import { inputAt, numbersOf } from "../support/elements.js";
import { toFloat32 } from "../support/small-floats.js";

interface Found {
  nan: boolean;
  positive: boolean;
  negative: boolean;
}

function abnormalIn(tensor: Tensor): Found {
  const found = { nan: false, positive: false, negative: false };
  const numbers = numbersOf(isSmallFloat(tensor.dtype) ? toFloat32(tensor) : tensor);
  for (let index = 0; index < numbers.length; index += 1) {
    const value = numbers[index] ?? 0;
    // The difference is 0 for all finite numbers, so one comparison suffices.
    if (value - value !== 0) {
      found.nan ||= Number.isNaN(value);
      found.positive ||= value === Infinity;
      found.negative ||= value === -Infinity;
    }
  }
  return found;
}

function kernel(op: string, describe: (found: Found) => readonly string[]): PureKernelDefinition {
  return pureKernel(
    op,
    (node) => {
      const message = node.string("message");
      return (inputs) => {
        const tensor = inputAt(inputs, 0);
        const kinds = describe(abnormalIn(tensor));
        if (kinds.length > 0) {
          const last = kinds.at(-1);
          const text = kinds.length === 1 ? last : `${kinds.slice(0, -1).join(", ")} and ${last}`;
          throw invalidArgument(`${message} : Tensor had ${text} values`);
        }
        return [tensor];
      };
    },
    { types: { T: allFloatTypes } },
  );
}

/** Kernels that fail if a tensor has values that are not finite. */
export const checkNumericsKernels: readonly PureKernelDefinition[] = [
  kernel("CheckNumerics", ({ nan, positive, negative }) => [
    ...(positive || negative ? ["Inf"] : []),
    ...(nan ? ["NaN"] : []),
  ]),
  kernel("CheckNumericsV2", ({ nan, positive, negative }) => [
    ...(negative ? ["-Inf"] : []),
    ...(positive ? ["+Inf"] : []),
    ...(nan ? ["NaN"] : []),
  ]),
];
