import type { PhiloxSamples } from "../random/philox.js";
import { belowLimit, unitFloat } from "../random/simple-samples.js";

const { fround } = Math;

/** A part of an image, in pixels: from the minima (inclusive) to the maxima (exclusive). */
export interface Rectangle {
  readonly minX: number;
  readonly minY: number;
  readonly maxX: number;
  readonly maxY: number;
}

/** The limits of a random crop. */
export interface CropLimits {
  /** The smallest and the largest ratio of width to height. */
  readonly aspectRatios: readonly [number, number];
  /** The smallest and the largest fraction of the image's area. */
  readonly areas: readonly [number, number];
  readonly maxAttempts: number;
}

/** Rounds to the nearest integer, ties to even. */
function roundHalfToEven(value: number): number {
  const rounded = Math.round(value);
  return Math.abs(value % 1) === 0.5 && rounded % 2 !== 0 ? rounded - 1 : rounded;
}

function areaOf({ minX, minY, maxX, maxY }: Rectangle): number {
  return fround((maxX - minX) * (maxY - minY));
}

function overlap(a: Rectangle, b: Rectangle): number {
  const width = Math.min(a.maxX, b.maxX) - Math.max(a.minX, b.minX);
  const height = Math.min(a.maxY, b.maxY) - Math.max(a.minY, b.minY);
  return width < 0 || height < 0 ? 0 : fround(width * height);
}

/** Whether a crop is not empty and covers enough of an object that is not empty. */
function covers(crop: Rectangle, objects: readonly Rectangle[], share: number): boolean {
  return (
    areaOf(crop) >= 1 &&
    objects.some((object) => areaOf(object) >= 1 && fround(overlap(crop, object) / areaOf(object)) >= share)
  );
}

/**
 * A crop with a given aspect ratio, of a random size and at a random position, in TensorFlow's single precision:
 * equal seeds give equal crops.
 * @returns undefined if the image has no such crop.
 */
function randomCrop(
  width: number,
  height: number,
  [minShare, maxShare]: readonly [number, number],
  ratio: number,
  numbers: PhiloxSamples,
): Rectangle | undefined {
  if (maxShare <= 0 || ratio <= 0 || width <= 0 || height <= 0 || minShare > maxShare) {
    return undefined;
  }
  const area = (share: number) => fround(fround(share * width) * height);
  const [minArea, maxArea] = [area(minShare), area(maxShare)];
  const widthOf = (rows: number) => roundHalfToEven(fround(rows * ratio));
  const rowsOf = (size: number) => roundHalfToEven(fround(Math.sqrt(fround(size / ratio))));
  let maxRows = rowsOf(maxArea);
  if (widthOf(maxRows) > width) {
    maxRows = Math.trunc((width + 0.5 - fround(0.0000001)) / ratio);
    if (widthOf(maxRows) > width) {
      maxRows -= 1;
    }
  }
  maxRows = Math.min(maxRows, height);
  let rows = Math.min(rowsOf(minArea), maxRows);
  if (rows < maxRows) {
    rows += belowLimit(numbers, maxRows - rows + 1);
  }
  // Tolerate rounding errors: try one row more, or one less.
  if (fround(widthOf(rows) * rows) < minArea) {
    rows += 1;
  }
  if (fround(widthOf(rows) * rows) > maxArea) {
    rows -= 1;
  }
  const columns = widthOf(rows);
  const size = fround(columns * rows);
  if (size < minArea || size > maxArea || columns > width || rows > height || columns <= 0 || rows <= 0) {
    return undefined;
  }
  const minY = rows < height ? belowLimit(numbers, height - rows) : 0;
  const minX = columns < width ? belowLimit(numbers, width - columns) : 0;
  return { minX, minY, maxX: minX + columns, maxY: minY + rows };
}

/**
 * A random crop that covers enough of one of the objects; the whole image if none is found.
 * @param share of an object's area that must be covered.
 */
export function drawCrop(
  { width, height }: { readonly width: number; readonly height: number },
  objects: readonly Rectangle[],
  share: number,
  { aspectRatios: [least, greatest], areas, maxAttempts }: CropLimits,
  numbers: PhiloxSamples,
): Rectangle {
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const ratio = fround(fround(unitFloat(numbers) * fround(greatest - least)) + least);
    const crop = randomCrop(width, height, areas, ratio, numbers);
    if (crop !== undefined && covers(crop, objects, share)) {
      return crop;
    }
  }
  return { minX: 0, minY: 0, maxX: width, maxY: height };
}
