import { arrayKernels } from "./array/index.js";
import { collectiveKernels } from "./collective/index.js";
import { controlFlowKernels } from "./control-flow/index.js";
import { dataKernels } from "./data/index.js";
import { imageKernels } from "./image/index.js";
import { ioKernels } from "./io/index.js";
import { linalgKernels } from "./linalg/index.js";
import { loggingKernels } from "./logging/index.js";
import { mathKernels } from "./math/index.js";
import { nnKernels } from "./nn/index.js";
import { raggedKernels } from "./ragged/index.js";
import { randomKernels } from "./random/index.js";
import { type GpuSupport, KernelRegistry } from "./registry.js";
import { signalKernels } from "./signal/index.js";
import { sparseKernels } from "./sparse/index.js";
import { stateKernels } from "./state/index.js";
import { stringKernels } from "./string/index.js";

/** A registry of all kernels of this engine. @param gpu which nodes run on GPUs; none unless given. */
export function createKernelRegistry(gpu?: GpuSupport): KernelRegistry {
  return new KernelRegistry(gpu).add(
    ...controlFlowKernels,
    ...mathKernels,
    ...arrayKernels,
    ...linalgKernels,
    ...signalKernels,
    ...imageKernels,
    ...raggedKernels,
    ...nnKernels,
    ...sparseKernels,
    ...stateKernels,
    ...randomKernels,
    ...stringKernels,
    ...loggingKernels,
    ...ioKernels,
    ...dataKernels,
    ...collectiveKernels,
  );
}
