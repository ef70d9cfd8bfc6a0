/** Runs what gives the document's variables their first value. */
import type { RunUpdate } from "../../main/api/runs.js";
import { client } from "../client.js";
import { useApp } from "./app-store.js";
import { documentActions, useDocument } from "./document-store.js";
import { isActive, useRun } from "./run-store.js";

/**
 * Runs operations once, for their effect. Resolves with true once they are done and with false when they failed, when
 * another run took their place or when the application is gone; rejects with a ProblemError when they cannot be started.
 */
export async function initialise(targets: readonly string[]): Promise<boolean> {
  const { revision } = useDocument.getState();
  const { runId } = await client().call("runs.start", {
    graph: documentActions.toRunGraph(),
    feeds: documentActions.runInputs().feeds,
    fetches: [],
    targets: [...targets],
    steps: 1,
    trace: false,
    softPlacement: true,
    logDevicePlacement: false,
  });
  useRun.setState({ runRevision: revision, ownRunId: runId });
  return (await endOf(runId))?.state === "done";
}

/** The last news of a run; undefined when there will be none. */
function endOf(runId: string): Promise<RunUpdate | undefined> {
  const seen = { begun: false };
  /** "wait" while the run goes on. */
  const ended = (): RunUpdate | undefined | "wait" => {
    const { latest } = useRun.getState();
    if (useApp.getState().connection === "lost") return undefined;
    if (latest?.runId !== runId) return seen.begun ? undefined : "wait";
    seen.begun = true;
    return isActive(latest) ? "wait" : latest;
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
