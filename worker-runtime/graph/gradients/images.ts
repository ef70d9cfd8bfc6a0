/** Gradients of ops of images, and of ops that imitate numbers of few bits. */
import type { GradientRule, GradientRules } from "./gradient.js";

const fakeQuantVars =
  (type: string): GradientRule =>
  (at) => {
    const inputs = [at.g, at.x, at.input(1), at.input(2)];
    return at.graph.op(type, inputs, at.attrs("num_bits", "narrow_range")).outputs;
  };

export const IMAGES: GradientRules = {
  ResizeBilinear: (at) => {
    const attrs = at.attrs("align_corners", "half_pixel_centers");
    return [at.call("ResizeBilinearGrad", [at.g, at.x], attrs), undefined];
  },
  ResizeBicubic: (at) => {
    const attrs = at.attrs("align_corners", "half_pixel_centers");
    return [at.call("ResizeBicubicGrad", [at.g, at.x], attrs), undefined];
  },
  ResizeNearestNeighbor: (at) => {
    const sizes = at.call("StridedSlice", [at.shapeOf(at.x), [1], [3], [1]]);
    const attrs = at.attrs("align_corners", "half_pixel_centers");
    return [at.call("ResizeNearestNeighborGrad", [at.g, sizes], attrs), undefined];
  },
  ScaleAndTranslate: (at) => {
    const attrs = at.attrs("kernel_type", "antialias");
    const inputs = [at.g, at.x, at.input(2), at.input(3)];
    return [at.call("ScaleAndTranslateGrad", inputs, attrs), undefined, undefined, undefined];
  },
  CropAndResize: (at) => {
    const [boxes, box] = [at.input(1), at.input(2)];
    const sizes = at.shapeOf(at.x);
    const image = at.call("CropAndResizeGradImage", [at.g, boxes, box, sizes], {
      ...at.attrs("method"),
      T: at.x.dtype,
    });
    const ofBoxes = () => at.call("CropAndResizeGradBoxes", [at.g, at.x, boxes, box]);
    return [at.wants(0) ? image : undefined, at.wants(1) ? ofBoxes() : undefined, undefined, undefined];
  },
  Dilation2D: (at) => {
    const attrs = at.attrs("strides", "rates", "padding");
    const inputs = [at.x, at.input(1), at.g];
    return [
      at.wants(0) ? at.call("Dilation2DBackpropInput", inputs, attrs) : undefined,
      at.wants(1) ? at.call("Dilation2DBackpropFilter", inputs, attrs) : undefined,
    ];
  },
  FakeQuantWithMinMaxArgs: (at) => {
    const attrs = at.attrs("min", "max", "num_bits", "narrow_range");
    return [at.call("FakeQuantWithMinMaxArgsGradient", [at.g, at.x], attrs)];
  },
  FakeQuantWithMinMaxVars: fakeQuantVars("FakeQuantWithMinMaxVarsGradient"),
  FakeQuantWithMinMaxVarsPerChannel: fakeQuantVars("FakeQuantWithMinMaxVarsPerChannelGradient"),
};
