/** Runs as windows were told of them last, from the application. */
import type { RunUpdate } from "../../main/api/runs.js";
import { client } from "../transport/client.js";
import { loadTrace } from "./load-trace.js";

/** The last state of a run that windows were sent, with the events of its traced step. Rejects with the reason of the signal. */
export async function keptRun(runId: string, signal: AbortSignal): Promise<RunUpdate> {
  const update = await client().call("runs.kept", { runId });
  const { eventCount, tracedStep } = update;
  if (eventCount === undefined || tracedStep === undefined) return update;
  const { nodes, transfers } = await loadTrace(
    { runId, step: tracedStep },
    { signal, onProgress: () => undefined },
  );
  return { ...update, nodes, transfers };
}
