/** Folders of images, one folder for each class, as Keras's image_dataset_from_directory reads them. */
import { readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { invalidArgument, notFound } from "../../protocol/status.js";
import { withFileErrors } from "../file-errors.js";
import { IMAGE_ENDINGS, isImageName } from "./decode-image.js";

export interface LabelledImage {
  readonly path: string;
  /** The index of its class; 0 if there are no classes. */
  readonly label: number;
}

export interface ImageFolder {
  /** Class by class, in the order of their names. */
  readonly images: readonly LabelledImage[];
  /** The names of the folders, sorted; a label is an index into them. Empty if the images are not in such folders. */
  readonly classNames: readonly string[];
}

/**
 * The images of a folder: those in its folders, also deeper, of which each is a class; or those in it, if it has no folders.
 * @throws TensorFlowError NOT_FOUND without such a folder, or without an image in it
 */
export async function listImages(folder: string): Promise<ImageFolder> {
  const entries = await withFileErrors(folder, () => readdir(folder, { withFileTypes: true }));
  const classNames = entries
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith("."))
    .map(({ name }) => name)
    .sort(byCodePoints);
  const images: LabelledImage[] = [];
  if (classNames.length === 0) {
    for (const path of imagesAmong(
      folder,
      entries.map(({ name }) => name),
    ))
      images.push({ path, label: 0 });
  }
  for (const [label, name] of classNames.entries()) {
    const path = join(folder, name);
    const names = await withFileErrors(path, () => readdir(path, { recursive: true }));
    for (const image of imagesAmong(path, names)) images.push({ path: image, label });
  }
  if (images.length === 0) {
    throw notFound(
      `The folder "${basename(folder)}" has no images (${IMAGE_ENDINGS.join(", ")}). Choose a folder with a folder of images ` +
        "for each class.",
    );
  }
  return { images, classNames };
}

/** Checks the size that images are to get. @throws TensorFlowError INVALID_ARGUMENT */
export function checkImageSize([height, width]: readonly [height: number, width: number]): void {
  const isSize = (value: number): boolean => Number.isInteger(value) && value >= 1;
  if (!isSize(height) || !isSize(width))
    throw invalidArgument(`An image cannot be ${width} by ${height} pixels.`);
}

function imagesAmong(folder: string, names: readonly string[]): string[] {
  return names
    .filter((name) => isImageName(name) && !basename(name).startsWith("."))
    .sort(byCodePoints)
    .map((name) => join(folder, name));
}

/** As Python sorts, unlike a locale. */
function byCodePoints(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}
