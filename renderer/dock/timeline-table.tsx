import { type ReactElement, useMemo, useRef } from "react";
import type { GraphDocument } from "../document/model.js";
import { useDocument } from "../stores/document-store.js";
import { bytesText, durationText } from "../ui/format.js";
import { useVirtualRows } from "../ui/use-virtual-rows.js";
import { VirtualTableBody } from "../ui/virtual-table-body.js";
import type { Timeline } from "./lanes.js";
import { ScrollRegion } from "./scroll-region.js";
import { deviceText } from "./timeline-plot.js";

const COLUMNS = 6;
const ROW_HEIGHT = 24;

interface Row {
  readonly key: string;
  readonly what: string;
  readonly kind: string;
  readonly where: string;
  readonly startMicros: number;
  /** Absent where it was not recorded. */
  readonly durationMicros: number | undefined;
  readonly bytes: number | undefined;
}

/** The timeline as a table, in the order of time. */
export function TimelineTable({ timeline }: { readonly timeline: Timeline }): ReactElement {
  const nodes = useDocument((state) => state.document.nodes);
  const frame = useRef<HTMLElement>(null);
  const rows = useMemo(() => rowsOf(timeline, nodes), [timeline, nodes]);
  const drawn = useVirtualRows(frame, rows.length, ROW_HEIGHT);
  return (
    <ScrollRegion ref={frame} label="Timeline">
      <table className="grid-table" aria-rowcount={rows.length + 1}>
        <thead>
          <tr>
            <th scope="col">Node or tensor</th>
            <th scope="col">Op</th>
            <th scope="col">Where</th>
            <th scope="col" className="num">
              Start
            </th>
            <th scope="col" className="num">
              Duration
            </th>
            <th scope="col" className="num">
              Bytes
            </th>
          </tr>
        </thead>
        <VirtualTableBody
          rows={drawn}
          columns={COLUMNS}
          row={(index) => {
            const row = rows[index];
            return row ? (
              <tr key={row.key} ref={drawn.measure} data-index={index} aria-rowindex={index + 2}>
                <td>
                  <b>{row.what}</b>
                </td>
                <td>{row.kind}</td>
                <td>{row.where}</td>
                <td className="num">{durationText(row.startMicros / 1000)}</td>
                <td className="num">
                  {row.durationMicros === undefined
                    ? "not recorded"
                    : durationText(row.durationMicros / 1000)}
                </td>
                <td className="num">{row.bytes === undefined ? "not known" : bytesText(row.bytes)}</td>
              </tr>
            ) : null;
          }}
        />
      </table>
    </ScrollRegion>
  );
}

/** Nodes and transfers together, in the order of time. */
function rowsOf(timeline: Timeline, nodes: GraphDocument["nodes"]): Row[] {
  const rows: Row[] = [
    ...timeline.lanes.flatMap(({ bars }) =>
      bars.map((bar) => ({
        key: `${bar.node} ${bar.device} ${bar.startMicros}`,
        what: bar.node,
        kind: nodes.get(bar.node)?.op ?? "",
        where: deviceText(bar.device),
        startMicros: bar.startMicros,
        durationMicros: bar.durationMicros,
        bytes: bar.outputBytes,
      })),
    ),
    ...timeline.transfers.map((transfer) => ({
      key: `transfer ${transfer.tensor} ${transfer.startMicros} ${transfer.toDevice}`,
      what: transfer.tensor,
      kind: "RecvTensor",
      where: `${deviceText(transfer.fromDevice)} → ${deviceText(transfer.toDevice)}`,
      startMicros: transfer.startMicros,
      durationMicros: transfer.timed ? transfer.durationMicros : undefined,
      bytes: transfer.bytes,
    })),
  ].sort((one, other) => one.startMicros - other.startMicros);
  return rows;
}
