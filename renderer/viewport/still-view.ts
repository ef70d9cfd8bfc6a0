/** Keeps the graph at its place on the screen while panels come and go. Pure. */
import type { Viewport } from "@xyflow/react";
import { contains, type Rect } from "./rect.js";
import { type Frame, isClose, isFitted, keptOnScreen, viewAfterPanel, visibleArea } from "./view.js";

/** A view that was fitted again because a panel hid a part of the graph. */
interface Refit {
  /** The view and the canvas before that. */
  readonly view: Viewport;
  readonly frame: Frame;
  /** The view since. */
  readonly refitted: Viewport;
}

/** Keeps the view of one canvas still. */
export class StillView {
  #refit: Refit | undefined;
  /** The view of a fitted graph as panels have left it; any other one is the user's. */
  #fitted: Viewport | undefined;

  /** The view after a panel changed the canvas: where one has gone that had the graph fitted again, as it was before. */
  afterPanel(view: Viewport, before: Frame, after: Frame, bounds: Rect | undefined): Viewport {
    // Unless the user has moved the view meanwhile.
    const refit = this.#refit && isClose(view, this.#refit.refitted) ? this.#refit : undefined;
    const restored = refit && bounds && restoredView(refit, after, bounds);
    if (restored) {
      this.#refit = undefined;
      this.#fitted = restored;
      return restored;
    }
    const wasFitted = this.isFitted(view, before, bounds);
    const next = viewAfterPanel(view, before, after, bounds, wasFitted);
    this.#fitted = wasFitted ? next : undefined;
    if (refit) this.#refit = { ...refit, refitted: next };
    else {
      const isKept = isClose(next, keptOnScreen(view, before, after));
      this.#refit = isKept ? undefined : { view, frame: before, refitted: next };
    }
    return next;
  }

  /** True while the graph is fitted but for what panels have done: not after the user has moved it, or it has grown out of view. */
  isFitted(view: Viewport, frame: Frame, bounds: Rect | undefined): boolean {
    if (isFitted(view, frame, bounds)) return true;
    if (!bounds || !this.#fitted || !isClose(view, this.#fitted)) return false;
    return contains(visibleArea(view, frame), bounds);
  }

  /** After a change of the window's size, what panels had changed before is not restored. */
  afterResize(after: Viewport, wasFitted: boolean): void {
    this.#refit = undefined;
    this.#fitted = wasFitted ? after : undefined;
  }
}

function restoredView(
  { view: { x, y, zoom }, frame }: Refit,
  after: Frame,
  bounds: Rect,
): Viewport | undefined {
  if (after.width < frame.width || after.height < frame.height) return undefined;
  const view = { x: x - (after.left - frame.left), y: y - (after.top - frame.top), zoom };
  return contains(visibleArea(view, after), bounds) ? view : undefined;
}
