import type { ReactElement, ReactNode } from "react";
import type { VirtualRows } from "./use-virtual-rows.js";

interface VirtualTableBodyProps {
  readonly rows: VirtualRows;
  readonly columns: number;
  /** The row of a table at an index. */
  row(index: number): ReactNode;
}

/**
 * The body of a table with many rows. Empty rows stand for those that are not drawn; the table says how many there are
 * with aria-rowcount.
 */
export function VirtualTableBody({ rows, columns, row }: VirtualTableBodyProps): ReactElement {
  return (
    <tbody>
      <Gap height={rows.before} columns={columns} />
      {rows.items.map(({ index }) => row(index))}
      <Gap height={rows.after} columns={columns} />
    </tbody>
  );
}

function Gap({
  height,
  columns,
}: {
  readonly height: number;
  readonly columns: number;
}): ReactElement | null {
  if (height <= 0) return null;
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: an empty row has nothing to focus
    <tr aria-hidden="true">
      <td colSpan={columns} style={{ height, padding: 0, border: 0 }} />
    </tr>
  );
}
