import type { KernelDefinition } from "../kernel.js";
import { checkNumericsKernels } from "./check-numerics.js";
import { eventKernels } from "./event-ops.js";
import { printKernels } from "./print-ops.js";
import { summaryKernels } from "./summary-ops.js";

/** What graphs report: prints, assertions, summaries, files of events. */
export const loggingKernels: readonly KernelDefinition[] = [
  ...printKernels,
  ...checkNumericsKernels,
  ...summaryKernels,
  ...eventKernels,
];
