import type { ReactElement } from "react";
import { useDocument } from "../stores/document-store.js";
import { bytesText, durationText } from "../ui/format.js";
import type { Timeline } from "./lanes.js";
import { ScrollRegion } from "./scroll-region.js";
import { deviceText } from "./timeline-plot.js";

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
  return (
    <ScrollRegion label="Timeline">
      <table className="grid-table">
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
        <tbody>
          {rows.map((row) => (
            <tr key={row.key}>
              <td>
                <b>{row.what}</b>
              </td>
              <td>{row.kind}</td>
              <td>{row.where}</td>
              <td className="num">{durationText(row.startMicros / 1000)}</td>
              <td className="num">
                {row.durationMicros === undefined ? "not recorded" : durationText(row.durationMicros / 1000)}
              </td>
              <td className="num">{row.bytes === undefined ? "not known" : bytesText(row.bytes)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}
