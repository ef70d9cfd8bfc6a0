import type { KernelDefinition } from "../kernel.js";
import { sparseArithmeticKernels } from "./arithmetic.js";
import { countKernels } from "./counts.js";
import { crossKernels } from "./cross-ops.js";
import { denseSumKernels } from "./dense-sums.js";
import { editDistanceKernel } from "./edit-distance.js";
import { emptyRowKernels } from "./empty-rows.js";
import { rearrangeKernels } from "./rearrange.js";
import { segmentGradientKernels } from "./segment-gradients.js";
import { serializedSparseKernels } from "./serialized.js";
import { setKernels } from "./sets.js";

/** Ops on sparse tensors, which store only their non-zero elements. */
export const sparseKernels: readonly KernelDefinition[] = [
  ...sparseArithmeticKernels,
  ...rearrangeKernels,
  ...emptyRowKernels,
  ...setKernels,
  ...serializedSparseKernels,
  editDistanceKernel,
  ...denseSumKernels,
  ...countKernels,
  ...segmentGradientKernels,
  ...crossKernels,
];
