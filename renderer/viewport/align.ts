/** Puts rectangles in line, or at equal distances. */
import type { Point } from "../document/model.js";
import type { Rect } from "./rect.js";

/** The edge or the axis that rectangles are put on: that of the outermost, or the middle between the outermost. */
export type Alignment = "left" | "centre" | "right" | "top" | "middle" | "bottom";

/** across: from left to right. down: from top to bottom. */
export type Direction = "across" | "down";

type Rects = ReadonlyMap<string, Rect>;

/** The new upper left corners of those that move. */
export function aligned(rects: Rects, alignment: Alignment): ReadonlyMap<string, Point> {
  const all = [...rects.values()];
  const left = Math.min(...all.map((rect) => rect.left));
  const right = Math.max(...all.map((rect) => rect.right));
  const top = Math.min(...all.map((rect) => rect.top));
  const bottom = Math.max(...all.map((rect) => rect.bottom));
  return moved(rects, (rect) => {
    const [width, height] = [rect.right - rect.left, rect.bottom - rect.top];
    switch (alignment) {
      case "left":
        return { x: left, y: rect.top };
      case "centre":
        return { x: Math.round((left + right - width) / 2), y: rect.top };
      case "right":
        return { x: right - width, y: rect.top };
      case "top":
        return { x: rect.left, y: top };
      case "middle":
        return { x: rect.left, y: Math.round((top + bottom - height) / 2) };
      case "bottom":
        return { x: rect.left, y: bottom - height };
    }
  });
}

/**
 * The new upper left corners of those that move so that the gaps between neighbours are equal, and never negative. The
 * outermost ones stay where they are if there is room between them; otherwise the first one does.
 */
export function distributed(rects: Rects, direction: Direction): ReadonlyMap<string, Point> {
  const span = (rect: Rect) =>
    direction === "across" ? { from: rect.left, to: rect.right } : { from: rect.top, to: rect.bottom };
  const spans = [...rects].map(([id, rect]) => ({ id, ...span(rect) }));
  // By their centres, as they are read: a wide one may begin before a narrow one that stands to its left.
  spans.sort((one, other) => one.from + one.to - other.from - other.to);
  const start = Math.min(...spans.map(({ from }) => from));
  const end = Math.max(...spans.map(({ to }) => to));
  const filled = spans.reduce((sum, { from, to }) => sum + to - from, 0);
  const gap = Math.max(0, (end - start - filled) / Math.max(1, spans.length - 1));
  const places = new Map<string, number>();
  let at = start;
  for (const { id, from, to } of spans) {
    places.set(id, Math.round(at));
    at += to - from + gap;
  }
  return moved(rects, (rect, id) => {
    const place = places.get(id) ?? 0;
    return direction === "across" ? { x: place, y: rect.top } : { x: rect.left, y: place };
  });
}

function moved(rects: Rects, cornerOf: (rect: Rect, id: string) => Point): ReadonlyMap<string, Point> {
  const corners = new Map<string, Point>();
  for (const [id, rect] of rects) {
    const corner = cornerOf(rect, id);
    if (corner.x !== rect.left || corner.y !== rect.top) corners.set(id, corner);
  }
  return corners;
}
