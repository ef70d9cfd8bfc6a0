import type { KernelDefinition } from "../kernel.js";
import { functionKernels } from "./functions.js";
import { iteratorKernels } from "./iterators.js";
import { sourceKernels } from "./sources.js";
import { transformationKernels } from "./transformations.js";

/** tf.data: datasets of tensors and files, what is made of them, and iterators over them. */
export const dataKernels: readonly KernelDefinition[] = [
  ...sourceKernels,
  ...transformationKernels,
  ...functionKernels,
  ...iteratorKernels,
];
