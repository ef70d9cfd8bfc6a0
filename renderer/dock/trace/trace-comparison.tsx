import { type ReactElement, useDeferredValue, useMemo, useState } from "react";
import type { StepTrace } from "../../../main/api/traces.js";
import { paused, type Sliced } from "../../../worker-runtime/graph/slices.js";
import { useSliced } from "../../parts/use-sliced.js";
import { useDocument } from "../../stores/document-store.js";
import { timelineActions } from "../../stores/timeline-store.js";
import { texts } from "../../texts/texts.js";
import { classNames } from "../../ui/class-names.js";
import { EmptyText } from "../../ui/empty-text.js";
import { bytesText, durationDifferenceText, durationText, numberText } from "../../ui/format.js";
import textStyles from "../../ui/text.module.css";
import { TextButton } from "../../ui/text-button.js";
import { selectInGraph } from "../../viewport/travel.js";
import tableStyles from "../data-table.module.css";
import { FindField } from "../find-field.js";
import { slicedTimeline } from "../lanes.js";
import { ScrollRegion } from "../scroll-region.js";
import { TabBar } from "../tab-bar.js";
import { type Column, TableHead } from "../table-head.js";
import { type Scene, slicedScene } from "../timeline-marks.js";
import { deviceText, TimelinePlot } from "../timeline-plot.js";
import { type TimeView, useTimeView } from "../timeline-window.js";
import { TimelineZoom } from "../timeline-zoom.js";
import { VirtualTable } from "../virtual-table.js";
import { TraceChoice, useComparedTraces } from "./trace-choice.js";
import styles from "./trace-comparison.module.css";
import { type NodeDifference, slicedDifferences, type Total, totalsOf } from "./trace-differences.js";
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
  const [{ trace: one, share }, { trace: other, share: otherShare }] = [
    useStepTrace(before),
    useStepTrace(after),
  ];
  const laid = useLaid(one, other);
  const view = useTimeView(laid?.endMicros ?? 1);
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
          {one && other ? stepDifference(one, other) : words.loading({ share: (share + otherShare) / 2 })}
        </span>
        <span className={textStyles.grow} />
        <TimelineZoom view={view} />
      </TabBar>
      {one && other && laid ? (
        <div className={styles.columns}>
          <Lanes before={one} after={other} scenes={laid.scenes} view={view} />
          <Differences differences={laid.differences} />
        </div>
      ) : null}
    </>
  );
}

/** The views of two steps. */
interface Laid {
  readonly scenes: readonly Scene[];
  /** The later end of both. */
  readonly endMicros: number;
  readonly differences: readonly NodeDifference[];
}

/** Two steps laid out, in slices if they have many events. */
function useLaid(one: StepTrace | undefined, other: StepTrace | undefined): Laid | undefined {
  const traces = useMemo(() => (one && other ? ([one, other] as const) : undefined), [one, other]);
  return useSliced({
    size: traces?.reduce((sum, { nodes, transfers }) => sum + nodes.length + transfers.length, 0) ?? 0,
    work: function* (): Sliced<Laid | undefined> {
      if (!traces) return undefined;
      const scenes: Scene[] = [];
      let endMicros = 1;
      for (const { nodes, transfers } of traces) {
        const timeline = yield* slicedTimeline(nodes, transfers);
        endMicros = Math.max(endMicros, timeline.endMicros);
        scenes.push(yield* slicedScene(timeline));
      }
      return { scenes, endMicros, differences: yield* slicedDifferences(...traces) };
    },
    of: [traces],
    subject: traces,
  });
}

/** "Step 12.0 ms in A, 9.10 ms in B: −2.90 ms". */
function stepDifference(before: StepTrace, after: StepTrace): string {
  const difference = durationDifferenceText(after.stepMillis - before.stepMillis);
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
  readonly scenes: readonly Scene[];
  /** The view of both. */
  readonly view: TimeView;
}

function Lanes({ before, after, scenes, view }: LanesProps): ReactElement {
  return (
    <ScrollRegion label={words.lanesBothSteps}>
      {scenes.map((scene, index) => (
        <section key={index === 0 ? "A" : "B"} className={styles.lanes} aria-label={index === 0 ? "A" : "B"}>
          <h3 className={styles.name}>{index === 0 ? "A" : "B"}</h3>
          <TimelinePlot scene={scene} view={view} />
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

interface Found {
  readonly wanted: string;
  readonly rows: readonly NodeDifference[];
}

function Differences({
  differences: all,
}: {
  readonly differences: readonly NodeDifference[];
}): ReactElement {
  const nodes = useDocument((state) => state.document.nodes);
  const [search, setSearch] = useState("");
  const wanted = useDeferredValue(search).trim().toLowerCase();
  const { rows, wanted: searched }: Found = useSliced({
    size: wanted === "" ? 0 : all.length,
    work: function* (): Sliced<Found> {
      if (wanted === "") return { wanted, rows: all };
      const rows: NodeDifference[] = [];
      yield* paused(all, (row) => {
        if (`${row.node} ${nodes.get(row.node)?.op ?? ""}`.toLowerCase().includes(wanted)) rows.push(row);
      });
      return { wanted, rows };
    },
    of: [all, nodes, wanted],
    subject: all,
  }) ?? { wanted: "", rows: all };
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
          {searched === "" ? "" : words.found({ rows: rows.length, all: all.length })}
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
        {difference === undefined ? words.notKnown : differenceText(difference, unit)}
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
      <td className={tableStyles.number}>{durationDifferenceText(micros / 1000)}</td>
    </>
  );
}

/** "+1.20 ms", "−4", "0 B". */
function differenceText(difference: number, unit: Total["unit"]): string {
  if (unit === "millis") return durationDifferenceText(difference);
  const sign = difference > 0 ? "+" : difference < 0 ? "−" : "";
  return `${sign}${TEXTS[unit](Math.abs(difference))}`;
}
