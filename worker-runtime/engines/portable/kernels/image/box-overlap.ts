/** Boxes as four numbers: y and x of one corner, then of the opposite one. */

/** The intersection over union of two boxes, in single precision; 0 if a box has no area. */
export function intersectionOverUnion(boxes: ArrayLike<number>, i: number, j: number): number {
  const [top, left, bottom, right] = cornersOf(boxes, i);
  const [otherTop, otherLeft, otherBottom, otherRight] = cornersOf(boxes, j);
  const { fround } = Math;
  const area = fround(fround(bottom - top) * fround(right - left));
  const otherArea = fround(fround(otherBottom - otherTop) * fround(otherRight - otherLeft));
  if (area <= 0 || otherArea <= 0) {
    return 0;
  }
  const height = Math.max(Math.min(bottom, otherBottom) - Math.max(top, otherTop), 0);
  const width = Math.max(Math.min(right, otherRight) - Math.max(left, otherLeft), 0);
  const both = fround(fround(height) * fround(width));
  return fround(both / fround(fround(area + otherArea) - both));
}

function cornersOf(
  boxes: ArrayLike<number>,
  index: number,
): readonly [top: number, left: number, bottom: number, right: number] {
  const at = index * 4;
  const [y1, x1] = [boxes[at] as number, boxes[at + 1] as number];
  const [y2, x2] = [boxes[at + 2] as number, boxes[at + 3] as number];
  return [Math.min(y1, y2), Math.min(x1, x2), Math.max(y1, y2), Math.max(x1, x2)];
}
