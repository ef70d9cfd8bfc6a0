import type { KernelDefinition } from "../kernel.js";
import { raggedGatherKernel } from "./ragged-gather.js";
import { raggedRangeKernel } from "./ragged-range.js";
import { raggedToSparseKernel } from "./ragged-to-sparse.js";
import { raggedToTensorKernel } from "./ragged-to-tensor.js";
import { raggedVariantKernels } from "./ragged-variant.js";

/** Ops on tensors whose rows differ in length. */
export const raggedKernels: readonly KernelDefinition[] = [
  raggedRangeKernel,
  raggedGatherKernel,
  raggedToTensorKernel,
  raggedToSparseKernel,
  ...raggedVariantKernels,
];
