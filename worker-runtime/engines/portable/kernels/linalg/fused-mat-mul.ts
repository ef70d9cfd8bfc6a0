import type { PureKernelDefinition } from "../kernel.js";
import { applyFusedSteps, fusedStepsOf } from "../nn/fused-steps.js";
import { pureKernel, withSmallFloats } from "../support/define.js";
import { inputAt } from "../support/elements.js";
import { matMul, matMulCost } from "./mat-mul.js";

/** The op into which TensorFlow's optimizer fuses MatMul, BiasAdd and an activation. */
export const fusedMatMulKernel: PureKernelDefinition = pureKernel(
  "_FusedMatMul",
  (node) => {
    const transpose = { a: node.bool("transpose_a"), b: node.bool("transpose_b") };
    const steps = fusedStepsOf(node);
    return withSmallFloats((inputs) => {
      const product = matMul(inputAt(inputs, 0), inputAt(inputs, 1), transpose);
      return [applyFusedSteps(product, inputs.slice(2), steps)];
    });
  },
  {
    types: { T: ["float32", "float16", "bfloat16"] },
    cost: (node, inputs) => matMulCost(inputs, { a: node.bool("transpose_a"), b: node.bool("transpose_b") }),
  },
);
