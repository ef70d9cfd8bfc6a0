import { channelsLastOrder, type WindowDimension, type WindowGeometry } from "../kernels/nn/windows.js";
import type { OnnxValue } from "../onnx/model-builder.js";
import type { LoweringContext } from "./lowering.js";

/** The images' sizes in NHWC order, to which the model is then restricted; undefined if they are unknown. */
export function imageSizes(
  { shape }: Pick<LoweringContext, "shape">,
  images: OnnxValue,
  channelsFirst: boolean,
): readonly number[] | undefined {
  const sizes = shape(images);
  return sizes?.length === 4 ? channelsLastOrder(sizes, channelsFirst, "input") : undefined;
}

/** The padding in pixels, in ONNX's order: before each dimension, then after each. */
export function paddingsOf(dimensions: readonly WindowDimension[]): number[] {
  return [
    ...dimensions.map(({ padding }) => padding),
    ...dimensions.map((dimension) => Math.max(0, -pixelsLeft(dimension))),
  ];
}

/** The number of pixels after the last window; if negative, the pixels of the padding that it reaches. */
export function pixelsLeft({ input, window, stride, dilation, padding, output }: WindowDimension): number {
  return input + padding - ((output - 1) * stride + (window - 1) * dilation + 1);
}

export function dimensionsOf({ rows, columns }: WindowGeometry): readonly WindowDimension[] {
  return [rows, columns];
}
