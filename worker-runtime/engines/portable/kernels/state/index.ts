import type { KernelDefinition } from "../kernel.js";
import { accumulatorKernels } from "./accumulators/index.js";
import { barrierKernels } from "./barriers.js";
import { gatherKernels } from "./gather.js";
import { mutexKernels } from "./mutexes.js";
import { optionalKernels } from "./optionals.js";
import { queueKernels } from "./queues/index.js";
import { referenceVariableKernels } from "./reference-variables.js";
import { resourceVariableKernels } from "./resource-variables.js";
import { scatterKernels } from "./scatter.js";
import { sliceAssignKernels } from "./slice-assign.js";
import { stackKernels } from "./stacks.js";
import { stagingKernels } from "./staging/index.js";
import { tableKernels } from "./tables/index.js";
import { tensorArrayKernels } from "./tensor-arrays/index.js";
import { tensorListKernels } from "./tensor-lists/index.js";
import { trainingKernels } from "./training/index.js";

export { decodeVariant } from "./tensor-lists/index.js";

/** The kernels of everything that outlives a node: variables and their updates, queues, tables, lists and so on. */
export const stateKernels: readonly KernelDefinition[] = [
  ...referenceVariableKernels,
  ...resourceVariableKernels,
  ...scatterKernels,
  ...sliceAssignKernels,
  ...gatherKernels,
  ...trainingKernels,
  ...queueKernels,
  ...accumulatorKernels,
  ...barrierKernels,
  ...stackKernels,
  ...tensorArrayKernels,
  ...tensorListKernels,
  ...tableKernels,
  ...mutexKernels,
  ...optionalKernels,
  ...stagingKernels,
];
