import { useEffect, useState } from "react";
import type { StepTrace } from "../../../main/api/traces.js";
import { showProblem, useApp } from "../../stores/app-store.js";
import type { TraceRef } from "../../stores/timeline-store.js";
import { client } from "../../transport/client.js";

/** A kept trace; undefined until it is here, and without one to load. */
export function useStepTrace(wanted: TraceRef | undefined): StepTrace | undefined {
  const [loaded, setLoaded] = useState<{ readonly key: string; readonly trace: StepTrace }>();
  const connected = useApp((state) => state.connection === "connected");
  const { runId, step } = wanted ?? {};
  const key = `${runId} ${step}`;
  useEffect(() => {
    if (runId === undefined || step === undefined || !connected) return;
    let current = true;
    client()
      .call("runs.trace", { runId, step })
      .then(
        (trace) => current && setLoaded({ key: `${runId} ${step}`, trace }),
        (error: unknown) => current && showProblem(error, { key: "trace" }),
      );
    return () => {
      current = false;
    };
  }, [runId, step, connected]);
  return loaded?.key === key ? loaded.trace : undefined;
}
