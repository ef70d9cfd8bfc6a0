/** A folder of images as two arrays that can be fed, "images" and "labels"; an image as one. */
import { basename } from "node:path";
import { cancelledBy, notFound, resourceExhausted } from "../../protocol/status.js";
import { Tensor } from "../../protocol/tensor.js";
import { withFileErrors } from "../file-errors.js";
import { readWholeFile } from "../whole-file.js";
import { decodeImage, type ImageChannels, resizeImage } from "./decode-image.js";
import { type LabelledImage, listImages } from "./image-folder.js";

const MAX_BYTES = 2 ** 31;

export interface ImageFeedOptions {
  /** "images" or "labels"; left out, images, if the shape has more dimensions than labels have. */
  readonly column?: string | number | undefined;
  /** The target's: height, width, channels, after a batch or without; sizes of -1 are the first image's, and 3 channels. */
  readonly shape?: readonly number[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * The images of a folder, resized to what the target takes, as uint8 [images, height, width, channels]; or their labels, as
 * int32 [images].
 * @throws TensorFlowError NOT_FOUND without images or for another array; INVALID_ARGUMENT with the name of a damaged file;
 *   RESOURCE_EXHAUSTED; CANCELLED
 */
export async function readImageFolder(folder: string, options: ImageFeedOptions): Promise<Tensor> {
  const { column, shape } = options;
  const { images } = await listImages(folder);
  if (column === "labels")
    return new Tensor(
      "int32",
      [images.length],
      Int32Array.from(images, ({ label }) => label),
    );
  if (column !== "images" && (column !== undefined || (shape?.length ?? 0) < 3)) {
    throw notFound(
      `The folder "${basename(folder)}" has the arrays images and labels, of which one must be named.`,
    );
  }
  return await readImages(images, folder, options);
}

/**
 * The image of a file, resized to what the target takes, as uint8 [1, height, width, channels].
 * @throws TensorFlowError NOT_FOUND for another array than "images"; INVALID_ARGUMENT if it is damaged; RESOURCE_EXHAUSTED
 */
export async function readImageFile(path: string, options: ImageFeedOptions): Promise<Tensor> {
  const { column } = options;
  if (column !== undefined && column !== "images")
    throw notFound(`The image "${basename(path)}" has no array ${column}.`);
  return await readImages([{ path, label: 0 }], path, options);
}

/** @param from the folder or file that they are from, for messages */
async function readImages(
  images: readonly LabelledImage[],
  from: string,
  { shape, signal }: ImageFeedOptions,
): Promise<Tensor> {
  const [height, width, channels] = await sizeOf(images[0], shape);
  const bytes = height * width * channels;
  if (bytes * images.length > MAX_BYTES) {
    throw resourceExhausted(
      `${images.length} images of ${height} by ${width} pixels take more than 2 GiB. Make them smaller, or write a TFRecord ` +
        "file of them.",
    );
  }
  const pixels = new Uint8Array(bytes * images.length);
  for (const [index, image] of images.entries()) {
    if (signal?.aborted) throw cancelledBy(signal.reason, `Reading "${basename(from)}"`);
    const resized = resizeImage(await decodedFile(image, channels), height, width);
    for (let i = 0; i < bytes; i++) pixels[index * bytes + i] = Math.round(Number(resized.data[i]));
  }
  return new Tensor("uint8", [images.length, height, width, channels], pixels);
}

/** The result of `readImageFolder`, without the images' size, which the target decides. */
export async function describeImageFolder(folder: string) {
  const { images } = await listImages(folder);
  return [
    { name: "images", dtype: "uint8", shape: [images.length, -1, -1, -1] },
    { name: "labels", dtype: "int32", shape: [images.length] },
  ] as const;
}

/** The array that `readImageFile` gives, without the size, which the target decides. */
export function describeImageFile() {
  return [{ dtype: "uint8", shape: [1, -1, -1, -1] }] as const;
}

async function sizeOf(
  first: LabelledImage | undefined,
  shape: readonly number[] | undefined,
): Promise<readonly [height: number, width: number, channels: ImageChannels]> {
  const [height = -1, width = -1, wanted = -1] =
    shape?.length === 3 || shape?.length === 4 ? shape.slice(-3) : [];
  const channels = wanted === 1 || wanted === 4 ? wanted : 3;
  if (height > 0 && width > 0) return [height, width, channels];
  const [ownHeight = 1, ownWidth = 1] = first ? (await decodedFile(first, channels)).shape : [];
  return [height > 0 ? height : ownHeight, width > 0 ? width : ownWidth, channels];
}

async function decodedFile({ path }: LabelledImage, channels: ImageChannels): Promise<Tensor> {
  const bytes = await withFileErrors(path, () => readWholeFile(path));
  return decodeImage(bytes, channels, basename(path));
}
