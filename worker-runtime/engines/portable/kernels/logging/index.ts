import type { KernelDefinition } from "../kernel.js";
import { checkNumericsKernels } from "./check-numerics.js";
import { eventKernels } from "./event-ops.js";
import { printKernels } from "./print-ops.js";
import { summaryKernels } from "./summary-ops.js";

/** Printing, assertions, summaries and event files. */
export const loggingKernels: readonly KernelDefinition[] = [
  ...printKernels,
  ...checkNumericsKernels,
  ...summaryKernels,
  ...eventKernels,
];
