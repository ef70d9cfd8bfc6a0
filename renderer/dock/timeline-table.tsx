import { type ReactElement, useDeferredValue, useState } from "react";
import { paused, type Sliced } from "../../worker-runtime/graph/slices.js";
import type { GraphDocument } from "../document/model.js";
import { slicedSort } from "../document/sliced-sort.js";
import { useSliced } from "../parts/use-sliced.js";
import { isDeviceCopy } from "../stores/device-copies.js";
import { useDocument } from "../stores/document-store.js";
import { texts } from "../texts/texts.js";
import { bytesText, durationText } from "../ui/format.js";
import { Segmented } from "../ui/segmented.js";
import textStyles from "../ui/text.module.css";
import styles from "./data-table.module.css";
import { FindField } from "./find-field.js";
import type { Timeline } from "./lanes.js";
import { TabBar } from "./tab-bar.js";
import type { Column } from "./table-head.js";
import { deviceText } from "./timeline-plot.js";
import tabStyles from "./timeline-tab.module.css";
import { VirtualTable } from "./virtual-table.js";

const words = texts.dock.timelineTable;

const COLUMNS: readonly Column[] = [
  { name: words.nodeOrTensor },
  { name: words.op },
  { name: words.where },
  { name: words.start, kind: "number" },
  { name: words.duration, kind: "number" },
  { name: words.bytes, kind: "number" },
];
const ROW_HEIGHT = 24;

interface Row {
  readonly key: string;
  readonly what: string;
  readonly kind: string;
  readonly where: string;
  readonly startMicros: number;
  /** Absent if it was not recorded. */
  readonly durationMicros: number | undefined;
  readonly bytes: number | undefined;
}

/** The timeline as a table, which can be searched, in the order of time or the slowest first. */
export function TimelineTable({ timeline }: { readonly timeline: Timeline }): ReactElement {
  const nodes = useDocument((state) => state.document.nodes);
  const [search, setSearch] = useState("");
  const [order, setOrder] = useState<Order>("time");
  const wanted = useDeferredValue(search);
  const all = useAllRows(timeline, nodes);
  const ordered = useOrdered(all, order);
  const { rows, search: searched } = useFound(ordered, wanted);
  return (
    <div className={tabStyles.list}>
      <TabBar>
        <FindField
          label={words.find}
          placeholder={words.findPlaceholder}
          value={search}
          onChange={setSearch}
        />
        <Segmented label={words.order} options={ORDERS} selected={order} onSelect={(id) => setOrder(id)} />
        <span className={textStyles.muted} role="status">
          {searched === "" ? "" : words.found({ rows: rows.length, all: all.length })}
        </span>
      </TabBar>
      <VirtualTable
        label={words.timeline}
        columns={COLUMNS}
        rows={rows}
        rowHeight={ROW_HEIGHT}
        row={(row, position) => (
          <tr key={row.key} {...position}>
            <td>
              <b>{row.what}</b>
            </td>
            <td>{row.kind}</td>
            <td>{row.where}</td>
            <td className={styles.number}>{durationText(row.startMicros / 1000)}</td>
            <td className={styles.number}>
              {row.durationMicros === undefined ? words.notRecorded : durationText(row.durationMicros / 1000)}
            </td>
            <td className={styles.number}>
              {row.bytes === undefined ? words.notKnown : bytesText(row.bytes)}
            </td>
          </tr>
        )}
      />
    </div>
  );
}

type Order = "time" | "slowest";
const ORDERS = [
  { id: "time", label: words.byTime },
  { id: "slowest", label: words.slowestFirst },
] as const;

const NO_ROWS: readonly Row[] = [];

/** Nodes and transfers together, in the order of time. Like the order and the search, in slices if they are many. */
function useAllRows(timeline: Timeline, nodes: GraphDocument["nodes"]): readonly Row[] {
  const count = timeline.lanes.reduce((sum, { bars }) => sum + bars.length, timeline.transfers.length);
  const rows = useSliced({
    size: count,
    work: () => slicedRows(timeline, nodes),
    of: [timeline, nodes],
    subject: timeline,
  });
  return rows ?? NO_ROWS;
}

/** @param rows in the order of time */
function useOrdered(rows: readonly Row[], order: Order): readonly Row[] {
  const ordered = useSliced({
    size: order === "time" ? 0 : rows.length,
    work: function* (): Sliced<readonly Row[]> {
      if (order === "time") return rows;
      return yield* slicedSort(
        rows,
        (one, other) => (other.durationMicros ?? -1) - (one.durationMicros ?? -1),
      );
    },
    of: [rows, order],
    subject: rows,
  });
  return ordered ?? rows;
}

interface Found {
  readonly search: string;
  readonly rows: readonly Row[];
}

/** The rows in which a text occurs; until they are found, those of the search before. */
function useFound(rows: readonly Row[], search: string): Found {
  const text = search.trim().toLowerCase();
  const found = useSliced({
    size: text === "" ? 0 : rows.length,
    work: function* (): Sliced<Found> {
      if (text === "") return { search, rows };
      const matching: Row[] = [];
      yield* paused(rows, (row) => {
        if (searchedText(row).includes(text)) matching.push(row);
      });
      return { search, rows: matching };
    },
    of: [rows, text],
    subject: rows,
  });
  return found ?? { search: "", rows };
}

/** Made when it is first searched: of a large trace this takes longer than the search itself. */
const searchedTexts = new WeakMap<Row, string>();
function searchedText(row: Row): string {
  let text = searchedTexts.get(row);
  if (text === undefined) {
    text = `${row.what} ${row.kind} ${row.where}`.toLowerCase();
    searchedTexts.set(row, text);
  }
  return text;
}

function* slicedRows(timeline: Timeline, nodes: GraphDocument["nodes"]): Sliced<readonly Row[]> {
  const rows: Row[] = [];
  for (const { bars } of timeline.lanes) {
    yield* paused(bars, (bar) => {
      rows.push({
        key: `${bar.node} ${bar.device} ${bar.startMicros}`,
        what: bar.node,
        kind: nodes.get(bar.node)?.op ?? "",
        where: deviceText(bar.device),
        startMicros: bar.startMicros,
        durationMicros: bar.durationMicros,
        bytes: bar.outputBytes,
      });
    });
  }
  yield* paused(timeline.transfers, (transfer) => {
    rows.push({
      key: `transfer ${transfer.tensor} ${transfer.startMicros} ${transfer.toDevice}`,
      what: transfer.tensor,
      kind: isDeviceCopy(transfer) ? "" : "RecvTensor",
      where: `${deviceText(transfer.fromDevice)} → ${deviceText(transfer.toDevice)}`,
      startMicros: transfer.startMicros,
      durationMicros: transfer.timed ? transfer.durationMicros : undefined,
      bytes: transfer.bytes,
    });
  });
  return yield* slicedSort(rows, (one, other) => one.startMicros - other.startMicros);
}
