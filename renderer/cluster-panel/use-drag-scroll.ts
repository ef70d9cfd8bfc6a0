import { useEffect } from "react";
import { trackPinDrag } from "../parts/pin-drag.js";
import { useDrag } from "../stores/drag-store.js";

/** Nodes held so near to an edge of the list scroll it. */
const EDGE_PIXELS = 40;
const PIXELS_A_FRAME = 8;

/** Scrolls the list while nodes are dragged at its upper or lower edge, so every task can be a drop target. */
export function useDragScroll(frame: HTMLElement | null): void {
  const dragging = useDrag((state) => state.nodes.length > 0);
  useEffect(() => {
    if (frame === null || !dragging) return;
    let request = 0;
    const step = () => {
      request = requestAnimationFrame(step);
      const { nodes, pointer } = useDrag.getState();
      if (pointer === undefined) return;
      const speed = scrollSpeed(frame.getBoundingClientRect(), pointer);
      const before = frame.scrollTop;
      if (speed === 0) return;
      frame.scrollTop += speed;
      // Another task is under the pointer now, though the pointer did not move.
      if (frame.scrollTop !== before) trackPinDrag(nodes, { clientX: pointer.x, clientY: pointer.y });
    };
    request = requestAnimationFrame(step);
    return () => cancelAnimationFrame(request);
  }, [frame, dragging]);
}

function scrollSpeed(
  { left, right, top, bottom }: DOMRect,
  { x, y }: { readonly x: number; readonly y: number },
): number {
  if (x < left || x > right || y < top || y > bottom) return 0;
  if (y < top + EDGE_PIXELS) return -PIXELS_A_FRAME;
  return y > bottom - EDGE_PIXELS ? PIXELS_A_FRAME : 0;
}
