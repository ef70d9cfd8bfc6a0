/** Waiting until the tasks that a run needs can be used, and starting those that were lost. */
import { ProblemError } from "../api/wire.js";
import type { ClusterService } from "../cluster/cluster-service.js";
import { problem } from "../shared/problems.js";
import type { Pin } from "./graph-check.js";
import { type Participant, participantsOf, type Readiness } from "./participants.js";

/** A starting task is up within a second or fails; with a slow disk it may take longer. */
const TASK_WAIT_MILLIS = 90_000;
/** A look at the tasks is due even if nothing was reported. */
export const LOOK_MILLIS = 1000;

export type PreparedTasks = Extract<Readiness, { kind: "ready" }>;

export type WaitedCluster = Pick<ClusterService, "tasks" | "onChange">;

export interface TaskWait {
  readonly cluster: WaitedCluster;
  readonly pins: readonly Pin[];
  readonly softPlacement: boolean;
  readonly signal: AbortSignal;
  readonly onPhase: (text: string) => void;
}

/**
 * Resolves when the tasks run that the pins name.
 * @throws ProblemError at once for a task that is missing, stopped or failed; DEADLINE_EXCEEDED for one that does not start
 */
export function awaitTasks(wait: TaskWait): Promise<PreparedTasks> {
  return waitFor(wait, (error) => {
    throw error;
  });
}

/**
 * As `awaitTasks`, but tasks that have ended are started, and those of others, or of machines that do not answer, are
 * waited for.
 */
export async function awaitReturn(
  wait: TaskWait,
  cluster: Pick<ClusterService, "startTask">,
): Promise<PreparedTasks> {
  const started = new Set<string>();
  return await waitFor(wait, async (error) => {
    const { task: name } = error.problem;
    const found = wait.cluster.tasks().filter((task) => task.name === name);
    const task = found.find(({ locked }) => !locked) ?? found[0];
    // Nothing brings back what the cluster does not have.
    if (!task) throw error;
    if (started.has(task.id) || task.locked || (task.state !== "failed" && task.state !== "stopped")) return;
    started.add(task.id);
    await cluster.startTask(task.id);
  });
}

/** As `awaitTasks`, but waits for tasks that have ended or do not answer, for as long as it takes. */
export function awaitBack(wait: TaskWait): Promise<PreparedTasks> {
  return waitFor(wait, () => undefined, Number.POSITIVE_INFINITY);
}

async function waitFor(
  { cluster, pins, softPlacement, signal, onPhase }: TaskWait,
  onUnusable: (error: ProblemError) => Promise<void> | void,
  patience = TASK_WAIT_MILLIS,
): Promise<PreparedTasks> {
  const until = Date.now() + patience;
  for (;;) {
    signal.throwIfAborted();
    let names: string;
    try {
      const readiness = participantsOf([...cluster.tasks()], pins, softPlacement);
      if (readiness.kind === "ready") return readiness;
      names = readiness.tasks.map((task) => task.name).join(", ");
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      await onUnusable(error);
      if (Date.now() > until) throw error;
      names = error.problem.task ?? "a task";
    }
    onPhase(`Waiting for ${names}`);
    const left = until - Date.now();
    if (left <= 0) {
      throw problem("DEADLINE_EXCEEDED", `${names} did not start within ${TASK_WAIT_MILLIS / 1000} s.`, {
        remedy: "Look at the task's log.",
      });
    }
    await nextChange(cluster, Math.min(left, LOOK_MILLIS), signal);
  }
}

/** Resolves with the cluster's next change, after the time, or when the signal is aborted. */
export function nextChange(cluster: WaitedCluster, millis: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      stopListening();
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, millis);
    const stopListening = cluster.onChange(end);
    signal.addEventListener("abort", end, { once: true });
  });
}

/** The tasks that nodes of the graph are pinned to. */
export function tasksOfPins({ needed }: PreparedTasks, pins: readonly Pin[]): Participant[] {
  return needed.filter(({ job, index }) => pins.some((pin) => pin.job === job && pin.task === index));
}

/** The tasks that the steps depend on. Unpinned nodes go to the first task of the cluster. */
export function watchedTasks({ needed, members, master }: PreparedTasks): Participant[] {
  return [...new Set([...needed, master, ...members.slice(0, 1)])];
}
