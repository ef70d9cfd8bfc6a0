import type { KernelDefinition } from "../kernel.js";
import { activationKernels } from "./activation-kernels.js";
import { argmaxPoolingKernels } from "./argmax-pooling.js";
import { batchNormKernels } from "./batch-norm.js";
import { biasKernels } from "./bias.js";
import { candidateSamplerKernels } from "./candidate-samplers.js";
import { complexBiasKernels } from "./complex-bias.js";
import { convolutionKernels } from "./convolution-kernels.js";
import { crossEntropyKernels } from "./cross-entropy.js";
import { ctcBeamSearchKernel } from "./ctc-beam-search.js";
import { ctcGreedyDecoderKernel } from "./ctc-decoder.js";
import { ctcLossKernel } from "./ctc-loss.js";
import { depthwiseConvolutionKernels } from "./depthwise-convolution.js";
import { dilationKernels } from "./dilation.js";
import { imagePatchesKernel } from "./image-patches.js";
import { l2LossKernel } from "./l2-loss.js";
import { localResponseKernels } from "./local-response.js";
import { poolingKernels } from "./pooling.js";
import { softmaxKernels } from "./softmax.js";
import { volumeConvolutionKernels } from "./volume-convolution-kernels.js";
import { volumePoolingKernels } from "./volume-pooling.js";

/** Activations, losses, biases, convolutions, pooling, normalization, and their gradients. */
export const nnKernels: readonly KernelDefinition[] = [
  ...activationKernels,
  ...batchNormKernels,
  ...biasKernels,
  ...complexBiasKernels,
  ...convolutionKernels,
  ...crossEntropyKernels,
  ...depthwiseConvolutionKernels,
  ...localResponseKernels,
  ...poolingKernels,
  ...volumeConvolutionKernels,
  ...volumePoolingKernels,
  ...softmaxKernels,
  l2LossKernel,
  ...dilationKernels,
  ctcLossKernel,
  ctcGreedyDecoderKernel,
  ctcBeamSearchKernel,
  imagePatchesKernel,
  ...candidateSamplerKernels,
  ...argmaxPoolingKernels,
];
