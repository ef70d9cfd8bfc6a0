/** Where frames and notes are, and which nodes lie in a frame. */
import type { Annotation, Point } from "../document/model.js";
import { useGraph } from "../stores/document-store.js";
import { isGraphArranged } from "../stores/graph-view-store.js";
import { currentMap, itemShowing } from "./current-map.js";
import { nodeRect, nodesIn } from "./graph-map.js";
import { overlap, type Rect } from "./rect.js";
import { nodesOfItem } from "./shown-graph.js";

/** Space between a frame and what is in it; above it the title. */
const PADDING = 24;
const TITLE = 40;
const GRID = 8;
const MAX_TRIES = 60;

/** The place of a note: how far below its node it is, and its size, for which the layout has room. */
const NOTE_GAP = 8;
const NOTE_WIDTH = 160;
const NOTE_HEIGHT = 40;

export function annotationRect({ at, width, height }: Annotation): Rect {
  return { left: at.x, top: at.y, right: at.x + width, bottom: at.y + height };
}

/**
 * Where a frame or a note is drawn. Where the window arranges the graph, that is around what shows its nodes, or below the
 * first of them; undefined if none of them is there.
 */
export function drawnRect(annotation: Annotation): Rect | undefined {
  if (!isGraphArranged()) return annotationRect(annotation);
  const rects = rectsShowing(annotation.nodes ?? []);
  const [first] = rects;
  if (first === undefined) return undefined;
  if (annotation.kind === "frame") return aroundAll(rects);
  const top = first.bottom + NOTE_GAP;
  return { left: first.left, top, right: first.left + NOTE_WIDTH, bottom: top + NOTE_HEIGHT };
}

/** Where nodes are drawn, or the closed scopes that they are in. */
function rectsShowing(names: Iterable<string>): readonly Rect[] {
  const map = currentMap();
  const items = new Set([...names].flatMap((name) => itemShowing(name) ?? []));
  return [...items].flatMap((id) => {
    const index = map.indexOf.get(id);
    return index === undefined ? [] : [nodeRect(map, index)];
  });
}

/** A frame around rectangles, with room for its title. */
function aroundAll(rects: readonly Rect[]): Rect {
  return {
    left: Math.min(...rects.map(({ left }) => left)) - PADDING,
    top: Math.min(...rects.map(({ top }) => top)) - TITLE,
    right: Math.max(...rects.map(({ right }) => right)) + PADDING,
    bottom: Math.max(...rects.map(({ bottom }) => bottom)) + PADDING,
  };
}

/** Names of the nodes that lie in a frame as a whole, or in a closed scope that does; a note holds none. */
export function nodesWithin(annotation: Annotation): string[] {
  if (annotation.kind === "note") return [];
  const map = currentMap();
  return nodesIn(map, annotationRect(annotation), true).flatMap((index) => {
    const item = map.items[index];
    return item === undefined || item.kind === "frame" ? [] : nodesOfItem(item);
  });
}

/** Moves up from `wanted` until nothing is in the way; stays where all is full. */
export function freeArea(wanted: Point, { width, height }: Pick<Annotation, "width" | "height">): Point {
  const map = currentMap();
  const others = useGraph.getState().document.annotations.map(annotationRect);
  for (let tried = 0; tried < MAX_TRIES; tried++) {
    const at = { x: wanted.x, y: wanted.y - tried * PADDING };
    const area: Rect = { left: at.x, top: at.y, right: at.x + width, bottom: at.y + height };
    if (nodesIn(map, area).length === 0 && !others.some((rect) => overlap(rect, area))) return at;
  }
  return wanted;
}

/** The area of a frame around the selected nodes. */
export function frameAroundSelection(): Pick<Annotation, "at" | "width" | "height"> | undefined {
  const rects = rectsShowing(useGraph.getState().selection);
  if (rects.length === 0) return undefined;
  const down = (value: number) => Math.floor(value / GRID) * GRID;
  const up = (value: number) => Math.ceil(value / GRID) * GRID;
  const around = aroundAll(rects);
  const [left, top, right, bottom] = [
    down(around.left),
    down(around.top),
    up(around.right),
    up(around.bottom),
  ];
  return { at: { x: left, y: top }, width: right - left, height: bottom - top };
}
