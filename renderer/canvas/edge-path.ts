/** Shapes of edges. Pure. */
import type { Point } from "../document/model.js";

export interface EdgePath {
  readonly path: string;
  /** A point on the edge where a label may stand. */
  readonly middle: Point;
}

const STUB = 20;
const RADIUS = 10;
/** Nodes are at least this high; an edge that goes back passes below or above them. */
const CLEARANCE = 56;

/** A curve to the right; an edge that goes back runs round the nodes on straight lines with round corners. */
export function edgePath(from: Point, to: Point): EdgePath {
  const dx = to.x - from.x;
  const dy = to.y - from.y;
  if (dx > 0 && Math.abs(dy) < 0.5) {
    return { path: `M${from.x} ${from.y}H${to.x}`, middle: { x: from.x + dx / 2, y: from.y } };
  }
  if (dx > STUB) {
    const mid = from.x + dx / 2;
    return {
      path: `M${from.x} ${from.y}C${mid} ${from.y} ${mid} ${to.y} ${to.x} ${to.y}`,
      middle: { x: mid, y: from.y + dy / 2 },
    };
  }
  const y = Math.abs(dy) > 2 * CLEARANCE ? from.y + dy / 2 : Math.max(from.y, to.y) + CLEARANCE;
  const right = from.x + STUB;
  const left = to.x - STUB;
  const corners = [from, { x: right, y: from.y }, { x: right, y }, { x: left, y }, { x: left, y: to.y }, to];
  return { path: roundedPath(corners), middle: { x: (right + left) / 2, y } };
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
