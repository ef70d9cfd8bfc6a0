/**
 * Adjusts the view when the canvas is moved or resized. A bar or panel that appears, disappears or is resized leaves
 * the graph at its position on the screen, unless it hides a part of a graph that was seen whole; resizing the window keeps
 * the same part in view, and a fitted graph fitted. Also tells whether the canvas is small.
 */
import type { Viewport } from "@xyflow/react";
import { type RefObject, useEffect } from "react";
import { currentMap } from "../viewport/current-map.js";
import { StillView } from "../viewport/still-view.js";
import { currentView, moveView, viewAfterResize } from "../viewport/view.js";
import { useCanvas } from "../viewport/view-store.js";

/** In a smaller canvas the minimap would hide what it shows. In pixels. */
const SMALL_WIDTH = 400;
const SMALL_HEIGHT = 320;

export function useStillGraph(canvas: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const element = canvas.current;
    if (!element) return;
    let before = element.getBoundingClientRect();
    const still = new StillView();
    let windowSize = sizeOfWindow();
    /** The canvas and its view before the window got another size, while the panels still follow it. */
    let start: { readonly rect: DOMRect; readonly view: Viewport; readonly wasFitted: boolean } | undefined;
    const settled = () => {
      start = undefined;
    };
    const observer = new ResizeObserver(() => {
      const now = element.getBoundingClientRect();
      const view = currentView();
      const { bounds } = currentMap();
      if (sizeOfWindow() !== windowSize) {
        start = { rect: before, view, wasFitted: still.isFitted(view, before, bounds) };
        // Panels are laid out after the window has its size, some of them with the frame after that.
        requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(settled)));
      }
      if (start) {
        const { rect, wasFitted } = start;
        const after = viewAfterResize(start.view, rect, now, bounds, wasFitted);
        still.afterResize(after, wasFitted);
        moveView(after, 0);
      } else {
        const after = still.afterPanel(view, before, now, bounds);
        if (after.x !== view.x || after.y !== view.y || after.zoom !== view.zoom) moveView(after, 0);
      }
      const isSmall = now.height < SMALL_HEIGHT || now.width < SMALL_WIDTH;
      if (isSmall !== useCanvas.getState().isSmall) useCanvas.setState({ isSmall });
      before = now;
      windowSize = sizeOfWindow();
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [canvas]);
}

function sizeOfWindow(): string {
  return `${window.innerWidth} ${window.innerHeight}`;
}
