import { invalidArgument } from "../../../../protocol/status.js";
import type { KernelNode } from "../kernel-node.js";

const { fround } = Math;

/** How pixels of a resized image map to the original, in TensorFlow's single precision. */
export interface Sampling {
  /** Whether the pixels in the corners of both images lie at the same positions. */
  readonly alignCorners: boolean;
  /** Whether the position of a pixel is its center instead of its corner. */
  readonly halfPixelCenters: boolean;
}

/** @throws TensorFlowError INVALID_ARGUMENT for both attributes at once, which contradict each other. */
export function samplingOf(node: KernelNode): Sampling {
  const sampling = {
    alignCorners: node.bool("align_corners"),
    halfPixelCenters: node.has("half_pixel_centers") && node.bool("half_pixel_centers"),
  };
  if (sampling.alignCorners && sampling.halfPixelCenters) {
    throw invalidArgument("If half_pixel_centers is True, align_corners must be False.");
  }
  return sampling;
}

/** How many pixels of the original correspond to one pixel of the resized image. */
export function resizeScale(original: number, resized: number, alignCorners: boolean): number {
  return alignCorners && resized > 1 ? fround((original - 1) / (resized - 1)) : fround(original / resized);
}

/** The position in the original of pixel `index` of the resized image. */
export function sourceOf(index: number, scale: number, { halfPixelCenters }: Sampling): number {
  return halfPixelCenters ? fround(fround(fround(index + 0.5) * scale) - 0.5) : fround(index * scale);
}
