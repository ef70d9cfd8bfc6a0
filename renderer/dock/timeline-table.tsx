import { type ReactElement, useDeferredValue, useMemo, useState } from "react";
import type { GraphDocument } from "../document/model.js";
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
  const all = useMemo(() => rowsOf(timeline, nodes), [timeline, nodes]);
  const ordered = useMemo(() => inOrder(all, order), [all, order]);
  const rows = useMemo(() => found(ordered, wanted), [ordered, wanted]);
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
          {wanted === "" ? "" : words.found({ rows: rows.length, all: all.length })}
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

/** @param rows in the order of time */
function inOrder(rows: readonly Row[], order: Order): readonly Row[] {
  if (order === "time") return rows;
  return rows.toSorted((one, other) => (other.durationMicros ?? -1) - (one.durationMicros ?? -1));
}

/** The rows in which a text occurs. */
function found(rows: readonly Row[], search: string): readonly Row[] {
  const text = search.trim().toLowerCase();
  return text === "" ? rows : rows.filter((row) => searchedText(row).includes(text));
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
