/**
 * Folds a drawing that runs to the right into rows below each other, as text is, so that a long chain fills a window.
 * It is cut between columns of cells; what crosses a cut is led round the end of the row to the beginning of the next.
 */
import type { Point } from "../document/model.js";

export interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

export interface Drawing {
  readonly boxes: ReadonlyMap<string, Box>;
  /** Corners of each line; consecutive ones differ in one coordinate. */
  readonly routes: ReadonlyMap<string, readonly Point[]>;
}

export interface Folded extends Drawing {
  readonly width: number;
  readonly height: number;
}

/** Between a row's cells and the first of the lines that lead round its end, and between those lines. */
const LANE_MARGIN = 12;
const LANE_PITCH = 8;
/** All lines that lead from a row to the next share this much at most. */
const MAX_LANES = 96;
/** Between two rows where no line is between them. */
const ROW_GAP = 20;
const MAX_ROWS = 12;
/** One more row must make the drawing larger by this factor: fewer rows are easier to follow. */
const ROW_COST = 1.04;

/** @param aspect width divided by height of the space that the rows are to fill */
export function foldedRows(drawing: Drawing, aspect: number): Folded {
  const columns = columnsOf(drawing);
  let best: Folded | undefined;
  let bestSize = 0;
  for (let rows = 1; rows <= Math.min(MAX_ROWS, columns.length); rows++) {
    const cuts = cutsFor(columns, rows);
    if (cuts.length !== rows - 1) continue;
    const folded = fold(drawing, cuts);
    const size = sizeShown(folded, aspect) / ROW_COST ** (rows - 1);
    if (size <= bestSize) continue;
    best = folded;
    bestSize = size;
  }
  return best ?? fold(drawing, []);
}

/** How large a drawing is shown in a space of this aspect; only proportions between drawings mean something. */
export function sizeShown(
  { width, height }: { readonly width: number; readonly height: number },
  aspect: number,
): number {
  return Math.min(aspect / width, 1 / height);
}

/** True if a drawing descends or rises from column to column, so that most of its height is free everywhere. */
export function isSlanted({ boxes }: Pick<Drawing, "boxes">): boolean {
  const columns = columnsOf({ boxes });
  const heights = columns.map(() => ({ top: Number.POSITIVE_INFINITY, bottom: Number.NEGATIVE_INFINITY }));
  for (const { left, top, bottom } of boxes.values()) {
    const height = heights[columns.findIndex((column) => left <= column.right)];
    if (!height) continue;
    height.top = Math.min(height.top, top);
    height.bottom = Math.max(height.bottom, bottom);
  }
  const whole = Math.max(...heights.map(({ bottom }) => bottom)) - Math.min(...heights.map(({ top }) => top));
  return heights.every(({ top, bottom }) => 2 * (bottom - top) < whole);
}

interface Column {
  readonly left: number;
  readonly right: number;
}

/** The stretches from left to right that cells take up; between them the drawing can be cut. */
function columnsOf({ boxes }: Pick<Drawing, "boxes">): Column[] {
  const columns: { left: number; right: number }[] = [];
  for (const { left, right } of [...boxes.values()].sort((one, other) => one.left - other.left)) {
    const last = columns.at(-1);
    if (last && left < last.right) last.right = Math.max(last.right, right);
    else columns.push({ left, right });
  }
  return columns;
}

/** Where to cut for a number of rows of the least possible width. */
function cutsFor(columns: readonly Column[], rows: number): number[] {
  const first = columns[0]?.left ?? 0;
  const last = columns.at(-1)?.right ?? 0;
  let low = (last - first) / rows - 1;
  let high = last - first;
  for (let step = 0; step < 16; step++) {
    const middle = (low + high) / 2;
    if (cutsAtWidth(columns, middle).length < rows) high = middle;
    else low = middle;
  }
  return cutsAtWidth(columns, high);
}

function cutsAtWidth(columns: readonly Column[], width: number): number[] {
  const cuts: number[] = [];
  let start = columns[0]?.left ?? 0;
  columns.forEach(({ left, right }, index) => {
    const before = columns[index - 1];
    if (!before || right - start <= width) return;
    cuts.push((before.right + left) / 2);
    start = left;
  });
  return cuts;
}

/** One row before it is placed: what lies between two cuts. */
interface Row {
  left: number;
  right: number;
  top: number;
  bottom: number;
  /** Heights that something takes up: a cell, or a line along the row. */
  readonly bands: [top: number, bottom: number][];
}

function fold({ boxes, routes }: Drawing, cuts: readonly number[]): Folded {
  const rowAt = (x: number) => cuts.filter((cut) => cut <= x).length;
  const rows: Row[] = Array.from({ length: cuts.length + 1 }, () => ({
    left: Number.POSITIVE_INFINITY,
    right: Number.NEGATIVE_INFINITY,
    top: Number.POSITIVE_INFINITY,
    bottom: Number.NEGATIVE_INFINITY,
    bands: [],
  }));
  const extend = (row: Row | undefined, { left, right, top, bottom }: Box) => {
    if (!row) return;
    row.bands.push([top, bottom]);
    row.left = Math.min(row.left, left);
    row.right = Math.max(row.right, right);
    row.top = Math.min(row.top, top);
    row.bottom = Math.max(row.bottom, bottom);
  };
  for (const box of boxes.values()) extend(rows[rowAt(box.left)], box);
  const crossings = cuts.map((): number[] => []);
  for (const points of routes.values()) {
    points.forEach((point, index) => {
      extend(rows[rowAt(point.x)], { left: point.x, right: point.x, top: point.y, bottom: point.y });
      const next = points[index + 1];
      if (!next) return;
      for (const cut of cutsBetween(rowAt(point.x), rowAt(next.x))) {
        crossings[cut]?.push(point.y);
        const y = { top: point.y, bottom: point.y };
        const at = cuts[cut] ?? 0;
        extend(rows[cut], { left: at, right: rows[cut]?.right ?? at, ...y });
        extend(rows[cut + 1], { left: rows[cut + 1]?.left ?? at, right: at, ...y });
      }
    });
  }
  return placeRows({ boxes, routes }, cuts, rows, crossings);
}

/** Numbers of the cuts between two rows, in the order in which a line from one to the other meets them. */
function cutsBetween(from: number, to: number): number[] {
  const cuts = Array.from({ length: Math.abs(to - from) }, (_, index) => Math.min(from, to) + index);
  return to > from ? cuts : cuts.reverse();
}

function placeRows(
  { boxes, routes }: Drawing,
  cuts: readonly number[],
  rows: readonly Row[],
  crossings: readonly (readonly number[])[],
): Folded {
  const rowAt = (x: number) => cuts.filter((cut) => cut <= x).length;
  // Lines of one height at a cut are one line there.
  const heights = crossings.map((list) => [...new Set(list)].sort((one, other) => one - other));
  const pitches = heights.map(({ length }) => Math.min(LANE_PITCH, MAX_LANES / Math.max(1, length)));
  const lanes = heights.map(({ length }, cut) => LANE_MARGIN + length * (pitches[cut] ?? 0));
  const left = cuts.length === 0 ? 0 : Math.max(...lanes);
  const heightsOf = rows.map(withoutGaps);
  const tops: number[] = [];
  let y = 0;
  rows.forEach((row, index) => {
    tops.push(y);
    y += (heightsOf[index]?.(row.bottom) ?? 0) + (index < cuts.length ? (lanes[index] ?? 0) + ROW_GAP : 0);
  });
  const placed = ({ x, y: height }: Point, rowNumber: number): Point => ({
    x: x - (rows[rowNumber]?.left ?? 0) + left,
    y: (heightsOf[rowNumber]?.(height) ?? 0) + (tops[rowNumber] ?? 0),
  });
  /** From the end of a row to the beginning of the next. */
  const connector = (cut: number, height: number): Point[] => {
    const list = heights[cut] ?? [];
    const pitch = pitches[cut] ?? 0;
    const rank = list.indexOf(height);
    const reversed = list.length - 1 - rank;
    const row = rows[cut];
    const end = placed({ x: row?.right ?? 0, y: height }, cut);
    const start = placed({ x: rows[cut + 1]?.left ?? 0, y: height }, cut + 1);
    const bottom = (tops[cut] ?? 0) + (row ? (heightsOf[cut]?.(row.bottom) ?? 0) : 0);
    const lane = bottom + LANE_MARGIN + pitch * reversed;
    const far = end.x + LANE_MARGIN + pitch * reversed;
    const near = start.x - LANE_MARGIN - pitch * rank;
    return [
      { x: far, y: end.y },
      { x: far, y: lane },
      { x: near, y: lane },
      { x: near, y: start.y },
    ];
  };
  const foldedRoutes = new Map<string, readonly Point[]>();
  for (const [id, points] of routes) {
    const corners: Point[] = [];
    points.forEach((point, index) => {
      const row = rowAt(point.x);
      corners.push(placed(point, row));
      const next = points[index + 1];
      if (!next) return;
      const nextRow = rowAt(next.x);
      for (const cut of cutsBetween(row, nextRow)) {
        const way = connector(cut, point.y);
        corners.push(...(nextRow > row ? way : way.reverse()));
      }
    });
    foldedRoutes.set(id, withoutStraight(corners));
  }
  const foldedBoxes = new Map<string, Box>();
  let width = 0;
  for (const [id, box] of boxes) {
    const { x, y: top } = placed({ x: box.left, y: box.top }, rowAt(box.left));
    foldedBoxes.set(id, {
      left: x,
      top,
      right: x + box.right - box.left,
      bottom: top + box.bottom - box.top,
    });
  }
  rows.forEach((row, index) => {
    width = Math.max(width, left + row.right - row.left + (lanes[index] ?? 0));
  });
  return { boxes: foldedBoxes, routes: foldedRoutes, width, height: Math.max(0, y) };
}

/** Free heights in a row that are left of larger ones, which other rows have filled. */
const MAX_GAP = 28;

/** Heights in a row counted from its top, with less of what is free. Keeps every order. */
function withoutGaps({ bands }: Row): (height: number) => number {
  const taken: [top: number, bottom: number][] = [];
  for (const [top, bottom] of bands.sort(([one], [other]) => one - other)) {
    const last = taken.at(-1);
    if (last && top <= last[1] + MAX_GAP) last[1] = Math.max(last[1], bottom);
    else taken.push([top, bottom]);
  }
  /** The gap above each of them. */
  const removed: number[] = [];
  taken.forEach(([top], index) => {
    const above = taken[index - 1];
    removed.push(above ? (removed[index - 1] ?? 0) + top - above[1] - MAX_GAP : top);
  });
  return (height) => {
    const band = taken.findLastIndex(([top]) => top <= height);
    return height - (removed[Math.max(0, band)] ?? 0);
  };
}

/** The corners at which a line turns. */
function withoutStraight(points: readonly Point[]): Point[] {
  return points.filter((point, index) => {
    const before = points[index - 1];
    const after = points[index + 1];
    if (!before || !after) return true;
    const vertical = before.x === point.x && point.x === after.x;
    const horizontal = before.y === point.y && point.y === after.y;
    return !vertical && !horizontal;
  });
}
