/** Where the card of the tour stands: beside the control that it is about, without covering it. Pure. */

export interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

type Size = Pick<Box, "width" | "height">;

/** Between the card and the control, and between the card and the edge of the window, in CSS pixels. */
const GAP = 12;
const MARGIN = 8;

/**
 * @param target where the control is in the window; undefined if it is not there: the card then stands at the bottom
 * @returns the card's upper left corner, in CSS pixels of the window; the card is always within the window
 */
export function cardPlace(
  target: Box | undefined,
  card: Size,
  window: Size,
): { readonly left: number; readonly top: number } {
  const within = ({ left, top }: { left: number; top: number }) => ({
    left: Math.max(MARGIN, Math.min(left, window.width - MARGIN - card.width)),
    top: Math.max(MARGIN, Math.min(top, window.height - MARGIN - card.height)),
  });
  const bottom = { left: (window.width - card.width) / 2, top: window.height };
  if (target === undefined) return within(bottom);
  const centred = {
    left: target.left + (target.width - card.width) / 2,
    top: target.top + (target.height - card.height) / 2,
  };
  const sides = [
    { ...centred, top: target.top + target.height + GAP },
    { ...centred, left: target.left + target.width + GAP },
    { ...centred, left: target.left - GAP - card.width },
    { ...centred, top: target.top - GAP - card.height },
  ].map(within);
  return sides.find((place) => !overlaps({ ...place, ...card }, target)) ?? within(bottom);
}

function overlaps(one: Box, other: Box): boolean {
  return (
    one.left < other.left + other.width &&
    other.left < one.left + one.width &&
    one.top < other.top + other.height &&
    other.top < one.top + one.height
  );
}
