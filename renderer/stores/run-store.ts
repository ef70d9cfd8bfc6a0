import { create } from "zustand";
import type { QueuedRun } from "../../main/api/run-queue.js";
import type { RunState } from "../../main/api/run-state.js";
import type { RunUpdate } from "../../main/api/runs.js";
import { ofGraph, perDocument } from "./document-session.js";

/** The window's view of runs, of any document. */
export interface RunStore {
  /** The newest run of all documents and windows; shows the current activity. */
  readonly newest: RunUpdate | undefined;
  /** The newest run that this very window started; another tab may have started the newest one. */
  readonly ownRunId: string | undefined;
  /** The run that was asked to stop after its step. */
  readonly stopRequested: string | undefined;
  /** Runs of any document that wait for those before them, the next one first. */
  readonly queue: readonly QueuedRun[];
  /** How much of the newest run's traced step is here, 0 to 1, while it is loaded; undefined otherwise. */
  readonly eventShare: number | undefined;
}

export const useRun = create<RunStore>()(() => ({
  newest: undefined,
  ownRunId: undefined,
  stopRequested: undefined,
  queue: [],
  eventShare: undefined,
}));

/** The run whose values a document shows, and the next long one. */
export interface DocumentRunStore {
  /**
   * The newest run that computes the document, in the state it has or had in this window, also after it ended. Values,
   * times and errors are shown for this one only.
   */
  readonly latest: RunUpdate | undefined;
  /** The document's revision that `latest` computes, set with it; values are "before edit" if it differs. */
  readonly runRevision: number | undefined;
  /** Steps of the second run button, unless the run configuration says how many. */
  readonly manySteps: number;
}

/** Until another number is chosen. */
export const MANY_STEPS = 1000;

export const useDocumentRun = perDocument<DocumentRunStore>(() => ({
  latest: undefined,
  runRevision: undefined,
  manySteps: MANY_STEPS,
}));

/** The run whose values the graph that is shown has. A function has none: it is run by each of its callers. */
export const useGraphRun = ofGraph(useDocumentRun);

const ended: ReadonlySet<RunState> = new Set(["done", "stopped", "failed"]);

/** True from the click on Run until the run is done, stopped or failed. */
export function isActive(run: RunUpdate | undefined): boolean {
  return run !== undefined && !ended.has(run.state);
}
