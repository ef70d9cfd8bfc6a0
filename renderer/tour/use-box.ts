import { useEffect, useState } from "react";
import type { Box } from "./card-place.js";

/**
 * Where an element is in the window. It is looked for in every frame, because it may move with the view of the graph, be
 * scrolled, and come and go.
 *
 * @returns undefined while it is not in the window
 */
export function useBox(selector: string): Box | undefined {
  const [box, setBox] = useState<Box>();
  useEffect(() => {
    let frame = 0;
    const look = () => {
      const found = boxOf(selector);
      setBox((before) => (isSame(before, found) ? before : found));
      frame = requestAnimationFrame(look);
    };
    look();
    return () => cancelAnimationFrame(frame);
  }, [selector]);
  return box;
}

function boxOf(selector: string): Box | undefined {
  const element = document.querySelector(selector);
  if (element === null) return undefined;
  const { left, top, right, bottom, width, height } = element.getBoundingClientRect();
  const isInWindow = right > 0 && bottom > 0 && left < innerWidth && top < innerHeight;
  return isInWindow && width > 0 ? { left, top, width, height } : undefined;
}

function isSame(one: Box | undefined, other: Box | undefined): boolean {
  return (["left", "top", "width", "height"] as const).every((side) => one?.[side] === other?.[side]);
}
