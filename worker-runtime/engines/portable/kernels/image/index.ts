import type { KernelDefinition } from "../kernel.js";
import { colorKernels } from "./color-kernels.js";
import { combinedSuppressionKernel } from "./combined-suppression.js";
import { cropGradientKernels } from "./crop-gradients.js";
import { drawBoxKernels } from "./draw-boxes.js";
import { pngKernels } from "./png-kernels.js";
import { projectiveTransformKernels } from "./projective-transform.js";
import { resizeKernels } from "./resize-kernels.js";
import { scaleAndTranslateKernels } from "./scale-and-translate.js";
import { suppressionKernels } from "./suppression-kernels.js";

/** Images: colors, sizes, boxes. */
export const imageKernels: readonly KernelDefinition[] = [
  ...colorKernels,
  ...resizeKernels,
  ...scaleAndTranslateKernels,
  ...cropGradientKernels,
  ...projectiveTransformKernels,
  ...drawBoxKernels,
  ...suppressionKernels,
  combinedSuppressionKernel,
  ...pngKernels,
];
