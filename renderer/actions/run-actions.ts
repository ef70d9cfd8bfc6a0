/** Starting and stopping runs of the open document. */
import type { Problem } from "../../main/api/problem.js";
import type { RunOrigin } from "../../main/api/run-state.js";
import type { RunRequest, RunUpdate } from "../../main/api/runs.js";
import { byTaskName } from "../cluster/task-name.js";
import { isUninitialised } from "../document/initialisers.js";
import type { GraphDocument } from "../document/model.js";
import { evaluationOf, hasBatches, usableStops } from "../document/run-inputs.js";
import { parseTensorName } from "../document/tensor-names.js";
import type { MissingOnTask } from "../kernels/missing-kernels.js";
import { dismissNoticeByKey, type NoticeAction, showNotice, showProblem } from "../stores/app-store.js";
import {
  activateSession,
  activeSession,
  type DocumentSession,
  inSession,
  isOpen,
  openSessions,
  recordPerDocument,
} from "../stores/document-session.js";
import { documentActions, useDocument } from "../stores/document-store.js";
import { keepEqual } from "../stores/keep-equal.js";
import { missingAt } from "../stores/kernel-store.js";
import { computes, originOf } from "../stores/run-origin.js";
import { isActive, useDocumentRun, useRun } from "../stores/run-store.js";
import { useUi } from "../stores/ui-store.js";
import { texts } from "../texts/texts.js";
import { client } from "../transport/client.js";
import { listText } from "../ui/format.js";
import { selectInGraph } from "../viewport/travel.js";
import { noteNewValues, valuesCarried } from "./carried-values.js";
import { changeMembership } from "./cluster-actions.js";
import {
  currentTasks,
  missingTasks,
  needsFixedCluster,
  startLabel,
  startMissing,
  whyNotStart,
} from "./graph-tasks.js";
import { RUN_NOTICE, recoveryAction } from "./recovery-actions.js";
import { restoreRequest, runWithoutValues, runWithValues } from "./restore-actions.js";
import { withEvents } from "./run-events.js";

const words = texts.actions.runActions;

/** As RUN_NOTICE, for a run of a document that is not shown. */
const RUN_ELSEWHERE = "run-elsewhere";
/** A missing prerequisite of a run, with an action to provide it; removed as soon as it is met in any way. */
const TASKS_OFFER = "run-tasks";

/** Removes the messages about runs of the open document. Also called when another document takes its place. */
export function dismissRunNotices(): void {
  for (const key of [RUN_NOTICE, TASKS_OFFER]) dismissNoticeByKey(key, activeSession());
}

/** Removes the offers that the cluster has made unnecessary. Called when the cluster changed. */
export function reviewOffers(): void {
  for (const session of openSessions()) {
    const nodes = useDocument.of(session).getState().document.nodes;
    if (missingTasks(nodes, currentTasks()).names.length === 0 && !needsFixedCluster(nodes))
      dismissNoticeByKey(TASKS_OFFER, session);
  }
}

/** The user's request; preparations, such as starting a task, do not change it. */
export type RunWish = Pick<RunRequest, "steps" | "trace">;

/** The `runs.start` of an earlier click on Run, in any document, is still pending. */
let starting = false;
/** The parts of a document that were sent to be run, now or later. */
interface SentRun {
  readonly origin: RunOrigin;
  readonly revision: number;
  readonly generation: number;
}

/** More than can wait in the queue. */
const MOST_SENT = 32;
/** The newest requests of a document, the newest last. */
const requests = recordPerDocument((): { sent: readonly SentRun[] } => ({ sent: [] }));

type RunSettings = Pick<
  RunRequest,
  "configuration" | "traceEvery" | "stops" | "batches" | "reused" | "checkpoints" | "evaluation" | "training"
>;
/** The request to the application, without the graph. */
type RunParts = RunWish & Pick<RunRequest, "feeds" | "fetches" | "targets"> & RunSettings;

/** Runs the document for some steps; if something prevents it, the bar shows what, with an offer that helps. */
export async function startRun(steps: number, trace = wantsTrace()): Promise<void> {
  if (starting || isActive(useRun.getState().newest)) return;
  await deliver(() => wholeRun({ steps, trace }), sendRun);
}

/** As `startRun`, once the runs before it are over: as many steps as the chosen configuration says. */
export async function enqueueRun(): Promise<void> {
  const { steps } = useDocument.getState().document.runConfig;
  const trace = wantsTrace();
  await deliver(() => wholeRun({ steps, trace }), sendToQueue);
}

/** Runs part of the document for one step. @param name what the history calls it, "to z" */
export async function startPart(
  part: Pick<RunRequest, "feeds" | "fetches" | "targets" | "reused">,
  name: string,
): Promise<void> {
  if (starting || isActive(useRun.getState().newest)) return;
  const trace = wantsTrace();
  const parts = (): RunParts => {
    const { training: _, ...settings } = runSettings();
    return { ...settings, ...part, configuration: name, steps: 1, trace };
  };
  await deliver(parts, sendRun, documentActions.runBlockers(part));
}

/** Sends a run if nothing prevents it; otherwise the bar shows what does. */
async function deliver(
  parts: () => RunParts,
  to: (run: RunParts) => Promise<unknown>,
  blockers = documentActions.runBlockers(),
): Promise<void> {
  dismissRunNotices();
  const session = activeSession();
  const [blocker, next] = blockers;
  if (blocker !== undefined) {
    const { node } = blocker;
    const problem = next
      ? { ...blocker, reason: joinReason(blocker.reason, blockers.length - 1, next) }
      : blocker;
    const action: NoticeAction | undefined =
      node === undefined ? undefined : { label: words.select({ node }), run: () => selectInGraph([node]) };
    showNotice({ kind: "problem", problem, key: RUN_NOTICE, session, ...(action ? { action } : {}) });
    return;
  }
  // Tasks may have to be started first, and another document may be shown by then.
  const send = () => inSession(session, () => attemptSend(parts, to));
  if (!offerFixedCluster(send) && !offerMissingTasks(send)) await send();
}

/** Sends a run, and shows why it cannot be sent. */
async function attemptSend(parts: () => RunParts, to: (run: RunParts) => Promise<unknown>): Promise<void> {
  const session = activeSession();
  try {
    await to(parts());
  } catch (error) {
    showProblem(error, { key: RUN_NOTICE, session });
  }
}

/** A run of the whole document, as its chosen configuration says. */
export function wholeRun(wish: RunWish): RunParts {
  return { ...documentActions.runInputs(wish.steps), ...runSettings(), ...wish };
}

/** Whether runs of the document record a trace. */
export function wantsTrace(): boolean {
  return useUi.getState().trace || useDocument.getState().document.runConfig.trace;
}

/** @param next the first of the others */
function joinReason(reason: string | undefined, others: number, next: Problem): string {
  const more = words.othersToo({ count: others, first: next.message });
  return reason === undefined ? more : `${reason} ${more}`;
}

/** True when the graph needs a fixed cluster and the offer to make it one is shown. */
function offerFixedCluster(send: () => Promise<void>): boolean {
  const { nodes } = useDocument.getState().document;
  if (!needsFixedCluster(nodes)) return false;
  const session = activeSession();
  showNotice({
    kind: "info",
    key: TASKS_OFFER,
    session,
    problem: { code: "FAILED_PRECONDITION", message: words.needsFixed, reason: words.whyFixed },
    action: {
      label: words.makeFixedAndRun,
      run: async () => {
        dismissRunNotices();
        if (!(await changeMembership("fixed"))) return;
        const missing = missingTasks(nodes, currentTasks());
        if (missing.names.length === 0 || (await startMissing(missing))) await send();
      },
    },
  });
  return true;
}

/** True when tasks were missing and the offer to start them is shown. */
function offerMissingTasks(send: () => Promise<void>): boolean {
  const nodes = useDocument.getState().document.nodes;
  const missing = missingTasks(nodes, currentTasks());
  if (missing.names.length === 0) return false;
  const reason = whyNotStart(missing);
  const message = words.needs({ tasks: listText(missing.names) });
  const action: NoticeAction = {
    label: startLabel(missing, { andRun: true }),
    run: async () => {
      dismissRunNotices();
      if (await startMissing(missing)) await send();
    },
  };
  showNotice({
    kind: "info",
    key: TASKS_OFFER,
    session: activeSession(),
    problem: { code: "FAILED_PRECONDITION", message, reason },
    ...(reason === undefined && { action }),
  });
  return true;
}

/** The settings of the chosen configuration apart from what is run. */
function runSettings(): RunSettings {
  const { document } = useDocument.getState();
  const { name, traceEvery, feeds, batches, checkpoints, training } = document.runConfig;
  const evaluation = evaluationSettings(document);
  return {
    configuration: name,
    stops: usableStops(document),
    ...(traceEvery === undefined ? {} : { traceEvery }),
    ...(hasBatches(feeds) ? { batches } : {}),
    ...(checkpoints === undefined ? {} : { checkpoints }),
    ...(evaluation === undefined ? {} : { evaluation }),
    ...(training === undefined ? {} : { training }),
  };
}

/** The fetches and feeds of another configuration, where the chosen one says so. */
function evaluationSettings(document: GraphDocument): RunSettings["evaluation"] {
  const { every } = document.runConfig.evaluation ?? {};
  const config = evaluationOf(document);
  if (every === undefined || !config) return undefined;
  const { fetches, feeds, batches } = config;
  return {
    ...{ every, fetches: [...fetches] },
    feeds: Object.entries(feeds)
      .filter(([name]) => document.nodes.has(parseTensorName(name).node))
      .map(([name, value]) => ({ name, value })),
    ...(hasBatches(feeds) ? { batches } : {}),
  };
}

/**
 * Starts a run of the open document's graph and returns its id; undefined while another is being started.
 *
 * @throws ProblemError when it cannot be started
 */
export async function sendRun(parts: RunParts): Promise<string | undefined> {
  if (starting) return undefined;
  starting = true;
  try {
    const request = await requestWithValues(parts);
    if (!request) return undefined;
    useRun.setState({ stopRequested: undefined });
    const { runId } = await client().call("runs.start", request);
    useRun.setState({ ownRunId: runId });
    return runId;
  } finally {
    starting = false;
  }
}

async function sendToQueue(parts: RunParts): Promise<void> {
  const request = await requestWithValues(parts);
  if (request) await client().call("runs.enqueue", request);
}

/** The request when values are where the pins are; undefined if the document was closed by then. */
async function requestWithValues(parts: RunParts): Promise<RunRequest | undefined> {
  const session = activeSession();
  const { generation } = useDocument.getState();
  const carrying = valuesCarried();
  if (carrying) {
    await carrying;
    if (!isOpen(session) || useDocument.of(session).getState().generation !== generation) return undefined;
  }
  return inSession(session, () => {
    noteNewValues();
    return requestOf(parts);
  });
}

/** With the graph of the open document, which is noted as sent. */
function requestOf(parts: RunParts) {
  const { document, revision, generation } = useDocument.getState();
  const graph = documentActions.toRunGraph();
  const origin = originOf(document, graph);
  const record = requests();
  record.sent = [...record.sent, { origin, revision, generation }].slice(-MOST_SENT);
  return {
    graph,
    ...parts,
    ...restoreRequest(),
    softPlacement: true,
    logDevicePlacement: false,
    origin,
  };
}

/** Holds the run after its step, or lets it go on. */
export async function pauseOrResumeRun({ runId, state }: RunUpdate): Promise<void> {
  await client().call(state === "paused" ? "runs.resume" : "runs.pause", { runId });
}

/** Saves a checkpoint after the current step. */
export async function saveCheckpointNow({ runId }: RunUpdate): Promise<void> {
  await client().call("runs.saveCheckpoint", { runId });
}

/**
 * Asks the run to stop after its step; a second request, or one before the first step, cancels the work in progress.
 */
export async function stopRun(): Promise<void> {
  const { newest, stopRequested } = useRun.getState();
  if (newest === undefined || !isActive(newest)) return;
  const abort = stopRequested === newest.runId || ["preparing", "stopping"].includes(newest.state);
  useRun.setState({ stopRequested: newest.runId });
  await client().call("runs.stop", { runId: newest.runId, abort });
}

/** Remedies that are commands, which are above this folder; each undefined if it does not apply. */
export interface RunRemedies {
  /** If a task has no kernel for some nodes. */
  readonly otherKernel: (missing: MissingOnTask) => NoticeAction | undefined;
  /** If variables or iterators of the shown document have no value. */
  readonly firstValues: () => NoticeAction | undefined;
}

/** Applies the application's state of a run. Unchanged parts, such as its trace, stay the same objects. */
export function receiveRun(received: RunUpdate, remedies: RunRemedies): void {
  const { newest } = useRun.getState();
  const update = keepEqual(newest, withEvents(received, newest));
  const isNew = newest?.runId !== update.runId;
  useRun.setState({ newest: update });
  if (isNew) beginRun(update, newest);
  // It goes on: what was told of its failure no longer holds.
  else if (newest?.state === "failed" && isActive(update))
    for (const key of [RUN_NOTICE, RUN_ELSEWHERE]) dismissNoticeByKey(key);
  for (const session of openSessions()) {
    const store = useDocumentRun.of(session);
    if (store.getState().latest?.runId === update.runId) store.setState({ latest: update });
  }
  if (update.state !== "failed" || update.problem === undefined) return;
  if (!isNew && newest?.state === "failed") return;
  showRunProblem(update, update.problem, remedies);
}

/** Has the documents that a new run computes show it: the one that sent it, or, if none did, those that are the same. */
function beginRun(run: RunUpdate, before: RunUpdate | undefined): void {
  // One that waited does not take the offer to go on with the one before along.
  const notices = before?.recovery ? [TASKS_OFFER] : [RUN_NOTICE, TASKS_OFFER, RUN_ELSEWHERE];
  for (const key of notices) dismissNoticeByKey(key);
  const open = openSessions().map((session) => ({ session, sent: sentRun(run, session) }));
  const isOwn = open.some(({ sent }) => sent !== undefined);
  for (const { session, sent } of open) {
    const { document, revision } = useDocument.of(session).getState();
    const computed = isOwn ? sent?.revision : computes(run, document) ? revision : undefined;
    if (computed !== undefined) useDocumentRun.of(session).setState({ latest: run, runRevision: computed });
  }
}

/**
 * The request that a session's document sent for a run; undefined if it sent none. The first event of a run may arrive before
 * the call that started it returns, and the document may have been edited since it was sent.
 */
function sentRun(run: RunUpdate, session: DocumentSession): SentRun | undefined {
  const { generation } = useDocument.of(session).getState();
  return requests(session).sent.findLast(
    ({ origin, generation: of }) =>
      // Its name may be another one: a run that waits goes with its document when that is saved.
      of === generation && origin.id === run.origin?.id && origin.digest === run.origin?.digest,
  );
}

function showRunProblem(run: RunUpdate, problem: Problem, remedies: RunRemedies): void {
  const { ownRunId } = useRun.getState();
  const shown = openSessions().filter(
    (session) => useDocumentRun.of(session).getState().latest?.runId === run.runId,
  );
  for (const session of shown) {
    const action = inSession(
      session,
      () => recoveryAction(run) ?? restoreAction(run) ?? actionFor(problem, run, remedies),
    );
    showNotice({ kind: "problem", problem, key: RUN_NOTICE, session, ...(action ? { action } : {}) });
  }
  const [first] = shown;
  // It is of a document that this window showed before, or that another tab shows. Other windows report their own runs.
  if (shown.includes(activeSession()) || (first === undefined && ownRunId !== run.runId)) return;
  const name = run.origin?.document ?? words.anotherGraph;
  const action: NoticeAction | undefined = first && {
    label: words.goTo({ name }),
    run: () => {
      dismissNoticeByKey(RUN_ELSEWHERE);
      if (isOpen(first)) activateSession(first);
    },
  };
  showNotice({
    kind: "problem",
    problem: { ...problem, message: words.failedElsewhere({ name, problem: problem.message }) },
    key: RUN_ELSEWHERE,
    ...(action ? { action } : {}),
  });
}

/** For a SavedModel: its values can be skipped if they cannot be read, and are restored again if they were lost. */
function restoreAction({
  problem,
  restoreFailed,
  withoutSavedValues,
  steps,
  trace,
}: RunUpdate): NoticeAction | undefined {
  if (restoreFailed) {
    return {
      label: words.runWithoutValues,
      run: async () => {
        runWithoutValues();
        await startRun(steps, trace);
      },
    };
  }
  if (problem === undefined || !isUninitialised(problem) || restoreRequest().restore === undefined)
    return undefined;
  return {
    label: withoutSavedValues ? words.restoreAndRun : words.restoreAgainAndRun,
    run: async () => {
      runWithValues();
      await startRun(steps, trace);
    },
  };
}

/**
 * Remedies for a failed run: restart the lost task, initialize what has no value, move nodes without a kernel to another
 * task, or show the failed node.
 */
function actionFor(
  problem: Problem,
  { steps, trace }: RunUpdate,
  { otherKernel, firstValues }: RunRemedies,
): NoticeAction | undefined {
  const { code, node, task } = problem;
  const lost = task === undefined ? undefined : byTaskName(currentTasks()).get(task);
  if (task !== undefined && lost !== undefined && lost.state !== "running") {
    if (whyNotStart(missingTasks(useDocument.getState().document.nodes, currentTasks()))) return undefined;
    const label = lost.unreachable ? words.startHereAndRunAgain : words.startAndRunAgain;
    return {
      label: label({ task }),
      run: async () => {
        dismissRunNotices();
        const session = activeSession();
        const now = missingTasks(useDocument.getState().document.nodes, currentTasks());
        const again = () => attemptSend(() => wholeRun({ steps, trace }), sendRun);
        if (await startMissing(now)) await inSession(session, again);
      },
    };
  }
  const initialising = isUninitialised(problem) ? firstValues() : undefined;
  if (initialising) return initialising;
  if (node === undefined || !useDocument.getState().document.nodes.has(node)) return undefined;
  const missing = code === "UNIMPLEMENTED" ? missingAt(node) : undefined;
  const offer = missing && otherKernel(missing);
  return offer ?? { label: words.select({ node }), run: () => selectInGraph([node]) };
}
