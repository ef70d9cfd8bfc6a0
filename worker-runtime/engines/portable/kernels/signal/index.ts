import type { KernelDefinition } from "../kernel.js";
import { fourierKernels } from "./fourier-kernels.js";

/** Signals: Fourier transforms. */
export const signalKernels: readonly KernelDefinition[] = [...fourierKernels];
