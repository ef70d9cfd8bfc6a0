/** Trainings that lost a task, and go on from a checkpoint. */
import type { RunUpdate } from "../../main/api/runs.js";
import { dismissNoticeByKey, type NoticeAction } from "../stores/app-store.js";
import { inSession, openSessions } from "../stores/document-session.js";
import { runHistoryActions } from "../stores/run-history-store.js";
import { useDocumentRun, useRun } from "../stores/run-store.js";
import { texts } from "../texts/texts.js";
import { client } from "../transport/client.js";

const words = texts.actions.recoveryActions;

/** Messages about a run; removed by the next run. */
export const RUN_NOTICE = "run";

/** A run that may go on, the newest or an earlier one. */
export type Resumable = Pick<RunUpdate, "runId" | "recovery">;

/** Has the application start the tasks that the run needs, restore the newest whole checkpoint, and go on. */
export async function goOnFromCheckpoint({ runId }: Resumable): Promise<void> {
  await client().call("runs.goOn", { runId });
}

/** The run is not going to go on, and the offer is shown no more. */
export async function dismissRecovery({ runId }: Resumable): Promise<void> {
  await client().call("runs.dismissRecovery", { runId });
  if (useRun.getState().newest?.runId === runId) dismissNoticeByKey(RUN_NOTICE);
  for (const session of openSessions()) {
    inSession(session, () => runHistoryActions.changed());
    const store = useDocumentRun.of(session);
    const { latest } = store.getState();
    if (latest?.runId !== runId) continue;
    const { recovery: _, ...rest } = latest;
    store.setState({ latest: rest });
  }
}

/** "Restore from step 600 and go on". */
export function goOnLabel(checkpointStep: number): string {
  return words.goOn({ step: checkpointStep });
}

/** The remedy for a run that lost a task, if it has saved a checkpoint. */
export function recoveryAction(run: RunUpdate): NoticeAction | undefined {
  if (!run.recovery) return undefined;
  return { label: goOnLabel(run.recovery.checkpointStep), run: () => goOnFromCheckpoint(run) };
}
