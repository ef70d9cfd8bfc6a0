/**
 * The events of a run's newest traced step. If they are many, the application tells only how many they are, and they are
 * loaded in parts; until they are here, those of the step before stay.
 */
import type { RunUpdate } from "../../main/api/runs.js";
import type { StepTrace } from "../../main/api/traces.js";
import { toProblem } from "../../main/api/wire.js";
import type { Sliced } from "../../worker-runtime/graph/slices.js";
import { inSlices } from "../document/in-slices.js";
import { showProblem } from "../stores/app-store.js";
import { openSessions } from "../stores/document-session.js";
import { loadTrace, tracedPartOf } from "../stores/load-trace.js";
import { useDocumentRun, useRun } from "../stores/run-store.js";
import type { TraceRef } from "../stores/timeline-store.js";
import { nextTask } from "../ui/next-task.js";
import { slicedRunsByNode } from "../viewport/node-text.js";
import { slicedByTensor } from "../viewport/sent-tensors.js";

/** The run that is being loaded, and the one that is loaded next; of several only the newest is. */
let present: { readonly runId: string; readonly abort: AbortController } | undefined;
let wanted: TraceRef | undefined;

/** The update with its events as far as they are here. Begins to load those that are not. */
export function withEvents(update: RunUpdate, before: RunUpdate | undefined): RunUpdate {
  const { runId, tracedStep, eventCount } = update;
  if (present && (present.runId !== runId || eventCount === undefined)) present.abort.abort();
  wanted = undefined;
  if (eventCount === undefined || tracedStep === undefined) return update;
  const shown =
    before?.runId === runId && before.nodes.length + before.transfers.length > 0 ? before : undefined;
  if (shown?.tracedStep !== tracedStep) {
    wanted = { runId, step: tracedStep };
    void load();
  }
  return shown ? { ...update, ...tracedPart(shown) } : update;
}

function tracedPart({
  nodes,
  transfers,
  tracedStep,
  tracedStepMillis,
  tracedStepRegisteredGraph,
  computeMillis,
}: RunUpdate): Partial<RunUpdate> {
  return {
    ...{ nodes, transfers },
    ...(tracedStep === undefined ? {} : { tracedStep }),
    ...(tracedStepMillis === undefined ? {} : { tracedStepMillis }),
    ...(tracedStepRegisteredGraph === undefined ? {} : { tracedStepRegisteredGraph }),
    ...(computeMillis === undefined ? {} : { computeMillis }),
  };
}

/** Loads what is wanted, one step after the other. */
async function load(): Promise<void> {
  if (present) return;
  while (wanted) {
    const step: TraceRef = wanted;
    const abort = new AbortController();
    const { signal } = abort;
    present = { runId: step.runId, abort };
    useRun.setState({ eventShare: 0 });
    try {
      const onProgress = (eventShare: number) => useRun.setState({ eventShare });
      const trace = await loadTrace(step, { signal, onProgress });
      await inSlices(slicedLookups(trace), { pause: nextTask, signal });
      show(step.runId, trace);
    } catch (error) {
      // One that is no longer kept gave way to that of a newer step, which is told with the next update.
      if (!signal.aborted && toProblem(error).code !== "NOT_FOUND") showProblem(error, { key: "trace" });
    }
    if (wanted?.runId === step.runId && wanted.step === step.step) wanted = undefined;
  }
  present = undefined;
  useRun.setState({ eventShare: undefined });
}

/** The indexes in which nodes and edges are looked up when the step is shown. */
function* slicedLookups({ nodes, transfers }: StepTrace): Sliced<void> {
  yield* slicedRunsByNode(nodes);
  yield* slicedByTensor(transfers);
}

function show(runId: string, trace: StepTrace): void {
  const traced = tracedPartOf(trace);
  const { newest } = useRun.getState();
  const seen = newest?.runId === runId ? { ...newest, ...traced } : undefined;
  if (seen) useRun.setState({ newest: seen });
  for (const session of openSessions()) {
    const store = useDocumentRun.of(session);
    const { latest } = store.getState();
    if (latest?.runId === runId) store.setState({ latest: seen ?? { ...latest, ...traced } });
  }
}
