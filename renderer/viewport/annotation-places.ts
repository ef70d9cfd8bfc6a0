/** Where frames and notes are, and which nodes lie in a frame. */
import type { Annotation, Point } from "../document/model.js";
import { useDocument } from "../stores/document-store.js";
import { currentMap } from "./current-map.js";
import { nodesIn } from "./graph-map.js";
import { rectsOf } from "./move-items.js";
import { overlap, type Rect } from "./rect.js";

/** Space between a frame and what is in it; above it the title. */
const PADDING = 24;
const TITLE = 40;
const GRID = 8;
const MAX_TRIES = 60;

export function annotationRect({ at, width, height }: Annotation): Rect {
  return { left: at.x, top: at.y, right: at.x + width, bottom: at.y + height };
}

/** Names of the nodes that lie in a frame as a whole; a note holds none. */
export function nodesWithin(annotation: Annotation): string[] {
  if (annotation.kind === "note") return [];
  const map = currentMap();
  return nodesIn(map, annotationRect(annotation), true).flatMap((index) => {
    const item = map.items[index];
    return item?.kind === "node" ? [item.id] : [];
  });
}

/** Moves up from `wanted` until nothing is in the way; stays where all is full. */
export function freeArea(wanted: Point, { width, height }: Pick<Annotation, "width" | "height">): Point {
  const map = currentMap();
  const others = useDocument.getState().document.annotations.map(annotationRect);
  for (let tried = 0; tried < MAX_TRIES; tried++) {
    const at = { x: wanted.x, y: wanted.y - tried * PADDING };
    const area: Rect = { left: at.x, top: at.y, right: at.x + width, bottom: at.y + height };
    if (nodesIn(map, area).length === 0 && !others.some((rect) => overlap(rect, area))) return at;
  }
  return wanted;
}

/** The area of a frame around the selected nodes. */
export function frameAroundSelection(): Pick<Annotation, "at" | "width" | "height"> | undefined {
  const rects = [...rectsOf(useDocument.getState().selection).values()];
  if (rects.length === 0) return undefined;
  const down = (value: number) => Math.floor(value / GRID) * GRID;
  const up = (value: number) => Math.ceil(value / GRID) * GRID;
  const left = down(Math.min(...rects.map((rect) => rect.left)) - PADDING);
  const top = down(Math.min(...rects.map((rect) => rect.top)) - TITLE);
  const right = up(Math.max(...rects.map((rect) => rect.right)) + PADDING);
  const bottom = up(Math.max(...rects.map((rect) => rect.bottom)) + PADDING);
  return { at: { x: left, y: top }, width: right - left, height: bottom - top };
}
