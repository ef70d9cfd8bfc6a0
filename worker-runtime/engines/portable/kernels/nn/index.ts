import type { KernelDefinition } from "../kernel.js";
import { activationKernels } from "./activation-kernels.js";
import { batchNormKernels } from "./batch-norm.js";
import { biasKernels } from "./bias.js";
import { convolutionKernels } from "./convolution-kernels.js";
import { crossEntropyKernels } from "./cross-entropy.js";
import { depthwiseConvolutionKernels } from "./depthwise-convolution.js";
import { l2LossKernel } from "./l2-loss.js";
import { poolingKernels } from "./pooling.js";
import { softmaxKernels } from "./softmax.js";

/** Activations, losses, biases, convolutions, pooling, normalization, and their gradients. */
export const nnKernels: readonly KernelDefinition[] = [
  ...activationKernels,
  ...batchNormKernels,
  ...biasKernels,
  ...convolutionKernels,
  ...crossEntropyKernels,
  ...depthwiseConvolutionKernels,
  ...poolingKernels,
  ...softmaxKernels,
  l2LossKernel,
];
