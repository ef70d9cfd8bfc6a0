import { type PointerEvent, useRef } from "react";
import type { Point } from "../document/model.js";
import { toGraph } from "../viewport/view.js";

/** Distance on the screen from which a press is a drag, in pixels. */
const THRESHOLD = 4;
const GRID = 8;

interface GraphDrag {
  onStart?(): void;
  /** How far it has been dragged, in canvas pixels on the grid. */
  onMove(moved: Point): void;
  /** Let go; undefined: cancelled, or not moved. */
  onEnd(moved: Point | undefined): void;
}

interface Held {
  readonly from: Point;
  readonly pointer: number;
  moved: Point | undefined;
}

/** Handlers of an element on the canvas that is dragged by itself. Escape cancels. */
export function useGraphDrag({ onStart, onMove, onEnd }: GraphDrag) {
  const held = useRef<Held>(undefined);
  const stop = useRef<() => void>(undefined);
  const end = (moved: Point | undefined) => {
    const had = held.current?.moved !== undefined;
    held.current = undefined;
    stop.current?.();
    if (had) onEnd(moved);
  };
  return {
    onPointerDown: (event: PointerEvent<HTMLElement>) => {
      if (
        event.button !== 0 ||
        (event.target instanceof Element && event.target.closest("input, textarea, [aria-haspopup]"))
      )
        return;
      held.current = {
        from: { x: event.clientX, y: event.clientY },
        pointer: event.pointerId,
        moved: undefined,
      };
      const cancel = (key: globalThis.KeyboardEvent) => {
        if (key.key === "Escape") end(undefined);
      };
      window.addEventListener("keydown", cancel, true);
      stop.current = () => window.removeEventListener("keydown", cancel, true);
    },
    onPointerMove: ({ clientX, clientY, pointerId, currentTarget }: PointerEvent<HTMLElement>) => {
      const drag = held.current;
      if (drag?.pointer !== pointerId) return;
      if (!drag.moved) {
        if (Math.hypot(clientX - drag.from.x, clientY - drag.from.y) < THRESHOLD) return;
        currentTarget.setPointerCapture(pointerId);
        onStart?.();
      }
      const [from, to] = [toGraph(drag.from), toGraph({ x: clientX, y: clientY })];
      drag.moved = { x: onGrid(to.x - from.x), y: onGrid(to.y - from.y) };
      onMove(drag.moved);
    },
    onPointerUp: () => end(held.current?.moved),
    onPointerCancel: () => end(undefined),
  };
}

function onGrid(length: number): number {
  return Math.round(length / GRID) * GRID;
}
