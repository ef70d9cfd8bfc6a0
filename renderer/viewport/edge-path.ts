/** Shapes of edges. Pure. */
import type { Point } from "../document/model.js";
import type { Rect } from "./rect.js";

export interface EdgePath {
  readonly path: string;
  /** A point on the edge where a label may stand. */
  readonly middle: Point;
}

/** An edge that does not lead this far to the right goes back; it first leaves its node by as much. */
export const BACK_STUB = 20;
const RADIUS = 10;
/** Nodes are at least this high; an edge that goes back passes below or above them. */
export const BACK_CLEARANCE = 56;

/** A curve to the right; an edge that goes back runs round the nodes on straight lines with round corners. */
export function edgePath(from: Point, to: Point): EdgePath {
  const dx = to.x - from.x;
  const dy = to.y - from.y;
  if (dx > 0 && Math.abs(dy) < 0.5) {
    return { path: `M${from.x} ${from.y}H${to.x}`, middle: { x: from.x + dx / 2, y: from.y } };
  }
  if (dx > BACK_STUB) {
    const mid = from.x + dx / 2;
    return {
      path: `M${from.x} ${from.y}C${mid} ${from.y} ${mid} ${to.y} ${to.x} ${to.y}`,
      middle: { x: mid, y: from.y + dy / 2 },
    };
  }
  const corners = wayBack(from, to);
  return { path: roundedPath(corners), middle: { x: (from.x + to.x) / 2, y: corners[2]?.y ?? from.y } };
}

/** The corners of an edge that goes back round the nodes. */
function wayBack(from: Point, to: Point): Point[] {
  const dy = to.y - from.y;
  const y = Math.abs(dy) > 2 * BACK_CLEARANCE ? from.y + dy / 2 : Math.max(from.y, to.y) + BACK_CLEARANCE;
  const right = from.x + BACK_STUB;
  const left = to.x - BACK_STUB;
  return [from, { x: right, y: from.y }, { x: right, y }, { x: left, y }, { x: left, y: to.y }, to];
}

function roundedPath(points: readonly Point[]): string {
  const [start] = points;
  if (!start) return "";
  let path = `M${start.x} ${start.y}`;
  for (let index = 1; index < points.length; index++) {
    const before = points[index - 1];
    const corner = points[index];
    const after = points[index + 1];
    if (!before || !corner) continue;
    if (!after) {
      path += `L${corner.x} ${corner.y}`;
      continue;
    }
    const radius = Math.min(RADIUS, distance(before, corner) / 2, distance(corner, after) / 2);
    const enter = towards(corner, before, radius);
    const leave = towards(corner, after, radius);
    path += `L${enter.x} ${enter.y}Q${corner.x} ${corner.y} ${leave.x} ${leave.y}`;
  }
  return path;
}

function distance(one: Point, other: Point): number {
  return Math.hypot(other.x - one.x, other.y - one.y);
}

function towards(from: Point, to: Point, length: number): Point {
  const all = distance(from, to);
  if (all === 0) return from;
  return { x: from.x + ((to.x - from.x) * length) / all, y: from.y + ((to.y - from.y) * length) / all };
}

/** A point of the curve that `edgePath` draws towards the right; `share` from 0 to 1. */
export function curvePoint(from: Point, to: Point, share: number): Point {
  const rest = 1 - share;
  const mid = from.x + (to.x - from.x) / 2;
  const inner = 3 * rest * rest * share + 3 * rest * share * share;
  return {
    x: rest ** 3 * from.x + inner * mid + share ** 3 * to.x,
    y: (rest ** 3 + 3 * rest * rest * share) * from.y + (3 * rest * share * share + share ** 3) * to.y,
  };
}

/** A piece of an edge: a line through corners, or a curve with two control points. */
export type EdgePiece =
  | { readonly type: "line"; readonly points: readonly Point[] }
  | { readonly type: "curve"; readonly points: readonly [Point, Point, Point, Point] };

/**
 * The part of an edge that lies in a rectangle; undefined if there is none. The renderer then never sees a
 * coordinate far out of view: canvases compute with low precision and fail for lengths of millions of pixels.
 */
export function edgePieceIn(from: Point, to: Point, area: Rect): EdgePiece | undefined {
  const isStraight = to.x > from.x && Math.abs(to.y - from.y) < 0.5;
  if (isStraight || to.x - from.x <= BACK_STUB) {
    // Lines along the axes: a corner out of view may be drawn at the side of it.
    const corners = isStraight ? [from, { x: to.x, y: from.y }] : wayBack(from, to);
    return { type: "line", points: corners.map((corner) => into(corner, area)) };
  }
  const [first, last] = shareWithin(from, to, area);
  if (first >= last) return undefined;
  const mid = from.x + (to.x - from.x) / 2;
  return {
    type: "curve",
    points: curveBetween([from, { x: mid, y: from.y }, { x: mid, y: to.y }, to], first, last),
  };
}

/** The part of a line through corners that lies in a rectangle; see `edgePieceIn`. */
export function routePieceIn(corners: readonly Point[], area: Rect): EdgePiece {
  return { type: "line", points: corners.map((corner) => into(corner, area)) };
}

/** An edge that is led through corners, with round ones; `straight` is the length of the part that its middle is on. */
export function routePath(corners: readonly Point[]): EdgePath & { readonly straight: number } {
  let middle = corners[0] ?? { x: 0, y: 0 };
  let longest = -1;
  corners.forEach((corner, index) => {
    const before = corners[index - 1];
    const length = before && before.y === corner.y ? Math.abs(corner.x - before.x) : -1;
    if (!before || length <= longest) return;
    longest = length;
    middle = { x: (before.x + corner.x) / 2, y: corner.y };
  });
  return { path: roundedPath(corners), middle, straight: Math.max(0, longest) };
}

function into({ x, y }: Point, { left, top, right, bottom }: Rect): Point {
  return { x: Math.min(right, Math.max(left, x)), y: Math.min(bottom, Math.max(top, y)) };
}

/** From which to which share of its way a curve to the right is in a rectangle. It never turns back on either axis. */
function shareWithin(from: Point, to: Point, { left, top, right, bottom }: Rect): [number, number] {
  const x = (share: number) => curvePoint(from, to, share).x;
  const down = to.y >= from.y;
  const y = (share: number) => curvePoint(from, to, share).y * (down ? 1 : -1);
  const [near, far] = down ? [top, bottom] : [-bottom, -top];
  return [
    Math.max(firstAbove(x, left), firstAbove(y, near)),
    Math.min(firstAbove(x, right), firstAbove(y, far)),
  ];
}

/** Halvings when a place on a curve is looked for: to a pixel on an edge of ten million. */
const HALVINGS = 24;

/** Where a function that never falls exceeds a value between 0 and 1; 0 or 1 where it does so everywhere or nowhere. */
function firstAbove(value: (share: number) => number, limit: number): number {
  if (value(0) >= limit) return 0;
  if (value(1) <= limit) return 1;
  let low = 0;
  let high = 1;
  for (let step = 0; step < HALVINGS; step++) {
    const middle = (low + high) / 2;
    if (value(middle) < limit) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

type Curve = readonly [Point, Point, Point, Point];

/** The part of a cubic curve between two shares of it, by de Casteljau's construction. */
function curveBetween(curve: Curve, first: number, last: number): Curve {
  const rest = first > 0 ? halves(curve, first)[1] : curve;
  return last < 1 ? halves(rest, (last - first) / (1 - first))[0] : rest;
}

function halves([a, b, c, d]: Curve, share: number): [Curve, Curve] {
  const ab = between(a, b, share);
  const bc = between(b, c, share);
  const cd = between(c, d, share);
  const abc = between(ab, bc, share);
  const bcd = between(bc, cd, share);
  const at = between(abc, bcd, share);
  return [
    [a, ab, abc, at],
    [at, bcd, cd, d],
  ];
}

function between(one: Point, other: Point, share: number): Point {
  return { x: one.x + (other.x - one.x) * share, y: one.y + (other.y - one.y) * share };
}

/** Pieces that a curve is taken for when a distance to it is measured. */
const DISTANCE_PIECES = 32;

/** How far a point is from the edge between two ends. */
export function distanceToEdge(from: Point, to: Point, point: Point): number {
  const corners =
    to.x - from.x > BACK_STUB
      ? Array.from({ length: DISTANCE_PIECES + 1 }, (_, index) =>
          curvePoint(from, to, index / DISTANCE_PIECES),
        )
      : wayBack(from, to);
  return distanceToLines(corners, point);
}

/** How far a point is from a line through corners. */
export function distanceToLines(corners: readonly Point[], point: Point): number {
  let least = Number.POSITIVE_INFINITY;
  corners.forEach((corner, index) => {
    const before = corners[index - 1];
    if (before) least = Math.min(least, distanceToLine(before, corner, point));
  });
  return least;
}

function distanceToLine(from: Point, to: Point, point: Point): number {
  const length = distance(from, to);
  if (length === 0) return distance(from, point);
  const along = ((point.x - from.x) * (to.x - from.x) + (point.y - from.y) * (to.y - from.y)) / length ** 2;
  return distance(between(from, to, Math.min(1, Math.max(0, along))), point);
}
