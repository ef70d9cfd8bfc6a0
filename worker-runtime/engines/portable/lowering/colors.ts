import { int } from "../onnx/attributes.js";
import type { OnnxValue } from "../onnx/model-builder.js";
import { floats } from "./dtypes.js";
import type { Lowering, LoweringContext } from "./lowering.js";
import { inputAt, Writer } from "./writer.js";

/** Red, green and blue, or hue, saturation and value: images of one channel each. */
type Channels = readonly [OnnxValue, OnnxValue, OnnxValue];

/** The formulas of the kernels' `color-space.ts` on whole channels. */
class Colors extends Writer {
  readonly #axis: number;

  constructor(context: LoweringContext, rank: number) {
    super(context);
    this.#axis = rank - 1;
  }

  /** The three channels of images; the model fails for any other number. */
  channels(images: OnnxValue): Channels {
    const { dtype } = images;
    const sizes = this.longs([1, 1, 1]);
    const attributes = { axis: int(this.#axis) };
    const parts = this.model.nodes("Split", [images, sizes], [dtype, dtype, dtype], { attributes });
    return parts as readonly OnnxValue[] as Channels;
  }

  images(channels: Channels): OnnxValue {
    return this.same("Concat", channels, { axis: int(this.#axis) });
  }

  hsvOfRgb([r, g, b]: Channels): Channels {
    const number = (value: number) => this.scalar(r.dtype, value);
    const zero = number(0);
    const value = this.same("Max", [r, g, b]);
    const range = this.sub(value, this.same("Min", [r, g, b]));
    const saturation = this.where(this.test("Greater", value, zero), this.div(range, value), zero);
    const unit = this.div(number(1), this.mul(range, number(6)));
    const part = (difference: OnnxValue, turn: number) =>
      this.add(this.mul(unit, difference), number(turn / 6));
    const otherHue = this.where(
      this.test("Equal", g, value),
      part(this.sub(b, r), 2),
      part(this.sub(r, g), 4),
    );
    const hue = this.where(this.test("Equal", r, value), this.mul(unit, this.sub(g, b)), otherHue);
    const turned = this.where(this.test("Less", hue, zero), this.add(hue, number(1)), hue);
    return [this.where(this.test("Greater", range, zero), turned, zero), saturation, value];
  }

  clamped(value: OnnxValue): OnnxValue {
    return this.same("Clip", [value, this.scalar(value.dtype, 0), this.scalar(value.dtype, 1)]);
  }

  rgbOfHsv([h, s, v]: Channels): Channels {
    const number = (value: number) => this.scalar(h.dtype, value);
    const sixth = this.mul(h, number(6));
    const distance = (from: number) => this.same("Abs", [this.sub(sixth, number(from))]);
    const shade = (part: OnnxValue) =>
      this.mul(this.add(this.sub(number(1), s), this.mul(s, this.clamped(part))), v);
    return [
      shade(this.sub(distance(3), number(1))),
      shade(this.sub(number(2), distance(2))),
      shade(this.sub(number(2), distance(4))),
    ];
  }

  /** Adds to the hue; the largest and the smallest color of a pixel are kept. @param turn 1 for the full circle. */
  turnHue(rgb: Channels, turn: OnnxValue): Channels {
    const [h] = this.hsvOfRgb(rgb);
    const number = (value: number) => this.scalar(h.dtype, value);
    const largest = this.same("Max", rgb);
    const range = this.sub(largest, this.same("Min", rgb));
    const hue = this.mul(this.add(h, turn), number(6));
    const turned = this.sub(hue, this.mul(number(6), this.same("Floor", [this.div(hue, number(6))])));
    // As in rgbOfHsv, with the range instead of the saturation.
    const distance = (from: number) => this.same("Abs", [this.sub(turned, number(from))]);
    const smallest = this.sub(largest, range);
    const shade = (part: OnnxValue) => this.add(smallest, this.mul(range, this.clamped(part)));
    return [
      shade(this.sub(distance(3), number(1))),
      shade(this.sub(number(2), distance(2))),
      shade(this.sub(number(2), distance(4))),
    ];
  }
}

/** A function of the channels of each pixel. @param leastRank the fewest dimensions of images. */
function pixelwise(
  op: string,
  leastRank: number,
  convert: (write: Colors, channels: Channels, inputs: readonly OnnxValue[]) => Channels,
): Lowering {
  return {
    op,
    types: { T: leastRank === 1 ? floats : ["float32"] },
    lower: (_, inputs, context) => {
      const images = inputAt(inputs, 0);
      const rank = context.rank(images);
      // The adjustment factor must be a scalar.
      if (rank < leastRank || inputs.slice(1).some((input) => context.rank(input) !== 0)) return undefined;
      const write = new Colors(context, rank);
      return [write.images(convert(write, write.channels(images), inputs))];
    },
  };
}

/** Moves each channel of each image away from its mean. */
const contrast: Lowering = {
  op: "AdjustContrastv2",
  types: { T: ["float32"] },
  lower: (_, inputs, context) => {
    const write = new Writer(context);
    const [images, factor] = [inputAt(inputs, 0), inputAt(inputs, 1)];
    const rank = context.rank(images);
    if (rank < 3 || context.rank(factor) !== 0) return undefined;
    const mean = write.same("ReduceMean", [images, write.longs([rank - 3, rank - 2])]);
    return [write.add(write.mul(write.sub(images, mean), factor), mean)];
  },
};

/** Changes of color. */
export const colorLowerings: readonly Lowering[] = [
  pixelwise("RGBToHSV", 1, (write, channels) => write.hsvOfRgb(channels)),
  pixelwise("HSVToRGB", 1, (write, channels) => write.rgbOfHsv(channels)),
  pixelwise("AdjustHue", 3, (write, channels, inputs) => write.turnHue(channels, inputAt(inputs, 1))),
  pixelwise("AdjustSaturation", 3, (write, channels, inputs) => {
    const [h, s, v] = write.hsvOfRgb(channels);
    return write.rgbOfHsv([h, write.clamped(write.mul(s, inputAt(inputs, 1))), v]);
  }),
  contrast,
];
