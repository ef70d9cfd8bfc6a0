import { create } from "zustand";
import type { RunState, RunUpdate } from "../../main/api/runs.js";

export interface RunStore {
  /** The newest run of all, whichever document it computes and whichever window started it; says what goes on. */
  readonly newest: RunUpdate | undefined;
  /**
   * The newest run if it computes the open document, in the state it has or had in this window, also after it ended.
   * Values, times and errors are shown of this one alone.
   */
  readonly latest: RunUpdate | undefined;
  /** The document's revision that `latest` computes, there whenever that is; values are "before edit" where it differs. */
  readonly runRevision: number | undefined;
  /** The newest run that this very window started; another tab may have started the newest one. */
  readonly ownRunId: string | undefined;
  /** The run that was asked to stop after its step. */
  readonly stopRequested: string | undefined;
}

export const useRun = create<RunStore>()(() => ({
  newest: undefined,
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
