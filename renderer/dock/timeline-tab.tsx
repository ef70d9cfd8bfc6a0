import { type ReactElement, useMemo, useState } from "react";
import type { RunUpdate } from "../../main/api/runs.js";
import { traceCommands } from "../commands/run-commands.js";
import { CommandButton } from "../parts/command-button.js";
import { attempt } from "../stores/app-store.js";
import { useBeforeEdit } from "../stores/before-edit.js";
import { useDocumentRun } from "../stores/run-store.js";
import { useUi } from "../stores/ui-store.js";
import { client } from "../transport/client.js";
import { Button } from "../ui/button.js";
import { downloadFile } from "../ui/download.js";
import { countText, durationText, numberText, stepText, totalBytesText } from "../ui/format.js";
import { layTimeline, type Timeline } from "./lanes.js";
import { deviceText, TimelinePlot } from "./timeline-plot.js";
import { TimelineTable } from "./timeline-table.js";
import "./timeline.css";

/** When and where every node of the newest traced step ran. */
export default function TimelineTab(): ReactElement {
  const run = useDocumentRun((state) => state.latest);
  const trace = useUi((state) => state.trace);
  const old = useBeforeEdit();
  const [asTable, setAsTable] = useState(false);
  const timeline = useMemo(
    () => (run?.tracedStep === undefined ? undefined : layTimeline(run.nodes, run.transfers)),
    [run?.tracedStep, run?.nodes, run?.transfers],
  );
  if (run?.tracedStep === undefined || timeline === undefined) {
    return (
      <div className="empty">
        {trace ? "Run the graph to see where time goes." : "Turn on Trace and run to see where time goes."}
        {trace ? null : (
          <div>
            <CommandButton command={traceCommands.toggle} icon text="label" />
          </div>
        )}
      </div>
    );
  }
  return (
    <>
      <div className="dock-bar fg2">
        <span className="legend">
          <i className="legend-run" />
          node ran
        </span>
        <span className="legend">
          <i className="legend-transfer" />
          RecvTensor, in the sender's colour
        </span>
        <span className="grow" />
        <span>
          {stepText(run.tracedStep)}
          {old ? " · before edit" : ""}
        </span>
        <Button
          size="small"
          variant="ghost"
          icon="table"
          aria-pressed={asTable}
          onClick={() => setAsTable(!asTable)}
        >
          {asTable ? "Show lanes" : "Show table"}
        </Button>
        <Button
          size="small"
          variant="ghost"
          icon="download"
          onClick={() => attempt(() => saveTrace(run.runId))}
        >
          Save Chrome trace
        </Button>
      </div>
      <div className="timeline">
        {asTable ? <TimelineTable timeline={timeline} /> : <TimelinePlot timeline={timeline} />}
        <Summary run={run} step={run.tracedStep} timeline={timeline} old={old} />
      </div>
    </>
  );
}

interface SummaryProps {
  readonly run: RunUpdate;
  /** The step that was traced. */
  readonly step: number;
  readonly timeline: Timeline;
  /** Measured before the last edit. */
  readonly old: boolean;
}

/** Only sums of what was measured. */
function Summary({ run, step, timeline, old }: SummaryProps): ReactElement {
  const { transfers } = run;
  const untimed = transfers.filter(({ timed }) => !timed).length;
  return (
    <div className={old ? "summary old" : "summary"}>
      <div className="summary-head">
        <b>{durationText(run.computeMillis ?? timeline.endMicros / 1000)}</b>
        <span className="fg2">first node to last, {stepText(step)}</span>
      </div>
      {timeline.lanes
        .filter(({ bars }) => bars.length > 0)
        .map((lane) => (
          <div key={lane.device} className="summary-row">
            <span className="ell">{deviceText(lane.device)}</span>
            <b>{durationText(lane.busyMicros / 1000)} busy</b>
            <i
              style={{ width: `${Math.min(100, (100 * lane.busyMicros) / timeline.endMicros).toFixed(1)}%` }}
            />
          </div>
        ))}
      <p>
        {countText(run.nodes.length, "node")} ran.{" "}
        {transfers.length === 0
          ? "Nothing went between tasks."
          : `${countText(transfers.length, "tensor")}, ${totalBytesText(transfers.map(({ bytes }) => bytes))} went between tasks.`}
        {untimed === 0
          ? null
          : ` The engine recorded no time for ${untimed === transfers.length ? "them" : `${numberText(untimed)} of them`}: dashed, from the node that made it to the first that read it.`}
      </p>
    </div>
  );
}

async function saveTrace(runId: string): Promise<void> {
  const trace = await client().call("runs.chromeTrace", { runId });
  downloadFile(new Blob([trace], { type: "application/json" }), "tensordeck-trace.json");
}
