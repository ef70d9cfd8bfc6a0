import { create } from "zustand";
import type { RunState, RunUpdate } from "../../main/api/runs.js";

export interface RunStore {
  /** The newest run, also after it ended; undefined before the first. */
  readonly latest: RunUpdate | undefined;
  /** The document's revision that the newest run was started with; values are "before edit" when it differs now. */
  readonly runRevision: number | undefined;
  /** The newest run that this very window started; another tab may have started the newest one. */
  readonly ownRunId: string | undefined;
  /** The run that was asked to stop after its step. */
  readonly stopRequested: string | undefined;
}

export const useRun = create<RunStore>()(() => ({
  latest: undefined,
  runRevision: undefined,
  ownRunId: undefined,
  stopRequested: undefined,
}));

const ended: ReadonlySet<RunState> = new Set(["done", "stopped", "failed"]);

/** True from the click on Run until the run is done, stopped or failed. */
export function isActive(run: RunUpdate | undefined): boolean {
  return run !== undefined && !ended.has(run.state);
}
