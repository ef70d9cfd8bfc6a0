import { useEffect, useState } from "react";
import { isActive, useRun } from "../stores/run-store.js";

/** What takes less time than this shows no progress: controls that come and go at once only unsettle. */
const SHOW_AFTER_MILLIS = 300;

/** True while a run goes on that has done so for a while. */
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
