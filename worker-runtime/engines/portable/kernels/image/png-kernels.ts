import type { DType } from "../../../../protocol/dtype.js";
import { internalError, invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import { checkedSize } from "../support/allocation.js";
import { perElement, pureKernel } from "../support/define.js";
import { inputAt, newNumbers, numbersOf } from "../support/elements.js";
import { cppShapeText, productOf } from "../support/shapes.js";
import { decodePng, opacityOf, type PngImage, parsePng, samplesOfPng } from "./png-decoder.js";
import { encodePng } from "./png-encoder.js";

/** The weights of red, green and blue in gray, times 2^15: those of ITU-R BT.601, truncated as in libpng. */
const GRAY_WEIGHTS = [9797, 19234, 3737] as const;

/** libpng rounds 16-bit gray and truncates 8-bit gray. */
function grayOf(red: number, green: number, blue: number, bits: 8 | 16): number {
  if (red === green && green === blue) {
    return red;
  }
  const [r, g, b] = GRAY_WEIGHTS;
  const sum = r * red + g * green + b * blue;
  return Math.floor((bits === 16 ? sum + 2 ** 14 : sum) / 2 ** 15);
}

/**
 * Writes the pixels with the requested number of channels, scaled by `store`.
 * @param opaque the opacity if the file has none.
 */
function convert(
  image: PngImage,
  opaque: number,
  opacity: Uint16Array | undefined,
  channels: number,
  store: (at: number, value: number) => void,
): void {
  const own = image.channels;
  for (let i = 0; i < image.width * image.height; i += 1) {
    const sample = (channel: number) => image.pixels[i * own + channel] as number;
    const colors = own < 3 ? [sample(0), sample(0), sample(0)] : [sample(0), sample(1), sample(2)];
    const [red = 0, green = 0, blue = 0] = colors;
    const at = i * channels;
    if (channels < 3) {
      store(at, grayOf(red, green, blue, image.bits));
    } else {
      store(at, red);
      store(at + 1, green);
      store(at + 2, blue);
    }
    if (channels % 2 === 0) {
      store(at + channels - 1, own % 2 === 0 ? sample(own - 1) : (opacity?.[i] ?? opaque));
    }
  }
}

/**
 * The image in a PNG file.
 * @param channels 0 for as many as the file has.
 * @param dtype uint8, uint16 or float32.
 * @throws TensorFlowError INVALID_ARGUMENT for a damaged file, RESOURCE_EXHAUSTED
 */
export function tensorOfPng(bytes: Uint8Array, channels: number, dtype: DType): Tensor {
  const file = parsePng(bytes);
  if (file === undefined) {
    throw invalidArgument(`Invalid PNG data, size ${bytes.length}`);
  }
  checkedSize("float32", [samplesOfPng(file)]);
  const image = decodePng(file);
  if (image === undefined) {
    throw invalidArgument(`Invalid PNG data, size ${bytes.length}`);
  }
  const count = channels === 0 ? image.channels : channels;
  const shape = [image.height, image.width, count];
  const out = newNumbers(dtype, shape);
  const scale = scaleOf(image.bits, dtype);
  // In the file's own bit depth: libpng fills it in before it expands depths below 8.
  const opaque = 2 ** file.depth - 1;
  convert(image, opaque, opacityOf(file, image), count, (at, value) => {
    out[at] = scale(value);
  });
  return new Tensor(dtype, shape, out);
}

/** Scales the values of a file to the full range of an integer dtype, or to 0 … 1. */
function scaleOf(bits: 8 | 16, dtype: DType): (value: number) => number {
  switch (dtype) {
    case "uint8":
      return bits === 16 ? (value) => value >> 8 : (value) => value;
    case "uint16":
      return bits === 16 ? (value) => value : (value) => value * 257;
    default:
      return (value) => value / (2 ** bits - 1);
  }
}

/** Encodes images as PNG. */
export const pngEncodingKernel = pureKernel(
  "EncodePng",
  (node) => {
    const compression = node.int("compression");
    if (compression < -1 || compression > 9) {
      throw invalidArgument(`compression should be in [-1,9], got ${compression}`);
    }
    return (inputs) => {
      const images = inputAt(inputs, 0);
      const rank = images.shape.length;
      if (rank < 3) {
        throw invalidArgument(`images must be at least rank 3${cppShapeText(images.shape)}`);
      }
      const [height = 0, width = 0, channels = 0] = images.shape.slice(-3);
      if (channels < 1 || channels > 4) {
        throw invalidArgument(`image must have 1, 2, 3, or 4 channels, got ${channels}`);
      }
      const batch = images.shape.slice(0, -3);
      if (height === 0 || width === 0) {
        throw internalError(
          `PNG encoding failed: an image must have pixels, not ${cppShapeText(images.shape)}`,
        );
      }
      const pixels = numbersOf(images);
      const size = height * width * channels;
      const bits = images.dtype === "uint16" ? 16 : 8;
      const files = Array.from({ length: productOf(batch) }, (_, i) =>
        encodePng(
          { width, height, channels, bits, pixels: pixels.subarray(i * size, (i + 1) * size) },
          compression,
        ),
      );
      return [new Tensor("string", batch, files)];
    };
  },
  { types: { T: ["uint8", "uint16"] }, cost: perElement(60) },
);
