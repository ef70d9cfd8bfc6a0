import type { KernelDefinition } from "../kernel.js";
import { batchKernels } from "./batches.js";
import { cacheKernels } from "./caches.js";
import { csvDatasetKernels } from "./csv.js";
import { exampleDatasetKernels } from "./examples.js";
import { fileDatasetKernels } from "./files.js";
import { functionKernels } from "./functions.js";
import { groupKernels } from "./groups.js";
import { iteratorKernels } from "./iterators.js";
import { paddedBatchKernels } from "./padded-batches.js";
import { reductionKernels } from "./reductions.js";
import { shuffleKernels } from "./shuffles.js";
import { sourceKernels } from "./sources.js";
import { sparseBatchKernels } from "./sparse-batches.js";
import { transformationKernels } from "./transformations.js";
import { windowKernels } from "./windows.js";

/** tf.data: datasets of tensors and files, their transformations, and iterators. */
export const dataKernels: readonly KernelDefinition[] = [
  ...sourceKernels,
  ...fileDatasetKernels,
  ...csvDatasetKernels,
  ...exampleDatasetKernels,
  ...transformationKernels,
  ...shuffleKernels,
  ...batchKernels,
  ...paddedBatchKernels,
  ...sparseBatchKernels,
  ...windowKernels,
  ...groupKernels,
  ...functionKernels,
  ...cacheKernels,
  ...reductionKernels,
  ...iteratorKernels,
];
