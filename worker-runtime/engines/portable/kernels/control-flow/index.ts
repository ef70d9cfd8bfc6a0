import type { KernelDefinition } from "../kernel.js";
import { callKernels } from "./calls.js";
import { conditionalKernels } from "./conditionals.js";
import { loopKernels } from "./loops.js";
import { passThroughKernels } from "./pass-through.js";
import { sourceKernels } from "./sources.js";
import { transferKernels } from "./transfers.js";
import { toBoolKernel } from "./truth.js";

/** Ops that control which others run, pass values through, bring them into a graph or transfer them between devices. */
export const controlFlowKernels: readonly KernelDefinition[] = [
  ...conditionalKernels,
  ...loopKernels,
  ...passThroughKernels,
  ...sourceKernels,
  ...transferKernels,
  ...callKernels,
  toBoolKernel,
];
