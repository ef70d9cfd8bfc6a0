import { type ReactElement, useDeferredValue, useMemo, useState } from "react";
import type { StepTrace } from "../../../main/api/traces.js";
import { useDocument } from "../../stores/document-store.js";
import { timelineActions } from "../../stores/timeline-store.js";
import { texts } from "../../texts/texts.js";
import { classNames } from "../../ui/class-names.js";
import { EmptyText } from "../../ui/empty-text.js";
import { bytesText, durationText, numberText } from "../../ui/format.js";
import textStyles from "../../ui/text.module.css";
import { TextButton } from "../../ui/text-button.js";
import { selectInGraph } from "../../viewport/travel.js";
import tableStyles from "../data-table.module.css";
import { FindField } from "../find-field.js";
import { layTimeline, type Timeline } from "../lanes.js";
import { ScrollRegion } from "../scroll-region.js";
import { TabBar } from "../tab-bar.js";
import { type Column, TableHead } from "../table-head.js";
import { deviceText, TimelinePlot } from "../timeline-plot.js";
import { type TimeView, useTimeView } from "../timeline-window.js";
import { TimelineZoom } from "../timeline-zoom.js";
import { VirtualTable } from "../virtual-table.js";
import { TraceChoice, useComparedTraces } from "./trace-choice.js";
import styles from "./trace-comparison.module.css";
import { type NodeDifference, nodeDifferences, type Total, totalsOf } from "./trace-differences.js";
import { useStepTrace } from "./use-step-trace.js";

const words = texts.dock.traceComparison;

const ROW_HEIGHT = 28;
const COMPARED: readonly Column[] = ["A", "B", "B − A"].map((name) => ({ name, kind: "number" }));
const NODE_COLUMNS: readonly Column[] = [
  { name: words.node },
  { name: words.op },
  { name: words.where },
  ...COMPARED,
];
const TOTAL_COLUMNS: readonly Column[] = [{ name: words.wholeStep }, ...COMPARED];

/** Two traced steps: their lanes on one scale, and what differs most. */
export function TraceComparison(): ReactElement {
  const { options, before, after } = useComparedTraces();
  const [one, other] = [useStepTrace(before), useStepTrace(after)];
  const timelines = useMemo(() => {
    if (!one || !other) return [];
    const laid = [one, other].map(({ nodes, transfers }) => layTimeline(nodes, transfers));
    const endMicros = Math.max(...laid.map((timeline) => timeline.endMicros));
    return laid.map((timeline) => ({ ...timeline, endMicros }));
  }, [one, other]);
  const view = useTimeView(timelines[0]?.endMicros ?? 1);
  if (!before || !after) {
    return <EmptyText>{words.tooFew}</EmptyText>;
  }
  return (
    <>
      <TabBar>
        <TraceChoice
          label={words.a}
          options={options}
          chosen={before}
          onChoose={(chosen) => timelineActions.compare({ before: chosen })}
        />
        <TraceChoice
          label={words.b}
          options={options}
          chosen={after}
          onChoose={(chosen) => timelineActions.compare({ after: chosen })}
        />
        <span className={classNames(textStyles.muted, textStyles.truncated)} role="status">
          {one && other ? stepDifference(one, other) : ""}
        </span>
        <span className={textStyles.grow} />
        <TimelineZoom view={view} />
      </TabBar>
      {one && other ? (
        <div className={styles.columns}>
          <Lanes before={one} after={other} timelines={timelines} view={view} />
          <Differences before={one} after={other} />
        </div>
      ) : null}
    </>
  );
}

/** "Step 12.0 ms in A, 9.10 ms in B: −2.90 ms". */
function stepDifference(before: StepTrace, after: StepTrace): string {
  const difference = differenceText(after.stepMillis - before.stepMillis, durationText);
  return words.headline({
    a: durationText(before.stepMillis),
    b: durationText(after.stepMillis),
    difference,
  });
}

interface ComparedProps {
  readonly before: StepTrace;
  readonly after: StepTrace;
}

interface LanesProps extends ComparedProps {
  readonly timelines: readonly Timeline[];
  /** Of both. */
  readonly view: TimeView;
}

function Lanes({ before, after, timelines, view }: LanesProps): ReactElement {
  return (
    <ScrollRegion label={words.lanesBothSteps}>
      {timelines.map((timeline, index) => (
        <section key={index === 0 ? "A" : "B"} className={styles.lanes} aria-label={index === 0 ? "A" : "B"}>
          <h3 className={styles.name}>{index === 0 ? "A" : "B"}</h3>
          <TimelinePlot timeline={timeline} view={view} />
        </section>
      ))}
      <table className={tableStyles.table} aria-label={words.totalsBothSteps}>
        <TableHead columns={TOTAL_COLUMNS} />
        <tbody>
          {totalsOf(before, after).map((total) => (
            <TotalRow key={total.name} total={total} />
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}

function Differences({ before, after }: ComparedProps): ReactElement {
  const nodes = useDocument((state) => state.document.nodes);
  const [search, setSearch] = useState("");
  const wanted = useDeferredValue(search).trim().toLowerCase();
  const all = useMemo(() => nodeDifferences(before, after), [before, after]);
  const rows = useMemo(
    () =>
      wanted === ""
        ? all
        : all.filter(({ node }) => `${node} ${nodes.get(node)?.op ?? ""}`.toLowerCase().includes(wanted)),
    [all, nodes, wanted],
  );
  return (
    <div className={styles.differences}>
      <TabBar>
        <FindField
          label={words.find}
          placeholder={words.findPlaceholder}
          value={search}
          onChange={setSearch}
        />
        <span className={textStyles.muted} role="status">
          {wanted === "" ? "" : words.found({ rows: rows.length, all: all.length })}
        </span>
      </TabBar>
      <VirtualTable
        label={words.differences}
        name={words.nodesBothSteps}
        columns={NODE_COLUMNS}
        rows={rows}
        rowHeight={ROW_HEIGHT}
        row={(row, position) => (
          <tr key={row.node} {...position}>
            <NodeCells row={row} op={nodes.get(row.node)?.op} />
          </tr>
        )}
      />
    </div>
  );
}

const TEXTS = {
  millis: durationText,
  bytes: bytesText,
  count: numberText,
} as const;

function TotalRow({ total: { name, unit, before, after } }: { readonly total: Total }): ReactElement {
  const text = (value: number | undefined) => (value === undefined ? words.notKnown : TEXTS[unit](value));
  const difference = before === undefined || after === undefined ? undefined : after - before;
  return (
    <tr>
      <th scope="row" className={styles.rowName}>
        {name}
      </th>
      <td className={tableStyles.number}>{text(before)}</td>
      <td className={tableStyles.number}>{text(after)}</td>
      <td className={tableStyles.number}>
        {difference === undefined ? words.notKnown : differenceText(difference, TEXTS[unit])}
      </td>
    </tr>
  );
}

function NodeCells({
  row,
  op,
}: {
  readonly row: NodeDifference;
  readonly op: string | undefined;
}): ReactElement {
  const { node, before, after, micros } = row;
  const time = (total: NodeDifference["before"]) =>
    total ? durationText(total.micros / 1000) : words.didNotRun;
  const places = [...new Set([before, after].flatMap((total) => (total ? deviceText(total.device) : [])))];
  return (
    <>
      <td>
        <TextButton onClick={() => selectInGraph([node])}>{node}</TextButton>
      </td>
      <td>{op ?? ""}</td>
      <td>{places.join(" → ")}</td>
      <td className={tableStyles.number}>{time(before)}</td>
      <td className={tableStyles.number}>{time(after)}</td>
      <td className={tableStyles.number}>{differenceText(micros / 1000, durationText)}</td>
    </>
  );
}

/** "+1.20 ms", "−4", "0 B". */
function differenceText(difference: number, text: (value: number) => string): string {
  const sign = difference > 0 ? "+" : difference < 0 ? "−" : "";
  return `${sign}${text(Math.abs(difference))}`;
}
