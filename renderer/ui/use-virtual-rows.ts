import { useVirtualizer, type VirtualItem } from "@tanstack/react-virtual";
import type { RefObject } from "react";

/** Rows drawn beyond both ends of the visible part, so that scrolling shows no gaps. */
const SPARE_ROWS = 8;

export interface VirtualRows {
  /** The rows to be drawn: those in view and a few beyond. */
  readonly items: readonly VirtualItem[];
  /** The height of all rows together, in pixels. */
  readonly height: number;
  /** The height of the rows before the first that is drawn, and after the last. */
  readonly before: number;
  readonly after: number;
  /** Scrolls as little as needed to show a row. */
  reveal(row: number): void;
  /** The ref of a row whose height is its own; the row has its index as data-index. */
  readonly measure: (element: Element | null) => void;
}

/** Which rows of a long list are drawn, all rows being about `rowHeight` pixels high. */
export function useVirtualRows(
  frame: RefObject<HTMLElement | null>,
  count: number,
  rowHeight: number,
): VirtualRows {
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => frame.current,
    estimateSize: () => rowHeight,
    overscan: SPARE_ROWS,
  });
  const items = virtual.getVirtualItems();
  const height = virtual.getTotalSize();
  return {
    items,
    height,
    before: items[0]?.start ?? 0,
    after: height - (items.at(-1)?.end ?? height),
    reveal: (row) => virtual.scrollToIndex(row, { align: "auto" }),
    measure: virtual.measureElement,
  };
}
