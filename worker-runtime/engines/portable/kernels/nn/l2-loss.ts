import { Tensor } from "../../../../protocol/tensor.js";
import type { PureKernelDefinition } from "../kernel.js";
import { pureKernel, withSmallFloats } from "../support/define.js";
import { allFloatTypes } from "../support/dtypes.js";
import { inputAt, newNumbers, numbersOf } from "../support/elements.js";

/** Half the sum of the squares. */
export const l2LossKernel: PureKernelDefinition = pureKernel(
  "L2Loss",
  () =>
    withSmallFloats((inputs) => {
      const tensor = inputAt(inputs, 0);
      let sum = 0;
      for (const value of numbersOf(tensor)) {
        sum += value * value;
      }
      const out = newNumbers(tensor.dtype, []);
      out[0] = sum / 2;
      return [new Tensor(tensor.dtype, [], out)];
    }),
  { types: { T: allFloatTypes } },
);
