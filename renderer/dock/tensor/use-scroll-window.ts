import { type RefObject, useEffect, useState } from "react";
import type { CellWindow } from "./cell-blocks.js";

export interface ScrollWindow extends CellWindow {
  /** The size of the scrolled content in pixels. */
  readonly width: number;
  readonly height: number;
  /** The top of a row in the content. */
  topOf(row: number): number;
  /** The cells that are really in view, without spare ones. */
  readonly seen: CellWindow;
  /** Scrolls as little as needed to show a cell. */
  reveal(row: number, column: number): void;
}

interface Sizes {
  readonly rows: number;
  readonly columns: number;
  readonly rowHeight: number;
  readonly columnWidth: number;
  /** Room at the left and at the top that does not scroll. */
  readonly left: number;
  readonly top: number;
}

/** Cells drawn beyond the visible part, so that scrolling shows no gaps. */
const SPARE = 6;
/** Browsers draw nothing beyond some 16 million pixels; a higher grid scrolls by more than a row per pixel. */
const MOST_PIXELS = 12_000_000;

/**
 * Which cells of a grid are visible. Worked out by arithmetic: a tensor has millions of rows, for each of which
 * @tanstack/react-virtual would keep its place, which takes it 0.2 s a million whenever their number changes.
 */
export function useScrollWindow(frame: RefObject<HTMLElement | null>, sizes: Sizes): ScrollWindow {
  const { rows, columns, rowHeight, columnWidth, left, top } = sizes;
  const [view, setView] = useState({ top: 0, left: 0, height: 400, width: 800 });
  useEffect(() => {
    const element = frame.current;
    if (!element) return;
    const update = () => {
      const { scrollTop, scrollLeft, clientHeight, clientWidth } = element;
      setView({ top: scrollTop, left: scrollLeft, height: clientHeight, width: clientWidth });
    };
    update();
    element.addEventListener("scroll", update, { passive: true });
    const observer = new ResizeObserver(update);
    observer.observe(element);
    return () => {
      element.removeEventListener("scroll", update);
      observer.disconnect();
    };
  }, [frame]);
  const inView = Math.max(0, view.height - top);
  const pixels = rows * rowHeight;
  const height = Math.min(pixels, MOST_PIXELS);
  // How many pixels of rows one pixel of scrolling passes.
  const scale = pixels <= MOST_PIXELS ? 1 : (pixels - inView) / (height - inView);
  const first = (view.top * scale) / rowHeight;
  const firstColumn = view.left / columnWidth;
  const seen = {
    firstRow: Math.max(0, Math.floor(first)),
    lastRow: Math.min(rows, Math.ceil(first + inView / rowHeight)),
    firstColumn: Math.max(0, Math.floor(firstColumn)),
    lastColumn: Math.min(columns, Math.ceil(firstColumn + Math.max(0, view.width - left) / columnWidth)),
  };
  return {
    firstRow: Math.max(0, seen.firstRow - SPARE),
    lastRow: Math.min(rows, seen.lastRow + SPARE),
    firstColumn: Math.max(0, seen.firstColumn - SPARE),
    lastColumn: Math.min(columns, seen.lastColumn + SPARE),
    seen,
    width: left + columns * columnWidth,
    height: top + height,
    topOf: (row) => top + view.top + (row - first) * rowHeight,
    reveal: (row, column) => {
      const element = frame.current;
      if (!element) return;
      const [from, to] = [row * rowHeight, (row + 1) * rowHeight];
      const scrolled = element.scrollTop * scale;
      if (from < scrolled) element.scrollTop = from / scale;
      else if (to > scrolled + inView) element.scrollTop = Math.ceil((to - inView) / scale);
      const across = column * columnWidth;
      const room = element.clientWidth - left;
      if (across < element.scrollLeft) element.scrollLeft = across;
      else if (across + columnWidth > element.scrollLeft + room) {
        element.scrollLeft = across + columnWidth - room;
      }
    },
  };
}
