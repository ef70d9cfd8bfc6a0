/** Values and times of the tabs after the page was loaded again: the application keeps them, the page does not. */
import { isOfDocument } from "../../main/api/run-state.js";
import { type DocumentSession, isOpen, openSessions } from "../stores/document-session.js";
import { useDocument } from "../stores/document-store.js";
import { keptRun } from "../stores/kept-run.js";
import { computes, runDocumentOf } from "../stores/run-origin.js";
import { useDocumentRun } from "../stores/run-store.js";
import { client } from "../transport/client.js";

/** A revision that no document has: the run computed a state that is edited by now. */
const EDITED_SINCE = -1;

/** Has every document that shows no run show its newest one again. */
export async function restoreRuns(): Promise<void> {
  const lacking = openSessions().filter(showsNone);
  if (lacking.length === 0) return;
  const runs = await client().call("runs.history");
  for (const session of lacking) {
    const { document } = useDocument.of(session).getState();
    const own = runs.find(({ origin }) => isOfDocument(origin, runDocumentOf(document)));
    if (own) await showAgain(session, own.runId);
  }
}

function showsNone(session: DocumentSession): boolean {
  return useDocumentRun.of(session).getState().latest === undefined;
}

async function showAgain(session: DocumentSession, runId: string): Promise<void> {
  const { generation } = useDocument.of(session).getState();
  const run = await keptRun(runId, new AbortController().signal);
  const { document, revision, generation: now } = useDocument.of(session).getState();
  // Meanwhile it may have been closed, have given way to another document, or have been run.
  if (!isOpen(session) || now !== generation || !showsNone(session)) return;
  const runRevision = computes(run, document) ? revision : EDITED_SINCE;
  useDocumentRun.of(session).setState({ latest: run, runRevision });
}
