/** Trainings that lost a task, and go on from a checkpoint. */
import type { RunUpdate } from "../../main/api/runs.js";
import type { NoticeAction } from "../stores/app-store.js";
import { texts } from "../texts/texts.js";
import { client } from "../transport/client.js";

const words = texts.actions.recoveryActions;

/** Has the application start the tasks that the run needs, restore the newest whole checkpoint, and go on. */
export async function goOnFromCheckpoint({ runId }: RunUpdate): Promise<void> {
  await client().call("runs.goOn", { runId });
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
