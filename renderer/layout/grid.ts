/** A layout without regard to edges, for when a better one is not waited for or fails. */
import type { Point } from "../document/model.js";
import type { CellGraph, CellLayout, LayoutEngine } from "./cells.js";

const GAP = 32;

export const gridEngine: LayoutEngine = { layout: async (graph) => gridLayout(graph) };

/** The cells in rows, in their order. */
export function gridLayout({ cells, edges, aspect }: CellGraph): CellLayout {
  const area = cells.reduce((sum, { width, height }) => sum + (width + GAP) * (height + GAP), 0);
  const rowWidth = Math.sqrt(area * aspect);
  const places = new Map<string, Point>();
  let [x, y, rowHeight, width] = [0, 0, 0, 0];
  for (const cell of cells) {
    if (x > 0 && x + cell.width > rowWidth) {
      x = 0;
      y += rowHeight + GAP;
      rowHeight = 0;
    }
    places.set(cell.id, { x, y });
    width = Math.max(width, x + cell.width);
    rowHeight = Math.max(rowHeight, cell.height);
    x += cell.width + GAP;
  }
  const height = y + rowHeight;
  const boundary = (end: "from" | "to") =>
    new Map(edges.filter((edge) => edge[end].cell === "").map((edge) => [edge[end].port, height / 2]));
  return { width, height, places, routes: new Map(), entries: boundary("from"), exits: boundary("to") };
}
