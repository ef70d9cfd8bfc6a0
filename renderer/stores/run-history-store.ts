import { useMemo } from "react";
import type { RunSummary } from "../../main/api/run-history.js";
import { isOfDocument } from "../../main/api/run-state.js";
import { perDocument } from "./document-session.js";
import { useDocument } from "./document-state.js";
import { runDocumentOf } from "./run-origin.js";

/** How the kept runs of a document are shown. */
export interface RunHistoryStore {
  /** Runs that are shown beside each other, at most two; the one chosen last is the last. Undefined: the newest. */
  readonly compared: readonly string[] | undefined;
  /** Counts up when runs were forgotten, or something else is told of them. */
  readonly changes: number;
}

export const useRunHistory = perDocument<RunHistoryStore>(() => ({ compared: undefined, changes: 0 }));

const MOST_COMPARED = 2;

/**
 * The kept runs of the active document, in their order.
 *
 * @param shown one that it shows the values of, though another window may have started it
 */
export function useRunsOfDocument(runs: readonly RunSummary[], shown?: string): readonly RunSummary[] {
  const id = useDocument((state) => state.document.id);
  const name = useDocument((state) => state.document.name);
  const path = useDocument((state) => state.document.path);
  return useMemo(() => {
    const document = runDocumentOf({ id, name, ...(path === undefined ? {} : { path }) });
    return runs.filter(({ runId, origin }) => runId === shown || isOfDocument(origin, document));
  }, [runs, shown, id, name, path]);
}

export const runHistoryActions = {
  /** Shows a run, or no longer; of more than two, the one chosen first gives way. */
  toggle(shown: readonly string[], runId: string): void {
    const compared = shown.includes(runId)
      ? shown.filter((other) => other !== runId)
      : [...shown, runId].slice(-MOST_COMPARED);
    useRunHistory.setState({ compared });
  },
  /** Something else is told of a run than before. */
  changed(): void {
    useRunHistory.setState(({ changes }) => ({ changes: changes + 1 }));
  },
  forgotten(): void {
    useRunHistory.setState(({ changes }) => ({ compared: undefined, changes: changes + 1 }));
  },
};
