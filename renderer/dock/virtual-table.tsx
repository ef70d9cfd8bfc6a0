import { type ReactElement, type ReactNode, type Ref, useRef } from "react";
import { classNames } from "../ui/class-names.js";
import { useVirtualRows, type VirtualRows } from "../ui/use-virtual-rows.js";
import { VirtualTableBody } from "../ui/virtual-table-body.js";
import styles from "./data-table.module.css";
import { ScrollRegion } from "./scroll-region.js";
import { type Column, TableHead } from "./table-head.js";

/** Where a row is in its table: attributes of its `tr`. */
export interface RowPosition {
  readonly ref: VirtualRows["measure"];
  readonly "data-index": number;
  readonly "aria-rowindex": number;
}

interface TableProps<Row> {
  /** The name of the region that scrolls. */
  readonly label: string;
  /** The name of the table, if it is another. */
  readonly name?: string;
  readonly className?: string | undefined;
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
  /** A `tr` with a key and the attributes of its position. */
  row(row: Row, position: RowPosition): ReactNode;
}

interface VirtualTableProps<Row> extends TableProps<Row> {
  /** In pixels. */
  readonly rowHeight: number;
}

/** A scrolling table of the dock of which only the rows in view are in the page. */
export function VirtualTable<Row>({ rowHeight, ...table }: VirtualTableProps<Row>): ReactElement {
  const frame = useRef<HTMLElement>(null);
  return <DrawnTable {...table} frame={frame} drawn={useVirtualRows(frame, table.rows.length, rowHeight)} />;
}

interface DrawnTableProps<Row> extends TableProps<Row> {
  /** The result of `useVirtualRows` with the ref of the region. */
  readonly drawn: VirtualRows;
  readonly frame: Ref<HTMLElement>;
}

/** The same for a tab that has to know which rows are in view. */
export function DrawnTable<Row>({
  label,
  name,
  className,
  columns,
  rows,
  drawn,
  frame,
  row: rowOf,
}: DrawnTableProps<Row>): ReactElement {
  return (
    <ScrollRegion ref={frame} label={label}>
      <table
        className={classNames(styles.table, className)}
        aria-label={name}
        // With the row of the head.
        aria-rowcount={rows.length + 1}
      >
        <TableHead columns={columns} />
        <VirtualTableBody
          rows={drawn}
          columns={columns.length}
          row={(index) => {
            const row = rows[index];
            if (row === undefined) return null;
            return rowOf(row, { ref: drawn.measure, "data-index": index, "aria-rowindex": index + 2 });
          }}
        />
      </table>
    </ScrollRegion>
  );
}
