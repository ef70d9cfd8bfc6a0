import { useEffect, useState } from "react";
import { isActive, useRun } from "../stores/run-store.js";

/** Runs shorter than this show no progress: controls that appear only briefly are distracting. */
const SHOW_AFTER_MILLIS = 300;

/** True while a run has been in progress for a while. */
export function useLongRun(): boolean {
  const active = useRun((state) => isActive(state.newest));
  const runId = useRun((state) => state.newest?.runId);
  const [longRun, setLongRun] = useState<string>();
  useEffect(() => {
    if (!active) return;
    const timer = setTimeout(() => setLongRun(runId), SHOW_AFTER_MILLIS);
    return () => clearTimeout(timer);
  }, [active, runId]);
  return active && longRun === runId;
}
