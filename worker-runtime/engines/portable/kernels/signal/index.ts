import type { KernelDefinition } from "../kernel.js";
import { fourierKernels } from "./fourier-kernels.js";
import { wavKernels } from "./wav-kernels.js";

/** Signals: Fourier transforms and sound files. */
export const signalKernels: readonly KernelDefinition[] = [...fourierKernels, ...wavKernels];
