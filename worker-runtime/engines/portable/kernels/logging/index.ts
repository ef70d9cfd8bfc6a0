import type { KernelDefinition } from "../kernel.js";
import { checkNumericsKernels } from "./check-numerics.js";
import { debugKernels } from "./debug-ops.js";
import { eventKernels } from "./event-ops.js";
import { printKernels } from "./print-ops.js";
import { summaryKernels } from "./summary-ops.js";

/** Printing, assertions, summaries, event files and watched tensors. */
export const loggingKernels: readonly KernelDefinition[] = [
  ...printKernels,
  ...checkNumericsKernels,
  ...summaryKernels,
  ...eventKernels,
  ...debugKernels,
];
