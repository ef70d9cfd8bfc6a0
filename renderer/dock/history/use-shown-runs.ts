import { useEffect, useMemo, useState } from "react";
import type { RunUpdate } from "../../../main/api/runs.js";
import { showProblem } from "../../stores/app-store.js";
import { useRun } from "../../stores/run-store.js";
import { client } from "../../transport/client.js";
import type { CurvesData } from "../curves/use-curves-data.js";
import type { ShownRun } from "./comparison.js";

/** Runs of the history, the newest first, with what windows were told of them last, as far as that is here. */
export function useShownRuns(data: CurvesData, wanted: readonly string[]): ShownRun[] {
  const [kept, setKept] = useState<ReadonlyMap<string, RunUpdate>>(new Map());
  const newest = useRun((state) => state.newest);
  const key = wanted.join();
  useEffect(() => {
    let current = true;
    const load = async () => {
      const updates: [string, RunUpdate][] = [];
      for (const runId of key === "" ? [] : key.split(",")) {
        updates.push([runId, await client().call("runs.kept", { runId })]);
      }
      if (current) setKept(new Map(updates));
    };
    load().catch((error: unknown) => {
      if (current) showProblem(error, { key: "run-history" });
    });
    return () => {
      current = false;
    };
  }, [key]);
  return useMemo(
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
}
