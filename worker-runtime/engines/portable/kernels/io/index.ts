import type { KernelDefinition } from "../kernel.js";
import { checkpointKernels } from "./checkpoint-ops.js";
import { exampleKernels } from "./example-ops.js";
import { fileKernels } from "./file-ops.js";
import { readerKernels } from "./readers/index.js";
import { sequenceExampleKernel } from "./sequence-example-op.js";
import { shardedNameKernels } from "./sharded-names.js";

/** Files: checkpoints, plain files and readers of records. */
export const ioKernels: readonly KernelDefinition[] = [
  ...checkpointKernels,
  ...fileKernels,
  ...exampleKernels,
  sequenceExampleKernel,
  ...shardedNameKernels,
  ...readerKernels,
];
