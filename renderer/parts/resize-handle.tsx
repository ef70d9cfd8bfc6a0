import type { KeyboardEvent, PointerEvent, ReactElement } from "react";
import { LIMITS, uiActions, useUi } from "../stores/ui-store.js";

interface ResizeHandleProps {
  readonly panel: keyof typeof LIMITS;
  /** The edge of the panel that the handle is. */
  readonly edge: "left" | "right" | "top";
  readonly label: string;
}

const KEY_STEP = 16;

/** The edge between two panels; dragged, or moved by the arrow keys. */
export function ResizeHandle({ panel, edge, label }: ResizeHandleProps): ReactElement {
  const size = useUi((state) => state[panel]);
  const sign = edge === "right" ? 1 : -1;
  const vertical = edge !== "top";

  const onPointerDown = (down: PointerEvent<HTMLDivElement>) => {
    if (down.button !== 0) return;
    const handle = down.currentTarget;
    const start = vertical ? down.clientX : down.clientY;
    handle.setPointerCapture(down.pointerId);
    down.preventDefault();
    const move = (now: globalThis.PointerEvent) =>
      uiActions.resize(panel, size + sign * ((vertical ? now.clientX : now.clientY) - start));
    const stop = () => {
      handle.removeEventListener("pointermove", move);
      handle.removeEventListener("pointerup", stop);
      handle.removeEventListener("pointercancel", stop);
    };
    handle.addEventListener("pointermove", move);
    handle.addEventListener("pointerup", stop);
    handle.addEventListener("pointercancel", stop);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const larger = vertical ? (sign > 0 ? "ArrowRight" : "ArrowLeft") : "ArrowUp";
    const smaller = vertical ? (sign > 0 ? "ArrowLeft" : "ArrowRight") : "ArrowDown";
    if (event.key === larger) uiActions.resize(panel, size + KEY_STEP);
    else if (event.key === smaller) uiActions.resize(panel, size - KEY_STEP);
    else return;
    event.preventDefault();
  };

  return (
    // biome-ignore lint/a11y/useSemanticElements: an hr cannot be moved
    <div
      className={`resize ${edge}`}
      role="separator"
      aria-label={label}
      aria-orientation={vertical ? "vertical" : "horizontal"}
      aria-valuenow={size}
      aria-valuemin={LIMITS[panel].min}
      aria-valuemax={LIMITS[panel].max}
      tabIndex={0}
      onPointerDown={onPointerDown}
      onKeyDown={onKeyDown}
    />
  );
}
