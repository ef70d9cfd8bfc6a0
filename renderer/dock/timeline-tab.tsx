import type { ReactElement } from "react";
import type { NodeRun, RunUpdate, Transfer } from "../../main/api/runs.js";
import type { Sliced } from "../../worker-runtime/graph/slices.js";
import { taskNameOfDevice } from "../cluster/task-name.js";
import { traceCommands } from "../commands/run-commands.js";
import { CommandButton } from "../parts/command-button.js";
import { useSliced } from "../parts/use-sliced.js";
import { attempt } from "../stores/app-store.js";
import { useBeforeEdit } from "../stores/before-edit.js";
import { sentBetweenTasks, sentForClient } from "../stores/device-copies.js";
import { useDocument } from "../stores/document-store.js";
import { useDocumentRun, useRun } from "../stores/run-store.js";
import { timelineActions, useTimeline } from "../stores/timeline-store.js";
import { useUi } from "../stores/ui-store.js";
import { texts } from "../texts/texts.js";
import { client } from "../transport/client.js";
import { Button } from "../ui/button.js";
import { classNames } from "../ui/class-names.js";
import { downloadFile } from "../ui/download.js";
import { EmptyText } from "../ui/empty-text.js";
import { durationText, listText, stepText, totalBytesText } from "../ui/format.js";
import { bold } from "../ui/rich-parts.js";
import { Segmented } from "../ui/segmented.js";
import textStyles from "../ui/text.module.css";
import { type CriticalPath, slicedCriticalPath } from "./critical-path.js";
import { slicedTimeline, type Timeline } from "./lanes.js";
import { TabBar } from "./tab-bar.js";
import { type Scene, slicedScene } from "./timeline-marks.js";
import { deviceText, TimelinePlot } from "./timeline-plot.js";
import styles from "./timeline-tab.module.css";
import { TimelineTable } from "./timeline-table.js";
import { useTimeView } from "./timeline-window.js";
import { TimelineZoom } from "./timeline-zoom.js";
import { MemoryView } from "./trace/memory-view.js";
import { TraceComparison } from "./trace/trace-comparison.js";
import { useStepTrace } from "./trace/use-step-trace.js";

const words = texts.dock.timelineTab;

/** Tasks whose received bytes are listed. */
const MOST_RECEIVERS = 6;

/** When and where every node of the newest traced step ran, its memory, and two steps beside each other. */
export default function TimelineTab(): ReactElement {
  const run = useDocumentRun((state) => state.latest);
  const view = useTimeline((state) => state.view);
  const old = useBeforeEdit();
  const laid = useLaidTimeline(run);
  const time = useTimeView(laid?.timeline.endMicros ?? 1);
  const isHere = run?.eventCount === undefined || run.nodes.length + run.transfers.length > 0;
  const isTraced = run?.tracedStep !== undefined && laid !== undefined && isHere;
  const memoryOf =
    isTraced && view === "memory" ? { runId: run.runId, step: run.tracedStep ?? 1 } : undefined;
  const { trace } = useStepTrace(memoryOf);
  return (
    <>
      <TabBar className={textStyles.muted}>
        <Segmented label={words.show} options={VIEWS} selected={view} onSelect={timelineActions.show} />
        {view === "lanes" && isTraced ? <Legend /> : null}
        {view === "lanes" && isTraced ? <TimelineZoom view={time} /> : null}
        <span className={textStyles.grow} />
        {isTraced && view !== "compare" ? (
          <>
            <span>
              {tracedText(run)}
              {old ? ` · ${words.beforeEdit}` : ""}
            </span>
            <Button
              size="small"
              variant="ghost"
              icon="download"
              onClick={() => attempt(() => saveTrace(run.runId))}
            >
              {words.saveChromeTrace}
            </Button>
          </>
        ) : null}
      </TabBar>
      {view === "compare" ? <TraceComparison /> : isTraced ? null : <WithoutTrace />}
      {view === "memory" ? <MemoryView trace={trace} /> : null}
      {isTraced && (view === "lanes" || view === "table") ? (
        <div className={styles.timeline}>
          {view === "table" ? (
            <TimelineTable timeline={laid.timeline} />
          ) : (
            <TimelinePlot scene={laid.scene} view={time} />
          )}
          <Summary run={run} timeline={laid.timeline} old={old} />
        </div>
      ) : null}
    </>
  );
}

interface LaidTimeline {
  readonly timeline: Timeline;
  readonly scene: Scene;
}

/** The newest traced step of a run, laid out in slices if it has many events. */
function useLaidTimeline(run: RunUpdate | undefined): LaidTimeline | undefined {
  const { tracedStep, nodes = NO_NODES, transfers = NO_TRANSFERS } = run ?? {};
  return useSliced({
    size: nodes.length + transfers.length,
    work: function* (): Sliced<LaidTimeline | undefined> {
      if (tracedStep === undefined) return undefined;
      const timeline = yield* slicedTimeline(nodes, transfers);
      return { timeline, scene: yield* slicedScene(timeline) };
    },
    of: [tracedStep, nodes, transfers],
    subject: run?.runId,
  });
}

const NO_NODES: readonly NodeRun[] = [];
const NO_TRANSFERS: readonly Transfer[] = [];

const VIEWS = [
  { id: "lanes", label: words.lanes },
  { id: "table", label: words.table },
  { id: "memory", label: words.memory },
  { id: "compare", label: words.compare },
] as const;

function WithoutTrace(): ReactElement {
  const trace = useUi((state) => state.trace);
  const share = useRun((state) => state.eventShare);
  const isLoading = useDocumentRun(({ latest }) => latest?.eventCount !== undefined);
  if (isLoading) {
    return (
      <EmptyText>
        <span role="status">{words.loading({ share: share ?? 0 })}</span>
      </EmptyText>
    );
  }
  return (
    <EmptyText>
      {trace ? words.notRun : words.notTraced}
      {trace ? null : (
        <div>
          <CommandButton command={traceCommands.toggle} icon text="label" />
        </div>
      )}
    </EmptyText>
  );
}

function Legend(): ReactElement {
  return (
    <>
      <span className={styles.legend}>
        <i className={styles.legendRun} />
        {words.nodeRan}
      </span>
      <span className={styles.legend}>
        <i className={styles.legendTransfer} />
        {words.recvTensor}
      </span>
    </>
  );
}

/** "step 10", the one that was traced. */
function tracedText({ tracedStep = 1, tracedStepRegisteredGraph }: RunUpdate): string {
  return stepText(tracedStep, tracedStepRegisteredGraph);
}

interface SummaryProps {
  readonly run: RunUpdate;
  readonly timeline: Timeline;
  /** Measured before the last edit. */
  readonly old: boolean;
}

/** Only sums of measurements. */
function Summary({ run, timeline, old }: SummaryProps): ReactElement {
  const transfers = sentBetweenTasks(run.transfers);
  const untimed = transfers.filter(({ timed }) => !timed).length;
  const stepMicros = run.computeMillis === undefined ? timeline.endMicros : run.computeMillis * 1000;
  return (
    <section
      className={classNames(styles.summary, old && styles.old)}
      aria-label={words.summary}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: without it the keyboard would not reach what is out of view
      tabIndex={0}
    >
      <div className={styles.summaryHead}>
        <b>{durationText(stepMicros / 1000)}</b>
        <span className={textStyles.muted}>{words.span({ step: tracedText(run) })}</span>
      </div>
      <PathSummary run={run} stepMicros={stepMicros} />
      {timeline.lanes
        .filter(({ bars }) => bars.length > 0)
        .map((lane) => (
          <div key={lane.device} className={styles.summaryRow}>
            <span className={textStyles.truncated}>{deviceText(lane.device)}</span>
            <b title={words.busy({ time: durationText(lane.busyMicros / 1000) })}>
              {idleText(lane.busyMicros, stepMicros)}
            </b>
            <i style={{ width: `${Math.min(100, (100 * lane.busyMicros) / stepMicros).toFixed(1)}%` }} />
          </div>
        ))}
      <p>
        {transfers.length === 0
          ? words.nothingSent({ nodes: run.nodes.length })
          : words.sent({
              nodes: run.nodes.length,
              tensors: transfers.length,
              bytes: totalBytesText(transfers.map(({ bytes }) => bytes)),
            })}{" "}
        {untimed === 0
          ? null
          : untimed === transfers.length
            ? words.untimed
            : words.someUntimed({ count: untimed })}
      </p>
      <ClientText transfers={sentForClient(run.transfers)} />
      <ReceivedText transfers={transfers} />
    </section>
  );
}

/** The tensors that the client fed and fetched. */
function ClientText({ transfers }: { readonly transfers: readonly Transfer[] }): ReactElement | null {
  if (transfers.length === 0) return null;
  const bytes = totalBytesText(transfers.map((one) => one.bytes));
  return <p>{words.client({ tensors: transfers.length, bytes })}</p>;
}

/** The bytes that each task received, for comparing how the work is spread; the most of many. */
function ReceivedText({ transfers }: { readonly transfers: readonly Transfer[] }): ReactElement | null {
  const received = new Map<string, (number | undefined)[]>();
  for (const { toDevice, bytes } of transfers) {
    const task = taskNameOfDevice(toDevice) ?? deviceText(toDevice);
    received.set(task, [...(received.get(task) ?? []), bytes]);
  }
  if (received.size < 2) return null;
  const total = (sizes: readonly (number | undefined)[]) =>
    sizes.reduce<number>((sum, bytes = 0) => sum + bytes, 0);
  const most = [...received]
    .sort(([one, a], [other, b]) => total(b) - total(a) || (one < other ? -1 : 1))
    .slice(0, MOST_RECEIVERS)
    .map(([task, sizes]) => words.receivedBy({ task, bytes: totalBytesText(sizes) }));
  return <p>{words.received({ tasks: listText(most), more: received.size - most.length })}</p>;
}

/** "idle 42%" of the time from the start of the step to its end. */
function idleText(busyMicros: number, stepMicros: number): string {
  return words.idle({ percent: Math.round(100 * Math.max(0, 1 - busyMicros / stepMicros)) });
}

/** The nodes for which the end of the step waited. */
function PathSummary({ run, stepMicros }: Pick<SummaryProps, "run"> & { stepMicros: number }) {
  const nodes = useDocument((state) => state.document.nodes);
  const path = useSliced({
    size: run.nodes.length,
    work: () => slicedCriticalPath(run.nodes, nodes, stepMicros),
    of: [run.nodes, nodes, stepMicros],
    subject: run.runId,
  });
  if (path === undefined || path.nodes.length < 2) return null;
  const slowest = path.nodes.reduce((one, other) =>
    other.durationMicros > one.durationMicros ? other : one,
  );
  const rows = [
    [words.computeOnCriticalPath, path.computeMicros],
    [words.betweenDevices, path.transferMicros],
    [words.waiting, path.waitMicros],
  ] as const;
  return (
    <>
      {rows.map(([name, micros]) => (
        <div key={name} className={styles.summaryRow}>
          <span className={textStyles.truncated}>{name}</span>
          <b>{durationText(micros / 1000)}</b>
        </div>
      ))}
      <p title={pathText(path)}>
        {words.critical({
          count: path.nodes.length,
          node: slowest.node,
          b: bold,
          time: durationText(slowest.durationMicros / 1000),
        })}
      </p>
    </>
  );
}

/** Nodes of a path that its tooltip names. */
const NAMED = 20;

/** The nodes before the end, which a step waits for in any case; of a long path only the last ones. */
function pathText({ nodes }: CriticalPath): string {
  const named = nodes.slice(-NAMED).map(({ node }) => node);
  return (named.length < nodes.length ? ["…", ...named] : named).join(" → ");
}

async function saveTrace(runId: string): Promise<void> {
  const trace = await client().call("runs.chromeTrace", { runId });
  downloadFile(new Blob([trace], { type: "application/json" }), "tensordeck-trace.json");
}
