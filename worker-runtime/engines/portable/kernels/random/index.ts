import type { KernelDefinition } from "../kernel.js";
import { binomialKernels } from "./binomial-ops.js";
import { multinomialKernels } from "./multinomial.js";
import { statefulRandomKernels } from "./random-ops.js";
import { rejectionKernels } from "./rejection-ops.js";
import { shuffleKernel } from "./shuffle.js";
import { statelessRandomKernels } from "./stateless-ops.js";
import { statelessRejectionKernels } from "./stateless-rejection-ops.js";
import { variableGeneratorKernels } from "./variable-generators.js";

/** Random numbers from TensorFlow's own stream. */
export const randomKernels: readonly KernelDefinition[] = [
  ...statefulRandomKernels,
  ...statelessRandomKernels,
  ...multinomialKernels,
  ...rejectionKernels,
  ...statelessRejectionKernels,
  ...binomialKernels,
  shuffleKernel,
  ...variableGeneratorKernels,
];
