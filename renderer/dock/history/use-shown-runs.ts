import { useEffect, useMemo, useState } from "react";
import type { RunUpdate } from "../../../main/api/runs.js";
import { showProblem } from "../../stores/app-store.js";
import { keptRun } from "../../stores/kept-run.js";
import { tracedPartOf } from "../../stores/load-trace.js";
import { useRun } from "../../stores/run-store.js";
import type { CurvesData } from "../curves/use-curves-data.js";
import { useStepTrace } from "../trace/use-step-trace.js";
import type { ShownRun } from "./comparison.js";

/** Runs of the history, the newest first, with what windows were told of them last, as far as that is here. */
export function useShownRuns(data: CurvesData, wanted: readonly string[]): ShownRun[] {
  const [kept, setKept] = useState<ReadonlyMap<string, RunUpdate>>(new Map());
  const newest = useRun((state) => state.newest);
  const key = wanted.join();
  useEffect(() => {
    let current = true;
    const abort = new AbortController();
    const load = async () => {
      const updates: [string, RunUpdate][] = [];
      for (const runId of key === "" ? [] : key.split(",")) {
        updates.push([runId, await keptRun(runId, abort.signal)]);
      }
      if (current) setKept(new Map(updates));
    };
    load().catch((error: unknown) => {
      if (current) showProblem(error, { key: "run-history" });
    });
    return () => {
      current = false;
      abort.abort();
    };
  }, [key]);
  const shown = useMemo(
    () =>
      data.runs.flatMap((summary) => {
        const { runId } = summary;
        if (!wanted.includes(runId)) return [];
        // The newest run goes on while it is shown.
        const update = newest?.runId === runId ? newest : kept.get(runId);
        return update ? [{ summary, update }] : [];
      }),
    [data, kept, newest, wanted],
  );
  return useStepsAlike(shown);
}

/**
 * Runs of which only some have a later step to show, all with their first ones, as far as these are kept: the set-up
 * that a first step includes can take many times as long as the rest.
 */
function useStepsAlike(shown: ShownRun[]): ShownRun[] {
  const hasSetUp = ({ update }: ShownRun) => update.tracedStepRegisteredGraph === true;
  const later = shown.some(hasSetUp) ? shown.find((run) => !hasSetUp(run)) : undefined;
  const [first] = later?.summary.tracedSteps ?? [];
  const { trace } = useStepTrace(
    later && first !== undefined ? { runId: later.summary.runId, step: first } : undefined,
  );
  return useMemo(() => {
    if (!later || !trace?.registeredGraph) return shown;
    const update = { ...later.update, ...tracedPartOf(trace) };
    return shown.map((run) => (run === later ? { ...run, update } : run));
  }, [shown, later, trace]);
}
