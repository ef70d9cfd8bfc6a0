/** Images from files: PNG, JPEG, GIF (its first picture) and BMP, decoded and resized as TensorFlow does it. */
import { extname } from "node:path";
import { decodeBmp, isBmp } from "../../engines/portable/kernels/image/bmp-decoder.js";
import { decodeGif, isGif } from "../../engines/portable/kernels/image/gif-decoder.js";
import { isPng } from "../../engines/portable/kernels/image/png-decoder.js";
import { tensorOfPng } from "../../engines/portable/kernels/image/png-kernels.js";
import { linearTaps } from "../../engines/portable/kernels/image/resize-kernels.js";
import { resizeWeighted } from "../../engines/portable/kernels/image/weighted-resize.js";
import { numbersOf } from "../../engines/portable/kernels/support/elements.js";
import { invalidArgument, TensorFlowError } from "../../protocol/status.js";
import { Tensor } from "../../protocol/tensor.js";
import { decodeJpeg, isJpeg } from "./jpeg-decoder.js";

/** Brightness, colors, colors with opacity. */
export type ImageChannels = 1 | 3 | 4;

/** Endings of files with images, in lower case. */
export const IMAGE_ENDINGS: readonly string[] = [".bmp", ".gif", ".jpeg", ".jpg", ".png"];

/** True for the name of a file with an image. */
export function isImageName(name: string): boolean {
  return IMAGE_ENDINGS.includes(extname(name).toLowerCase());
}

/**
 * The image in a file's content.
 * @param channels into which it is converted; 0 for as many as the file has
 * @returns uint8 [height, width, channels]
 * @throws TensorFlowError INVALID_ARGUMENT, with the file's name, if it is damaged or no image
 */
export function decodeImage(bytes: Uint8Array, channels: 0 | ImageChannels, name: string): Tensor {
  try {
    return decoded(bytes, channels);
  } catch (error) {
    if (!(error instanceof TensorFlowError)) throw error;
    throw new TensorFlowError(error.code, `"${name}": ${error.message}`, { cause: error });
  }
}

function decoded(bytes: Uint8Array, channels: 0 | ImageChannels): Tensor {
  if (isJpeg(bytes)) {
    if (channels === 4) throw invalidArgument("A JPEG image has no opacity. Read it with 3 channels.");
    const { height, width, channels: own, pixels } = decodeJpeg(bytes, channels);
    return new Tensor("uint8", [height, width, own], pixels);
  }
  if (isPng(bytes)) return tensorOfPng(bytes, channels, "uint8");
  if (isGif(bytes)) {
    const { shape, pixels } = decodeGif(bytes, 1);
    return withChannels(new Tensor("uint8", shape.slice(1), pixels.slice()), channels);
  }
  if (isBmp(bytes)) {
    const { shape, pixels } = decodeBmp(bytes, channels === 1 ? 0 : channels);
    return withChannels(new Tensor("uint8", shape, pixels), channels);
  }
  throw invalidArgument("It is not an image. PNG, JPEG, GIF and BMP can be read.");
}

function withChannels(image: Tensor, wanted: 0 | ImageChannels): Tensor {
  const [height, width, own] = image.shape;
  if (wanted === 0 || wanted === own) return image;
  throw invalidArgument(
    `It is ${width} by ${height} pixels of ${own} channels; ${wanted} are wanted. Save it as PNG.`,
  );
}

/**
 * Resizes an image by linear interpolation, as `tf.image.resize`.
 * @returns float32 [height, width, channels]
 */
export function resizeImage(image: Tensor, height: number, width: number): Tensor {
  const [ownHeight = 0, ownWidth = 0, channels = 0] = image.shape;
  const sampling = { alignCorners: false, halfPixelCenters: true };
  const pixels = resizeWeighted(
    numbersOf(image),
    { batch: 1, height: ownHeight, width: ownWidth, channels },
    linearTaps(ownHeight, height, sampling),
    linearTaps(ownWidth, width, sampling),
  );
  return new Tensor("float32", [height, width, channels], Float32Array.from(pixels));
}
