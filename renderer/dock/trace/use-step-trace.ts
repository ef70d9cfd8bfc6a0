import { useEffect, useState } from "react";
import type { StepTrace } from "../../../main/api/traces.js";
import { showProblem, useApp } from "../../stores/app-store.js";
import { loadTrace } from "../../stores/load-trace.js";
import type { TraceRef } from "../../stores/timeline-store.js";

export interface LoadedTrace {
  /** Undefined until it is here, and without one to load. */
  readonly trace: StepTrace | undefined;
  /** How much of it is here: 0 to 1. */
  readonly share: number;
}

const NOTHING: LoadedTrace = { trace: undefined, share: 0 };

/** A kept trace. Its loading ends when another one is wanted, or when nothing shows it any more. */
export function useStepTrace(wanted: TraceRef | undefined): LoadedTrace {
  const [loaded, setLoaded] = useState<LoadedTrace & { readonly key: string }>();
  const connected = useApp((state) => state.connection === "connected");
  const { runId, step } = wanted ?? {};
  const key = `${runId} ${step}`;
  useEffect(() => {
    if (runId === undefined || step === undefined || !connected) return;
    const abort = new AbortController();
    const of = `${runId} ${step}`;
    // Loaded again after the connection was lost, it stays to be seen meanwhile.
    const onProgress = (share: number) =>
      setLoaded((now) => (now?.key === of && now.trace ? now : { key: of, trace: undefined, share }));
    loadTrace({ runId, step }, { signal: abort.signal, onProgress }).then(
      (trace) => setLoaded({ key: of, trace, share: 1 }),
      (error: unknown) => abort.signal.aborted || showProblem(error, { key: "trace" }),
    );
    return () => abort.abort();
  }, [runId, step, connected]);
  return loaded?.key === key ? loaded : NOTHING;
}
