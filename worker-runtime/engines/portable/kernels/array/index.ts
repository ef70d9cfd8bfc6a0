import type { KernelDefinition } from "../kernel.js";
import { broadcastArgsKernels } from "./broadcast-args.js";
import { diagonalKernels } from "./diagonal.js";
import { dynamicKernels } from "./dynamic.js";
import { fillKernels } from "./fill.js";
import { gatherKernels } from "./gather.js";
import { joinKernels } from "./join.js";
import { oneHotKernels } from "./one-hot.js";
import { padKernels } from "./pad.js";
import { rearrangeKernels } from "./rearrange.js";
import { scatterKernels } from "./scatter.js";
import { searchAndSparseKernels } from "./search-and-sparse.js";
import { shapeKernels } from "./shape-ops.js";
import { sliceKernels } from "./slice.js";
import { spaceBatchKernels } from "./space-batch.js";
import { transposeKernels } from "./transpose.js";
import { uniqueKernels } from "./unique.js";
import { unravelIndexKernel } from "./unravel-index.js";

/** Shapes, slices, joins, gathers and scatters. */
export const arrayKernels: readonly KernelDefinition[] = [
  ...shapeKernels,
  ...fillKernels,
  ...broadcastArgsKernels,
  ...joinKernels,
  ...sliceKernels,
  ...transposeKernels,
  ...rearrangeKernels,
  ...padKernels,
  ...gatherKernels,
  ...scatterKernels,
  ...oneHotKernels,
  ...dynamicKernels,
  ...uniqueKernels,
  ...diagonalKernels,
  ...spaceBatchKernels,
  ...searchAndSparseKernels,
  unravelIndexKernel,
];
