/** Starting and stopping runs of the open document. */
import type { Problem } from "../../main/api/problem.js";
import type { RunUpdate } from "../../main/api/runs.js";
import { client } from "../client.js";
import { listText } from "../ui/format.js";
import { dismissNoticeByKey, type NoticeAction, showNotice, showProblem } from "./app-store.js";
import { taskName } from "./cluster-store.js";
import { documentActions, useDocument } from "./document-store.js";
import { currentTasks, missingTasks, startLabel, startMissing } from "./graph-tasks.js";
import { wayOut } from "./kernel-actions.js";
import { missingAt } from "./kernel-store.js";
import { isActive, useRun } from "./run-store.js";
import { useUi } from "./ui-store.js";

/** Messages about a run; the next run takes them away. */
const RUN_NOTICE = "run";
/** What is missing for a run, with an offer to bring it; gone as soon as it is there, whoever brought it. */
const TASKS_OFFER = "run-tasks";

/** Takes away what is said about runs. Called when another document is shown, too. */
export function dismissRunNotices(): void {
  for (const key of [RUN_NOTICE, TASKS_OFFER]) dismissNoticeByKey(key);
}

/** Takes back the offer that the cluster has made needless. Called when the cluster changed. */
export function reviewOffers(): void {
  const nodes = useDocument.getState().document.nodes.values();
  if (missingTasks(nodes, currentTasks()).names.length === 0) dismissNoticeByKey(TASKS_OFFER);
}

/** A click on Run came before and its `runs.start` is not answered yet. */
let starting = false;
/** The document's revision that the newest `runs.start` of this window was sent with. */
let sentRevision: number | undefined;

/** Runs the document for some steps; says in the bar what keeps it from running, with an offer that helps. */
export async function startRun(steps: number): Promise<void> {
  if (starting || isActive(useRun.getState().latest)) return;
  dismissRunNotices();
  const [blocker, ...others] = documentActions.runBlockers();
  if (blocker !== undefined) {
    const { node } = blocker;
    const problem =
      others.length === 0 ? blocker : { ...blocker, reason: joinReason(blocker.reason, others.length) };
    const action: NoticeAction | undefined =
      node === undefined ? undefined : { label: `Select ${node}`, run: () => documentActions.select([node]) };
    showNotice({ kind: "problem", problem, key: RUN_NOTICE, ...(action ? { action } : {}) });
    return;
  }
  if (offerMissingTasks(steps)) return;
  await send(steps);
}

function joinReason(reason: string | undefined, others: number): string {
  const more = `${others === 1 ? "One more thing keeps" : `${others} more things keep`} the graph from running.`;
  return reason === undefined ? more : `${reason} ${more}`;
}

/** True when tasks were missing and the offer to start them is shown. */
function offerMissingTasks(steps: number): boolean {
  const nodes = useDocument.getState().document.nodes.values();
  const missing = missingTasks(nodes, currentTasks());
  if (missing.names.length === 0) return false;
  showNotice({
    kind: "info",
    key: TASKS_OFFER,
    problem: { code: "FAILED_PRECONDITION", message: `This graph needs ${listText(missing.names)}.` },
    action: {
      label: `${startLabel(missing)} and run`,
      run: async () => {
        dismissRunNotices();
        if (await startMissing(missing)) await send(steps);
      },
    },
  });
  return true;
}

async function send(steps: number): Promise<void> {
  if (starting) return;
  starting = true;
  sentRevision = useDocument.getState().revision;
  useRun.setState({ stopRequested: undefined });
  try {
    const { runId } = await client().call("runs.start", {
      graph: documentActions.toRunGraph(),
      ...documentActions.runInputs(steps),
      steps,
      trace: useUi.getState().trace,
      softPlacement: true,
      logDevicePlacement: false,
    });
    useRun.setState({ runRevision: sentRevision, ownRunId: runId });
  } catch (error) {
    showProblem(error, { key: RUN_NOTICE });
  } finally {
    starting = false;
  }
}

/** Asks the run to stop after its step; asked again, or before there is a step, cancels what goes on. */
export async function stopRun(): Promise<void> {
  const { latest, stopRequested } = useRun.getState();
  if (latest === undefined || !isActive(latest)) return;
  const abort = stopRequested === latest.runId || ["preparing", "stopping"].includes(latest.state);
  useRun.setState({ stopRequested: latest.runId });
  await client().call("runs.stop", { runId: latest.runId, abort });
}

/** Takes over what the application says of a run. */
export function receiveRun(update: RunUpdate): void {
  const { latest } = useRun.getState();
  const isNew = latest?.runId !== update.runId;
  // The first news of a run may come before the answer to the call that started it.
  useRun.setState({ latest: update, ...(isNew ? { runRevision: starting ? sentRevision : undefined } : {}) });
  if (isNew) dismissRunNotices();
  if (update.state !== "failed" || update.problem === undefined) return;
  if (!isNew && latest?.state === "failed") return;
  showRunProblem(update);
}

function showRunProblem({ problem, steps }: RunUpdate): void {
  if (problem === undefined) return;
  const action = actionFor(problem, steps);
  showNotice({ kind: "problem", problem, key: RUN_NOTICE, ...(action ? { action } : {}) });
}

/**
 * What helps after a failed run: the task it lost is brought back, nodes without a kernel get another task, or the node
 * it failed at is shown.
 */
function actionFor({ code, node, task }: Problem, steps: number): NoticeAction | undefined {
  if (task !== undefined && currentTasks().some((one) => taskName(one) === task && one.state !== "running")) {
    return {
      label: `Start ${task} and run again`,
      run: async () => {
        dismissRunNotices();
        const now = missingTasks(useDocument.getState().document.nodes.values(), currentTasks());
        if (await startMissing(now)) await send(steps);
      },
    };
  }
  if (node === undefined || !useDocument.getState().document.nodes.has(node)) return undefined;
  const missing = code === "UNIMPLEMENTED" ? missingAt(node) : undefined;
  const way = missing && wayOut(missing);
  if (way) return way;
  return { label: `Select ${node}`, run: () => documentActions.select([node]) };
}
