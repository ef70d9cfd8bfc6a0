/** Where the view is over the graph, and how it is moved. All points are of the graph, wherever its origin is for React Flow. */
import { getViewportForBounds, type Viewport } from "@xyflow/react";
import type { Point } from "../document/model.js";
import { inSession, onGraphChange } from "../stores/document-session.js";
import { useGraph } from "../stores/document-store.js";
import { graphViewActions, isGraphArranged } from "../stores/graph-view-store.js";
import { currentMap, forgetMap, itemShowing } from "./current-map.js";
import { nodeRect } from "./graph-map.js";
import { aroundBoth, contains, type Rect } from "./rect.js";
import { useCanvas } from "./view-store.js";

/** True where the user asked the system for less motion. */
export function reducedMotion(): boolean {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/** Duration of a movement of the view, in milliseconds. */
export function viewDuration(): number {
  return reducedMotion() ? 0 : 180;
}

export const MIN_ZOOM = 0.05;
export const MAX_ZOOM = 2;
const FIT_PADDING = 0.15;
/** Room for what lies over the sides of the canvas, in pixels. */
const OVERLAY_MARGIN = { top: 56, bottom: 64, side: 28 };
const FIT_MAX_ZOOM = 1;

/** The origin is moved when the view is further from it, in canvas pixels, and then to a multiple of the grid. */
const MAX_FROM_ORIGIN = 32_768;
/** A multiple of the grid that nodes snap to. */
const ORIGIN_GRID = 4096;

function canvasFrame(): DOMRect | undefined {
  return document.querySelector("[data-canvas]")?.getBoundingClientRect();
}

/** The canvas without what a panel covers on its right side, as the inspector of a narrow window does. */
function uncoveredFrame(): Frame | undefined {
  const frame = canvasFrame();
  const cover = document.querySelector("[data-covers-canvas]")?.getBoundingClientRect();
  if (!frame || !cover) return frame;
  const { left, top, width, height } = frame;
  return { left, top, height, width: Math.max(1, Math.min(width, cover.left - left)) };
}

/** The point of the graph that is seen at a point of the screen. */
export function toGraph(screen: Point): Point {
  const { flow, origin } = useCanvas.getState();
  const { x, y } = flow?.screenToFlowPosition(screen) ?? screen;
  return { x: x + origin.x, y: y + origin.y };
}

/** Where on the screen a point of the graph is seen. */
export function toScreen({ x, y }: Point): Point {
  const { flow, origin } = useCanvas.getState();
  const near = { x: x - origin.x, y: y - origin.y };
  return flow?.flowToScreenPosition(near) ?? near;
}

/** The view: a point p of the graph is seen at p · zoom + (x, y) of the canvas. */
export function currentView(): Viewport {
  const { flow, origin } = useCanvas.getState();
  const { x, y, zoom } = flow?.getViewport() ?? { x: 0, y: 0, zoom: 1 };
  return { x: x - origin.x * zoom, y: y - origin.y * zoom, zoom };
}

export function moveView(view: Viewport, duration = viewDuration()): void {
  const { flow } = useCanvas.getState();
  const frame = canvasFrame();
  if (!flow || !frame) return;
  bringOrigin(middleOf(view, frame));
  const { origin } = useCanvas.getState();
  const { x, y, zoom } = view;
  void flow.setViewport({ x: x + origin.x * zoom, y: y + origin.y * zoom, zoom }, { duration });
}

/** Shows a document for the first time, whole, or as it was when it was left for another one. */
export function beginView(): void {
  const { left } = useCanvas.getState();
  const frame = canvasFrame();
  if (!frame || left?.generation !== useGraph.getState().generation) {
    fitGraph(undefined, 0);
    return;
  }
  // The bar of tabs may have come meanwhile; nodes stay in their place on the screen.
  const { view, canvas } = left;
  moveView({ x: view.x + canvas.x - frame.left, y: view.y + canvas.y - frame.top, zoom: view.zoom }, 0);
}

/** Remembers the view, and ends what was begun on the canvas. */
function leaveView(): void {
  const { generation } = useGraph.getState();
  const frame = canvasFrame();
  const isDrawn = useCanvas.getState().flow !== undefined && currentMap().bounds !== undefined;
  useCanvas.setState({
    left: frame && isDrawn ? { view: currentView(), canvas: frame, generation } : undefined,
    flow: undefined,
    pinChooserOpen: false,
    pulling: undefined,
    edgeMenu: undefined,
    contextMenu: undefined,
    editedAnnotation: undefined,
    pointedNode: undefined,
    pointedEdge: undefined,
  });
  forgetMap();
}

// The canvas of the document that is left is still on the screen.
onGraphChange((left) => {
  if (globalThis.document !== undefined) inSession(left, leaveView);
});

/** Takes the origin to where the view has arrived. Not during a gesture, which counts from where it began. */
export function originFollowsView(): void {
  bringOrigin(viewCentre());
}

/** Moves the origin near a point that is shown next; what is seen stays where it is. */
function bringOrigin({ x, y }: Point): void {
  const { flow, origin } = useCanvas.getState();
  if (!flow || Math.max(Math.abs(x - origin.x), Math.abs(y - origin.y)) <= MAX_FROM_ORIGIN) return;
  const view = currentView();
  const moved = {
    x: Math.round(x / ORIGIN_GRID) * ORIGIN_GRID,
    y: Math.round(y / ORIGIN_GRID) * ORIGIN_GRID,
  };
  useCanvas.setState({ origin: moved });
  void flow.setViewport({
    x: view.x + moved.x * view.zoom,
    y: view.y + moved.y * view.zoom,
    zoom: view.zoom,
  });
}

function middleOf({ x, y, zoom }: Viewport, { width, height }: { width: number; height: number }): Point {
  return { x: (width / 2 - x) / zoom, y: (height / 2 - y) / zoom };
}

/** The part of the graph that a canvas of a size shows. */
export function visibleArea(
  { x, y, zoom }: Viewport,
  { width, height }: { readonly width: number; readonly height: number },
): Rect {
  return { left: -x / zoom, top: -y / zoom, right: (width - x) / zoom, bottom: (height - y) / zoom };
}

/** Shows the whole graph, or these nodes of it; closed scopes for nodes that are in them. */
export function fitGraph(names?: readonly string[], duration = viewDuration()): void {
  const frame = canvasFrame();
  const area = names ? areaOf(names) : currentMap().bounds;
  if (frame && area) moveView(fittingView(area, frame), duration);
}

function fittingView(
  { left, top, right, bottom }: Rect,
  { width, height }: { readonly width: number; readonly height: number },
  maxZoom = FIT_MAX_ZOOM,
): Viewport {
  const bounds = { x: left, y: top, width: right - left, height: bottom - top };
  return getViewportForBounds(bounds, width, height, MIN_ZOOM, maxZoom, fitPadding({ width, height }));
}

type FitPadding = Parameters<typeof getViewportForBounds>[5];

/** Free space around a graph that is shown whole: what lies over the canvas hides nothing of it, where there is room. */
function fitPadding({ width, height }: { readonly width: number; readonly height: number }): FitPadding {
  const { top, bottom, side } = OVERLAY_MARGIN;
  // An arranged graph fills the canvas.
  const share = isGraphArranged() ? 0 : FIT_PADDING / (1 + FIT_PADDING) / 2;
  if (height < 2 * (top + bottom)) return FIT_PADDING;
  return {
    top: `${Math.max(top, share * height)}px`,
    bottom: `${Math.max(bottom, share * height)}px`,
    x: `${Math.max(side, share * width)}px`,
  };
}

/** The space that a graph is arranged to fill, of a canvas of a size. */
export function arrangedSpace({ width, height }: { readonly width: number; readonly height: number }) {
  const { top, bottom, side } = OVERLAY_MARGIN;
  return { width: Math.max(1, width - 2 * side), height: Math.max(1, height - top - bottom) };
}

function areaOf(names: readonly string[]): Rect | undefined {
  const map = currentMap();
  const rects = names.flatMap((name) => {
    const index = map.indexOf.get(name) ?? map.indexOf.get(itemShowing(name) ?? "");
    return index === undefined ? [] : [nodeRect(map, index)];
  });
  return rects.length === 0 ? undefined : rects.reduce(aroundBoth);
}

/** Free space between a node that was brought into view and the edge of the canvas, in CSS pixels. */
const REVEAL_MARGIN = 32;

/** Brings a node into view when it is not visible: by as little as that takes when it is near, else into the middle. */
export function revealNode(name: string, duration = viewDuration()): void {
  revealNodes([name], duration);
}

/** Brings nodes into the part of the canvas that no panel covers, if all of them fit into it. */
export function revealBesideCover(names: readonly string[]): void {
  const frame = uncoveredFrame();
  const rect = areaOf(names);
  if (!frame || !rect) return;
  // Above the buttons that lie over the lower side.
  const free = { width: frame.width, height: Math.max(1, frame.height - OVERLAY_MARGIN.bottom) };
  const view = currentView();
  const moved = revealedView(view, rect, free);
  if (moved !== view && contains(visibleArea(moved, free), rect)) moveView(moved);
}

/** More nodes than this are not looked for in closed scopes. */
const MAX_UNCOVERED = 50;

/** Opens what hides some of the nodes; they are brought into view once that is drawn. False if nothing does. */
function uncover(names: readonly string[]): boolean {
  const { indexOf } = currentMap();
  if (names.length > MAX_UNCOVERED) return false;
  const { nodes } = useGraph.getState().document;
  if (names.every((name) => indexOf.has(name) || !nodes.has(name))) return false;
  graphViewActions.uncover(names.filter((name) => nodes.has(name)));
  return true;
}

/** Brings an item of the drawing into view. */
export function revealItem(id: string, duration = viewDuration()): void {
  const map = currentMap();
  const frame = uncoveredFrame();
  const index = map.indexOf.get(id);
  if (frame && index !== undefined) revealRect(nodeRect(map, index), duration);
}

/** Brings an area of the graph into view; one that is larger than the canvas is shown whole. */
export function revealRect(rect: Rect, duration = viewDuration()): void {
  const frame = uncoveredFrame();
  if (!frame) return;
  const view = currentView();
  const isLarge =
    (rect.right - rect.left) * view.zoom > frame.width || (rect.bottom - rect.top) * view.zoom > frame.height;
  const moved = isLarge ? fittingView(rect, frame) : revealedView(view, rect, frame);
  if (moved !== view) moveView(moved, duration);
}

/** Shows an item of the drawing as large as it can be shown whole. */
export function showItem(id: string, duration = viewDuration()): void {
  const map = currentMap();
  const frame = canvasFrame();
  const index = map.indexOf.get(id);
  if (frame && index !== undefined) moveView(fittingView(nodeRect(map, index), frame), duration);
}

/** Whether the whole graph is in view. */
export function isSeenWhole(): boolean {
  const frame = canvasFrame();
  const { bounds } = currentMap();
  return frame !== undefined && bounds !== undefined && contains(visibleArea(currentView(), frame), bounds);
}

/** Brings nodes into view together; where they are too many for that, the first of them. */
export function revealNodes(names: readonly string[], duration = viewDuration()): void {
  if (uncover(names)) return;
  const frame = uncoveredFrame();
  const all = areaOf(names);
  const { zoom } = currentView();
  const fits =
    frame &&
    all &&
    (all.right - all.left) * zoom < frame.width &&
    (all.bottom - all.top) * zoom < frame.height;
  const rect = fits ? all : areaOf(names.slice(0, 1));
  if (!frame || !rect) return;
  const view = currentView();
  const moved = revealedView(view, rect, frame);
  if (moved !== view) moveView(moved, duration);
}

/** The view in which a rectangle is seen whole; the same one where it is already. */
export function revealedView(
  view: Viewport,
  rect: Rect,
  size: { readonly width: number; readonly height: number },
): Viewport {
  const { x, y, zoom } = view;
  if (contains(visibleArea(view, size), rect)) return view;
  const dx = shiftInto(
    rect.left * zoom + x,
    rect.right * zoom + x,
    REVEAL_MARGIN,
    size.width - REVEAL_MARGIN,
  );
  const dy = shiftInto(
    rect.top * zoom + y,
    rect.bottom * zoom + y,
    REVEAL_MARGIN,
    size.height - REVEAL_MARGIN,
  );
  const isNear = Math.abs(dx) < size.width / 2 && Math.abs(dy) < size.height / 2;
  if (isNear && zoom >= 0.5) return { x: x + dx, y: y + dy, zoom };
  const seen = Math.max(zoom, 0.5);
  return {
    x: size.width / 2 - ((rect.left + rect.right) / 2) * seen,
    y: size.height / 2 - ((rect.top + rect.bottom) / 2) * seen,
    zoom: seen,
  };
}

/** How far a stretch has to be moved so that it lies within limits; its beginning counts where it does not fit. */
function shiftInto(from: number, to: number, least: number, most: number): number {
  if (from < least || to - from > most - least) return least - from;
  return to > most ? most - to : 0;
}

/** The middle of the visible part of the graph. */
export function viewCentre(): Point {
  const frame = canvasFrame();
  return frame ? middleOf(currentView(), frame) : { x: 0, y: 0 };
}

/**
 * The view after the window got another size: a graph that was fitted is fitted again, one that was seen whole is still seen
 * whole, and otherwise what was in the middle stays there.
 *
 * @param wasFitted also where panels have shifted the graph since
 */
export function viewAfterResize(
  view: Viewport,
  before: { readonly width: number; readonly height: number },
  after: { readonly width: number; readonly height: number },
  bounds: Rect | undefined,
  wasFitted = isFitted(view, before, bounds),
): Viewport {
  const kept = {
    x: view.x + (after.width - before.width) / 2,
    y: view.y + (after.height - before.height) / 2,
    zoom: view.zoom,
  };
  if (!bounds) return kept;
  if (wasFitted) return fittingView(bounds, after);
  const isCutOff = contains(visibleArea(view, before), bounds) && !contains(visibleArea(kept, after), bounds);
  return isCutOff ? fittingView(bounds, after) : kept;
}

/** Where a canvas is on the screen. */
export type Frame = Pick<DOMRect, "left" | "top" | "width" | "height">;

/**
 * The view after a panel changed the place or size of the canvas: the graph stays where it is on the screen. One that was
 * seen whole, and of which a part would now be hidden by a side or by what lies over the lower one, is fitted again, at no
 * larger zoom than the user had chosen.
 *
 * @param wasFitted also where panels have shifted the graph since
 */
export function viewAfterPanel(
  view: Viewport,
  before: Frame,
  after: Frame,
  bounds: Rect | undefined,
  wasFitted = isFitted(view, before, bounds),
): Viewport {
  const kept = keptOnScreen(view, before, after);
  if (!bounds || !(wasFitted || contains(visibleArea(view, before), bounds))) return kept;
  const free = { width: after.width, height: after.height - OVERLAY_MARGIN.bottom };
  if (contains(visibleArea(kept, free), bounds)) return kept;
  return fittingView(bounds, after, wasFitted ? FIT_MAX_ZOOM : view.zoom);
}

/** The view in which the graph stays where it is on the screen while the canvas is moved or resized. */
export function keptOnScreen({ x, y, zoom }: Viewport, before: Frame, after: Frame): Viewport {
  return { x: x - (after.left - before.left), y: y - (after.top - before.top), zoom };
}

/** Whether the whole graph is seen as "Fit" shows it. */
export function isFitted(
  view: Viewport,
  frame: Pick<Frame, "width" | "height">,
  bounds: Rect | undefined,
): boolean {
  return bounds !== undefined && isClose(view, fittingView(bounds, frame));
}

/** Whether nobody sees a difference. */
export function isClose(one: Viewport, other: Viewport): boolean {
  const isNear = (a: number, b: number) => Math.abs(a - b) < 1;
  return isNear(one.x, other.x) && isNear(one.y, other.y) && Math.abs(one.zoom - other.zoom) < 0.001;
}
