import type { KernelDefinition } from "../kernel.js";
import { checkpointKernels } from "./checkpoint-ops.js";
import { exampleKernels } from "./example-ops.js";
import { fileKernels } from "./file-ops.js";
import { shardedNameKernels } from "./sharded-names.js";

/** Files: checkpoints and plain files. */
export const ioKernels: readonly KernelDefinition[] = [
  ...checkpointKernels,
  ...fileKernels,
  ...exampleKernels,
  ...shardedNameKernels,
];
