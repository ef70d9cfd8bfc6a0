/** Where the card about a node stands: beside it, and over no other node or port. In CSS pixels of the canvas. Pure. */
import { contains, grown, overlap, type Rect } from "../viewport/rect.js";

/** Between the node and the card, and between the card and the edge of the canvas. */
const GAP = 12;
const MARGIN = 8;
/** A port stands out of its node, and the pointer that aims at it needs room, too. */
const PORT_ROOM = 10;
/** A card further from its node would seem to be about another one. */
const FURTHEST = 120;
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
  /** The card without a limit of its height. */
  readonly card: Size;
}

/**
 * The place nearest to the node where the whole card hides nothing: below, above, right or left of it, otherwise further
 * below or above, beyond the others that are there. Undefined if none is near.
 */
export function freePlace({ node, others, canvas, card }: Surroundings): CardPlace | undefined {
  const { width, height } = card;
  const left = acrossFor(node, canvas, width);
  const down = Math.max(MARGIN, Math.min(node.top, canvas.height - height - MARGIN));
  const rectAt = (x: number, y: number): Rect => ({ left: x, top: y, right: x + width, bottom: y + height });
  const reach = grown(node, FURTHEST + Math.max(width, height));
  const near = others.filter((other) => overlap(other, reach));
  const places = [
    rectAt(left, node.bottom + GAP),
    rectAt(left, node.top - GAP - height),
    rectAt(node.right + GAP, down),
    rectAt(node.left - GAP - width, down),
    ...near.map(({ bottom }) => rectAt(left, bottom + PORT_ROOM)),
    ...near.map(({ top }) => rectAt(left, top - PORT_ROOM - height)),
  ];
  const within = grown({ left: 0, top: 0, right: canvas.width, bottom: canvas.height }, -MARGIN);
  const hidden = [node, ...near].map((rect) => grown(rect, PORT_ROOM));
  const [best] = places
    .filter((place) => contains(within, place) && !hidden.some((rect) => overlap(rect, place)))
    .map((place) => ({ place, distance: distanceBetween(place, node) }))
    .filter(({ distance }) => distance <= FURTHEST)
    .sort((one, other) => one.distance - other.distance);
  if (!best) return undefined;
  const { place } = best;
  return { left: place.left, top: place.top, maxHeight: canvas.height - MARGIN - place.top };
}

/** Along the axis that separates two rectangles. */
function distanceBetween(one: Rect, other: Rect): number {
  return Math.max(
    one.left - other.right,
    other.left - one.right,
    one.top - other.bottom,
    other.top - one.bottom,
  );
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
