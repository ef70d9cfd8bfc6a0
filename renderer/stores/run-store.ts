import { create } from "zustand";
import type { RunState, RunUpdate } from "../../main/api/runs.js";
import { perDocument } from "./document-session.js";

/** Runs as the window sees them, of any document. */
export interface RunStore {
  /** The newest run of all, whichever document it computes and whichever window started it; says what goes on. */
  readonly newest: RunUpdate | undefined;
  /** The newest run that this very window started; another tab may have started the newest one. */
  readonly ownRunId: string | undefined;
  /** The run that was asked to stop after its step. */
  readonly stopRequested: string | undefined;
}

export const useRun = create<RunStore>()(() => ({
  newest: undefined,
  ownRunId: undefined,
  stopRequested: undefined,
}));

/** The run whose values a document shows. */
export interface DocumentRunStore {
  /**
   * The newest run that computes the document, in the state it has or had in this window, also after it ended. Values,
   * times and errors are shown of this one alone.
   */
  readonly latest: RunUpdate | undefined;
  /** The document's revision that `latest` computes, there whenever that is; values are "before edit" where it differs. */
  readonly runRevision: number | undefined;
}

export const useDocumentRun = perDocument<DocumentRunStore>(() => ({
  latest: undefined,
  runRevision: undefined,
}));

const ended: ReadonlySet<RunState> = new Set(["done", "stopped", "failed"]);

/** True from the click on Run until the run is done, stopped or failed. */
export function isActive(run: RunUpdate | undefined): boolean {
  return run !== undefined && !ended.has(run.state);
}
