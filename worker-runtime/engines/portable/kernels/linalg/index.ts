import type { KernelDefinition } from "../kernel.js";
import { bandedKernels } from "./banded-equations.js";
import { batchMatMulKernels } from "./batch-mat-mul.js";
import { complexMatrixKernels } from "./complex-kernels.js";
import { decompositionKernels } from "./decompositions.js";
import { einsumKernel } from "./einsum.js";
import { equationKernels } from "./equations.js";
import { fusedMatMulKernel } from "./fused-mat-mul.js";
import { leastSquaresKernel } from "./least-squares.js";
import { matMulKernel } from "./mat-mul.js";

/** Products of matrices, decompositions and equations. */
export const linalgKernels: readonly KernelDefinition[] = [
  matMulKernel,
  einsumKernel,
  fusedMatMulKernel,
  ...batchMatMulKernels,
  ...equationKernels,
  ...decompositionKernels,
  ...complexMatrixKernels,
  ...bandedKernels,
  leastSquaresKernel,
];
