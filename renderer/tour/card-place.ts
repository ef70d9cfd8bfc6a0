/** Where the card of the tour stands: beside the control that it is about, without covering it or the canvas' tools. Pure. */

export interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

type Place = Pick<Box, "left" | "top">;
type Size = Pick<Box, "width" | "height">;

/** Between the card and the control, and between the card and the edge of the window, in CSS pixels. */
const GAP = 12;
const MARGIN = 8;

/**
 * @param target where the control is in the window; undefined if it is not there: the card then stands at the bottom
 * @param tools what is not covered either, where there is another place
 * @returns the card's upper left corner, in CSS pixels of the window; the card is always within the window
 */
export function cardPlace(
  target: Box | undefined,
  card: Size,
  window: Size,
  tools: readonly Box[] = [],
): Place {
  const within = ({ left, top }: Place): Place => ({
    left: Math.max(MARGIN, Math.min(left, window.width - MARGIN - card.width)),
    top: Math.max(MARGIN, Math.min(top, window.height - MARGIN - card.height)),
  });
  const isFree = (place: Place) => !tools.some((tool) => overlaps({ ...place, ...card }, tool));
  const middle = (window.width - card.width) / 2;
  const bottoms = [middle, window.width, 0].map((left) => within({ left, top: window.height }));
  const bottom = bottoms.find(isFree) ?? within({ left: middle, top: window.height });
  if (target === undefined) return bottom;
  const [right, below] = [target.left + target.width, target.top + target.height];
  const centred = {
    left: target.left + (target.width - card.width) / 2,
    top: target.top + (target.height - card.height) / 2,
  };
  /** In the middle of a side of the target, and from one of its corners on. */
  const across = [centred.left, target.left, right - card.width];
  const down = [centred.top, target.top, below - card.height];
  const sides = [
    ...across.map((left) => ({ left, top: below + GAP })),
    ...down.map((top) => ({ left: right + GAP, top })),
    ...down.map((top) => ({ left: target.left - GAP - card.width, top })),
    ...across.map((left) => ({ left, top: target.top - GAP - card.height })),
  ]
    .map(within)
    .filter((place) => !overlaps({ ...place, ...card }, target));
  return sides.find(isFree) ?? sides[0] ?? bottom;
}

function overlaps(one: Box, other: Box): boolean {
  return (
    one.left < other.left + other.width &&
    other.left < one.left + one.width &&
    one.top < other.top + other.height &&
    other.top < one.top + one.height
  );
}
