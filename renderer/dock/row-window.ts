import { type RefObject, useEffect, useState } from "react";

export interface RowWindow {
  /** Rows [first, last) are to be drawn. */
  readonly first: number;
  readonly last: number;
  /** Scrolls as little as needed to show a row. */
  reveal(row: number): void;
}

/** Rows drawn beyond both ends of the visible part, so that scrolling shows no gaps. */
const SPARE_ROWS = 8;

/**
 * Which rows of a tensor are visible, all rows being `rowHeight` pixels high. Worked out by arithmetic: a tensor has
 * millions of rows, for each of which @tanstack/react-virtual would keep its place, which takes it 0.2 s a million
 * whenever their number changes.
 */
export function useRowWindow(
  frame: RefObject<HTMLElement | null>,
  count: number,
  rowHeight: number,
): RowWindow {
  const [view, setView] = useState({ top: 0, height: 400 });
  useEffect(() => {
    const element = frame.current;
    if (!element) return;
    const update = () => setView({ top: element.scrollTop, height: element.clientHeight });
    update();
    element.addEventListener("scroll", update, { passive: true });
    const observer = new ResizeObserver(update);
    observer.observe(element);
    return () => {
      element.removeEventListener("scroll", update);
      observer.disconnect();
    };
  }, [frame]);
  return {
    first: Math.max(0, Math.floor(view.top / rowHeight) - SPARE_ROWS),
    last: Math.min(count, Math.ceil((view.top + view.height) / rowHeight) + SPARE_ROWS),
    reveal: (row) => {
      const element = frame.current;
      if (!element) return;
      const top = row * rowHeight;
      if (top < element.scrollTop) element.scrollTop = top;
      else if (top + rowHeight > element.scrollTop + element.clientHeight) {
        element.scrollTop = top + rowHeight - element.clientHeight;
      }
    },
  };
}
