/** Initializes the document's variables. */
import type { RunUpdate } from "../../main/api/runs.js";
import { variablesOf } from "../document/variables.js";
import { useApp } from "../stores/app-store.js";
import { activeSession, inSession } from "../stores/document-session.js";
import { documentActions, useDocument } from "../stores/document-store.js";
import { isActive, useRun } from "../stores/run-store.js";
import { type RunWish, sendRun, startRun } from "./run-actions.js";
import { readLive } from "./variable-reading.js";

/**
 * Runs operations once, for their effect. Resolves with true when they are done and with false if they failed, were
 * replaced by another run, or the application is gone; rejects with a ProblemError if they cannot be started.
 */
export async function initialise(targets: readonly string[]): Promise<boolean> {
  // Initializers do not depend on rows of a file.
  const feeds = documentActions
    .runInputs()
    .feeds.filter(({ value }) => value.kind === "literal" || value.batched !== true);
  const runId = await sendRun({ feeds, fetches: [], targets: [...targets], steps: 1, trace: false });
  return runId !== undefined && (await endOfRun(runId))?.state === "done";
}

/**
 * Initializes the variables of the graph that have no value, with zeros if the graph has no initializer, and then repeats
 * the run that failed because of them.
 */
export async function initialiseAndRunAgain({ steps, trace }: RunWish): Promise<void> {
  const session = activeSession();
  const { missing } = documentActions.initialisation();
  if (missing.length > 0 && !documentActions.giveFirstValue(missing)) return;
  const variables = variablesOf(useDocument.getState().document.nodes).map(({ name }) => name);
  // Trained variables keep their values; only those that were added since have none.
  const { live } = await readLive(variables);
  // Another tab may be shown by now.
  const initialised = await inSession(session, () =>
    initialise(documentActions.initialisation(new Set(live)).targets),
  );
  if (initialised) await inSession(session, () => startRun(steps, trace));
}

/** The final state of a run; undefined if there will be none. */
export function endOfRun(runId: string): Promise<RunUpdate | undefined> {
  const seen = { begun: false };
  /** "wait" while the run continues. */
  const ended = (): RunUpdate | undefined | "wait" => {
    const { newest } = useRun.getState();
    if (useApp.getState().connection === "lost") return undefined;
    if (newest?.runId !== runId) return seen.begun ? undefined : "wait";
    seen.begun = true;
    return isActive(newest) ? "wait" : newest;
  };
  return new Promise((resolve) => {
    const look = () => {
      const end = ended();
      if (end === "wait") return;
      for (const unsubscribe of subscriptions) unsubscribe();
      resolve(end);
    };
    const subscriptions = [useRun.subscribe(look), useApp.subscribe(look)];
    look();
  });
}
