/** Gradients of ops of images, and of ops that imitate numbers of few bits. */
import type { Output } from "../operation.js";
import type { GradientRule, GradientRules } from "./gradient.js";

const fakeQuantVars =
  (type: string): GradientRule =>
  (at) => {
    const inputs = [at.g, at.x, at.input(1), at.input(2)];
    return at.graph.op(type, inputs, at.attrs("num_bits", "narrow_range")).outputs;
  };

/**
 * Sums the gradients of all patches that each pixel is in: the patches of an image of the pixels' numbers say which, with 0
 * for what is added at the borders.
 */
const patches: GradientRule = (at) => {
  const { call, x } = at;
  const channels = x.shape?.[3] ?? -1;
  if (channels < 0) throw at.needs(`the number of channels of ${x.name}`);
  const sizes = at.op.attrs.get("ksizes")?.value;
  const perPatch =
    sizes?.$case === "list" ? sizes.value.i.reduce((product, one) => product * Number(one), 1) : 1;
  const size = (tensor: Output, axis: number) =>
    call("StridedSlice", [call("Shape", [tensor]), [axis], [axis + 1], [1]], { shrink_axis_mask: 1 });
  const [batch, rows, columns] = [size(x, 0), size(x, 1), size(x, 2)];
  const pixels = call("Mul", [rows, columns]);
  const one = at.ints(1);
  const numbers = call("Reshape", [
    call("Range", [one, call("AddV2", [pixels, 1]), one]),
    call("Pack", [[one, rows, columns, one]]),
  ]);
  const attrs = at.attrs("ksizes", "strides", "rates", "padding");
  const under = call("Reshape", [call("ExtractImagePatches", [numbers], attrs), at.ints([-1])]);
  const positions = call("Mul", [size(at.y, 1), size(at.y, 2)]);
  const split = call("Reshape", [
    at.g,
    call("Pack", [[batch, call("Mul", [positions, perPatch]), at.ints(channels)]]),
  ]);
  const byPixel = call("Transpose", [split, at.ints([1, 0, 2])]);
  const summed = call("UnsortedSegmentSum", [byPixel, call("Sub", [under, 1]), pixels]);
  return [call("Reshape", [call("Transpose", [summed, at.ints([1, 0, 2])]), call("Shape", [x])])];
};

/** Hue is in sixths of a turn from the largest channel, by how the two others differ. Of equal channels, the first counts. */
const hueSaturationValue: GradientRule = (at) => {
  const { call, x } = at;
  const channel = (tensor: Output, index: number) =>
    call("StridedSlice", [tensor, at.ints([0, index]), at.ints([0, index + 1]), at.ints([1, 1])], {
      ellipsis_mask: 1,
      shrink_axis_mask: 2,
    });
  const colours = [0, 1, 2].map((index) => channel(x, index));
  const [ofHue, ofSaturation, ofValue] = [0, 1, 2].map((index) => channel(at.g, index)) as Three;
  const cast = (truth: Output) => call("Cast", [truth], { DstT: x.dtype });
  const mul = (...factors: readonly Output[]) => factors.reduce((a, b) => call("Mul", [a, b]));
  const add = (...terms: readonly Output[]) => terms.reduce((a, b) => call("AddV2", [a, b]));
  const sub = (a: Output, b: Output) => call("Sub", [a, b]);
  const divide = (a: Output, b: Output) => call("DivNoNan", [a, b]);
  const chosen = (type: "ArgMax" | "ArgMin") => {
    const best = call(type, [x, at.ints(-1)], { output_type: "int32" });
    return [0, 1, 2].map((index) => cast(call("Equal", [best, index]))) as Three;
  };
  const [isLargest, isLeast] = [chosen("ArgMax"), chosen("ArgMin")];
  const largest = call("Max", [x, at.ints(-1)]);
  const range = sub(largest, call("Min", [x, at.ints(-1)]));
  const sixth = divide(call("OnesLike", [range]), call("Mul", [range, 6]));
  // The channels after and before the largest one, which hue grows and falls with.
  const at3 = <T>(list: readonly T[], index: number) => list[(index + 3) % 3] as T;
  const lead = add(
    ...isLargest.map((mask, index) => mul(mask, sub(at3(colours, index + 1), at3(colours, index + 2)))),
  );
  const ofRange = mul(divide(lead, range), sixth);
  return [
    call(
      "Pack",
      [
        [0, 1, 2].map((index) => {
          const [top, bottom] = [at3(isLargest, index), at3(isLeast, index)];
          const hue = add(
            mul(sub(at3(isLargest, index + 2), at3(isLargest, index + 1)), sixth),
            mul(sub(bottom, top), ofRange),
          );
          const least = sub(largest, range);
          const saturation = sub(mul(top, divide(least, mul(largest, largest))), divide(bottom, largest));
          return add(mul(ofHue, hue), mul(ofSaturation, saturation), mul(ofValue, top));
        }),
      ],
      { axis: -1 },
    ),
  ];
};

type Three = [Output, Output, Output];

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
  ExtractImagePatches: patches,
  RGBToHSV: hueSaturationValue,
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
