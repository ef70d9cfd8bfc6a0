import type { KernelDefinition } from "../kernel.js";
import { sparseArithmeticKernels } from "./arithmetic.js";
import { emptyRowKernels } from "./empty-rows.js";
import { rearrangeKernels } from "./rearrange.js";
import { setKernels } from "./sets.js";

/** Tensors that are given by those of their elements that are not zero. */
export const sparseKernels: readonly KernelDefinition[] = [
  ...sparseArithmeticKernels,
  ...rearrangeKernels,
  ...emptyRowKernels,
  ...setKernels,
];
