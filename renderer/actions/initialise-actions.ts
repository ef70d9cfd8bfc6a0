/** Runs what gives the document's variables their first value. */
import type { RunUpdate } from "../../main/api/runs.js";
import { useApp } from "../stores/app-store.js";
import { documentActions } from "../stores/document-store.js";
import { isActive, useRun } from "../stores/run-store.js";
import { type RunWish, sendRun, startRun } from "./run-actions.js";

/**
 * Runs operations once, for their effect. Resolves with true once they are done and with false when they failed, when
 * another run took their place or when the application is gone; rejects with a ProblemError when they cannot be started.
 */
export async function initialise(targets: readonly string[]): Promise<boolean> {
  const { feeds } = documentActions.runInputs();
  const runId = await sendRun({ feeds, fetches: [], targets: [...targets], steps: 1, trace: false });
  return runId !== undefined && (await endOf(runId))?.state === "done";
}

/**
 * Gives the variables of the graph a value, zeros where nothing of the graph does, and then runs what failed for want of
 * it, as it was asked for.
 */
export async function initialiseAndRunAgain({ steps, trace }: RunWish): Promise<void> {
  const { missing } = documentActions.initialisation();
  if (missing.length > 0 && !documentActions.giveFirstValue(missing)) return;
  if (await initialise(documentActions.initialisation().targets)) await startRun(steps, trace);
}

/** The last news of a run; undefined when there will be none. */
function endOf(runId: string): Promise<RunUpdate | undefined> {
  const seen = { begun: false };
  /** "wait" while the run goes on. */
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
