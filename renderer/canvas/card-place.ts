/** Where the card about a node stands: beside it, and over no other node or port. In CSS pixels of the canvas. Pure. */
import { grown, overlap, type Rect } from "../viewport/rect.js";

/** Between the node and the card, and between the card and the edge of the canvas. */
const GAP = 12;
const MARGIN = 8;
/** Of a port that stands out of its node, and of the pointer that aims at it. */
const PORT_ROOM = 10;
/** Where there is less room below the node, the card stands above it if there is more. */
const MIN_ROOM = 200;
/** Where not even this much of a card can be seen, as in a small window at 200 %, the inspector alone tells of it. */
const MIN_HEIGHT = 64;

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Positions within the canvas, as styles have them. */
export interface CardPlace {
  readonly left: number;
  readonly top?: number;
  readonly bottom?: number;
  readonly maxHeight: number;
}

interface Surroundings {
  readonly node: Rect;
  /** The other nodes and closed scopes. */
  readonly others: readonly Rect[];
  readonly canvas: Size;
  /** As large as the card is without a limit. */
  readonly card: Size;
}

/** The first of the places below, above, right and left of the node where the whole card hides nothing. */
export function freePlace({ node, others, canvas, card }: Surroundings): CardPlace | undefined {
  const { width, height } = card;
  const across = acrossFor(node, canvas, width);
  const down = Math.max(MARGIN, Math.min(node.top, canvas.height - height - MARGIN));
  const places = [
    { left: across, top: node.bottom + GAP },
    { left: across, top: node.top - GAP - height },
    { left: node.right + GAP, top: down },
    { left: node.left - GAP - width, top: down },
  ];
  return places
    .map((place) => ({ ...place, maxHeight: canvas.height - MARGIN - place.top }))
    .find(({ left, top }) => {
      const rect = { left, top, right: left + width, bottom: top + height };
      const isWithin =
        left >= MARGIN &&
        top >= MARGIN &&
        rect.right <= canvas.width - MARGIN &&
        rect.bottom <= canvas.height - MARGIN;
      return isWithin && !others.some((other) => overlap(grown(other, PORT_ROOM), rect));
    });
}

/** Below the node, or above it at the lower edge of the canvas, whatever is there; undefined if there is no room. */
export function placeOverOthers({ node, canvas, card }: Surroundings): CardPlace | undefined {
  const below = canvas.height - node.bottom;
  const isBelow = below > MIN_ROOM || node.top < below;
  const maxHeight = (isBelow ? below : node.top) - GAP - MARGIN;
  if (maxHeight < MIN_HEIGHT) return undefined;
  const vertical = isBelow ? { top: node.bottom + GAP } : { bottom: canvas.height - node.top + GAP };
  return { left: acrossFor(node, canvas, card.width), maxHeight, ...vertical };
}

function acrossFor(node: Rect, canvas: Size, width: number): number {
  return Math.max(MARGIN, Math.min(node.left, canvas.width - width - MARGIN));
}
