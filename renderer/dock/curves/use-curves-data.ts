import { useEffect, useRef, useState } from "react";
import type { RunSummary, ScalarCurve } from "../../../main/api/run-history.js";
import { showProblem } from "../../stores/app-store.js";
import { useRunHistory } from "../../stores/run-history-store.js";
import { useRun } from "../../stores/run-store.js";
import { client } from "../../transport/client.js";

export interface CurvesData {
  /** The newest first. */
  readonly runs: readonly RunSummary[];
  /** The curves of the wanted runs, as far as they are here. */
  readonly curves: ReadonlyMap<string, readonly ScalarCurve[]>;
}

/**
 * The kept runs, and the curves of some of them. Both follow the run in progress: its updates come at most four times a
 * second, and the next request is made when the one before is answered.
 */
export function useCurvesData(wanted: readonly string[]): CurvesData {
  const [data, setData] = useState<CurvesData>({ runs: [], curves: new Map() });
  const known = useRef(data);
  const busy = useRef(false);
  const again = useRef(false);
  const newest = useRun((state) => state.newest);
  const progress = `${newest?.runId} ${newest?.step} ${newest?.state}`;
  const forgotten = useRunHistory((state) => state.changes);
  const key = wanted.join();
  const mounted = useRef(true);
  useEffect(() => {
    mounted.current = true;
    return () => {
      mounted.current = false;
    };
  }, []);
  const latest = useRef(wanted);
  latest.current = wanted;
  // biome-ignore lint/correctness/useExhaustiveDependencies: what the run and the choice have become
  useEffect(() => {
    const load = async () => {
      if (busy.current) {
        again.current = true;
        return;
      }
      busy.current = true;
      try {
        do {
          again.current = false;
          const loaded = await loadCurves(latest.current, known.current);
          known.current = loaded;
          if (mounted.current) setData(loaded);
        } while (again.current && mounted.current);
      } catch (error) {
        if (mounted.current) showProblem(error, { key: "curves" });
      } finally {
        busy.current = false;
      }
    };
    void load();
  }, [progress, key, forgotten]);
  return data;
}

/** Curves of runs that have not changed are taken from what is known. */
async function loadCurves(wanted: readonly string[], known: CurvesData): Promise<CurvesData> {
  const runs = await client().call("runs.history");
  const before = new Map(known.runs.map((run) => [run.runId, run]));
  const curves = new Map<string, readonly ScalarCurve[]>();
  for (const { runId, step } of runs) {
    if (!wanted.includes(runId)) continue;
    const there = known.curves.get(runId);
    const isCurrent = there !== undefined && before.get(runId)?.step === step;
    curves.set(runId, isCurrent ? there : await client().call("runs.scalars", { runId }));
  }
  return { runs, curves };
}
