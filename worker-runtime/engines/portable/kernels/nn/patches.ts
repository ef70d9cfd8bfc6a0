import type { NumberArray } from "../support/elements.js";
import { imagePixel, type WindowGeometry } from "./windows.js";

/** The images and channels that patches are taken from. */
export interface PatchSource {
  readonly geometry: WindowGeometry;
  /** Channels of the images. */
  readonly channels: number;
  /** The first channel and the number of channels taken: all, or those of a group. */
  readonly firstChannel: number;
  readonly takenChannels: number;
}

/** Elements of one patch: the pixels under a window, row by row, with their channels. */
export function patchSize({ geometry, takenChannels }: PatchSource): number {
  return geometry.rows.window * geometry.columns.window * takenChannels;
}

/**
 * Calls `visit` for each pixel under the windows from position `first` on that lies within its image.
 * @param visit receives the indices where its channels begin in the list of patches and in the images.
 */
function forEachPixel(
  source: PatchSource,
  first: number,
  count: number,
  visit: (inPatches: number, inImages: number) => void,
): void {
  const { rows, columns } = source.geometry;
  const imageSize = rows.input * columns.input * source.channels;
  const positions = rows.output * columns.output;
  let inPatches = 0;
  for (let at = first; at < first + count; at += 1) {
    const image = Math.floor(at / positions) * imageSize;
    const position = at % positions;
    const [indexRow, placeColumn] = [Math.floor(position / columns.output), position % columns.output];
    for (let i = 0; i < rows.window; i += 1) {
      const row = imagePixel(rows, indexRow, i);
      for (let j = 0; j < columns.window; j += 1) {
        const column = imagePixel(columns, placeColumn, j);
        if (row >= 0 && row < rows.input && column >= 0 && column < columns.input) {
          visit(inPatches, image + (row * columns.input + column) * source.channels + source.firstChannel);
        }
        inPatches += source.takenChannels;
      }
    }
  }
}

/**
 * The pixels under each of `count` windows from position `first` on (positions are counted across images), one patch
 * after the other; 0 in the padding. A convolution is the product of this matrix and the filter.
 */
export function gatherPatches(
  images: NumberArray,
  source: PatchSource,
  first: number,
  count: number,
  patches: NumberArray,
): void {
  patches.fill(0);
  const { takenChannels } = source;
  forEachPixel(source, first, count, (inPatches, inImages) => {
    for (let channel = 0; channel < takenChannels; channel += 1) {
      patches[inPatches + channel] = images[inImages + channel] as number;
    }
  });
}

/** The reverse of gatherPatches: adds the patches to the pixels that they came from. */
export function scatterPatches(
  patches: NumberArray,
  source: PatchSource,
  first: number,
  count: number,
  images: NumberArray,
): void {
  const { takenChannels } = source;
  forEachPixel(source, first, count, (inPatches, inImages) => {
    for (let channel = 0; channel < takenChannels; channel += 1) {
      const at = inImages + channel;
      images[at] = (images[at] as number) + (patches[inPatches + channel] as number);
    }
  });
}
