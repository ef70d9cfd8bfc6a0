import type { KernelDefinition } from "../../kernel.js";
import { adamRules } from "./adam-rules.js";
import { adaptiveRules } from "./adaptive-rules.js";
import { descentRules } from "./descent-rules.js";
import { ftrlRules } from "./ftrl-rules.js";
import { updateKernel } from "./update-kernel.js";

/** The updates of optimizers, dense and sparse, for reference variables and resource variables. */
export const trainingKernels: readonly KernelDefinition[] = [
  ...descentRules,
  ...adamRules,
  ...adaptiveRules,
  ...ftrlRules,
].flatMap((rule) => rule.forms.map((form) => updateKernel(rule, form)));
