import type { KernelDefinition } from "../kernel.js";
import { colorKernels } from "./color-kernels.js";
import { combinedSuppressionKernel } from "./combined-suppression.js";
import { cropGradientKernels } from "./crop-gradients.js";
import { cropKernel } from "./crop-kernels.js";
import { distortedBoxKernels } from "./distorted-box-kernels.js";
import { drawBoxKernels } from "./draw-boxes.js";
import { fileKernels } from "./file-kernels.js";
import { nearestResizeKernels } from "./nearest-resize.js";
import { pngEncodingKernel } from "./png-kernels.js";
import { projectiveTransformKernels } from "./projective-transform.js";
import { resizeKernels } from "./resize-kernels.js";
import { scaleAndTranslateKernels } from "./scale-and-translate.js";
import { suppressionKernels } from "./suppression-kernels.js";

/** Images: colors, sizes, boxes. */
export const imageKernels: readonly KernelDefinition[] = [
  ...colorKernels,
  ...resizeKernels,
  ...nearestResizeKernels,
  ...scaleAndTranslateKernels,
  ...cropGradientKernels,
  cropKernel,
  ...projectiveTransformKernels,
  ...drawBoxKernels,
  ...distortedBoxKernels,
  ...suppressionKernels,
  combinedSuppressionKernel,
  ...fileKernels,
  pngEncodingKernel,
];
