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
import { KernelRegistry } from "./registry.js";
import { signalKernels } from "./signal/index.js";
import { sparseKernels } from "./sparse/index.js";
import { stateKernels } from "./state/index.js";
import { stringKernels } from "./string/index.js";
import { tfjsKernels } from "./tfjs/converter-kernels.js";

/** All kernels that come with this engine. */
export function createKernelRegistry(): KernelRegistry {
  return new KernelRegistry().add(
    ...controlFlowKernels,
    ...mathKernels,
    ...arrayKernels,
    ...linalgKernels,
    ...signalKernels,
    ...imageKernels,
    ...raggedKernels,
    ...nnKernels,
    ...tfjsKernels,
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
