/** Keeps the graph where it is on the screen when a bar or a panel beside it comes, goes or changes its size. */
import { type RefObject, useEffect } from "react";
import { useCanvas } from "./view-store.js";

export function useStillGraph(canvas: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const element = canvas.current;
    if (!element) return;
    let { left, top } = element.getBoundingClientRect();
    const observer = new ResizeObserver(() => {
      const now = element.getBoundingClientRect();
      const { flow } = useCanvas.getState();
      if (flow && (now.left !== left || now.top !== top)) {
        const { x, y, zoom } = flow.getViewport();
        void flow.setViewport({ x: x - (now.left - left), y: y - (now.top - top), zoom });
      }
      ({ left, top } = now);
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [canvas]);
}
