/** Detects that a task was lost during a run, and reports that instead of the errors of its peers. */
import { delay } from "../../worker-runtime/cancellation/delay.js";
import { StatusCode, TensorFlowError } from "../../worker-runtime/protocol/status.js";
import { ProblemError } from "../api/wire.js";
import type { ClusterService } from "../cluster/cluster-service.js";
import type { ClusterTask } from "../cluster/cluster-task.js";
import { problem } from "../shared/problems.js";
import type { Participant } from "./participants.js";

type Cluster = Pick<ClusterService, "tasks" | "onChange">;

/** The end of a process is noticed within milliseconds, but connections to it may break first. */
const NOTICE_MILLIS = 1500;
/** The end of a foreign server, or of a whole machine, shows only in missing answers. */
const SILENCE_MILLIS = 8000;
const NOTICE_INTERVAL_MILLIS = 50;

const lost = new WeakSet<ProblemError>();

/** Whether an error was created by this file. */
export function lostTask(error: ProblemError): boolean {
  return lost.has(error);
}

/** Calls back once when a task ends or is restarted, until the returned function is called. */
export function watchTasks(
  cluster: Cluster,
  watched: readonly Participant[],
  onLost: (error: ProblemError) => void,
): () => void {
  return cluster.onChange(() => {
    const error = findLost(cluster.tasks(), watched, false);
    if (error) onLost(error);
  });
}

/** For an error that the end of a task would cause: that end, if it is detected within a moment. */
export async function taskEnded(
  cluster: Cluster,
  watched: readonly Participant[],
  error: unknown,
): Promise<ProblemError | undefined> {
  const patience = patienceWith(error, () => dependsOnOthers(cluster, watched));
  if (patience === undefined) return undefined;
  const until = Date.now() + patience;
  for (;;) {
    const cause = findLost(cluster.tasks(), watched, true);
    if (cause || Date.now() >= until) return cause;
    await delay(NOTICE_INTERVAL_MILLIS);
  }
}

/** How long the end of a task that would cause the error may take to show; undefined if none would. */
function patienceWith(error: unknown, dependsOnOthers: () => boolean): number | undefined {
  if (error instanceof ProblemError) return lostTask(error) ? NOTICE_MILLIS : undefined;
  if (!(error instanceof TensorFlowError)) return undefined;
  switch (error.code) {
    case StatusCode.UNAVAILABLE:
      return dependsOnOthers() ? SILENCE_MILLIS : NOTICE_MILLIS;
    case StatusCode.ABORTED:
    case StatusCode.CANCELLED:
    case StatusCode.UNKNOWN:
      return NOTICE_MILLIS;
    case StatusCode.DEADLINE_EXCEEDED:
      // By then it is known which tasks do not answer.
      return 0;
    default:
      return undefined;
  }
}

/** Whether a task runs on a machine that does not report its end to this one. */
function dependsOnOthers(cluster: Cluster, watched: readonly Participant[]): boolean {
  return cluster
    .tasks()
    .some(
      ({ name, foreign, elsewhere }) =>
        (foreign || elsewhere !== undefined) && watched.some((task) => task.name === name),
    );
}

/**
 * @param countSilent Whether a live task that does not answer counts as lost. Before a step has failed it may only be
 *   busy, and the session itself gives it more time.
 */
function findLost(
  tasks: readonly ClusterTask[],
  watched: readonly Participant[],
  countSilent: boolean,
): ProblemError | undefined {
  for (const before of watched) {
    const namesakes = tasks.filter((task) => task.name === before.name);
    const now = namesakes.find(({ unusable }) => !unusable) ?? namesakes[0];
    const error = now?.state === "unresponsive" && countSilent ? silence(now) : lossOf(before, now);
    if (error) {
      lost.add(error);
      return error;
    }
  }
  return undefined;
}

/** "worker/0", or "worker/1 on raspberrypi" if that is another machine. */
function withMachine({ name, elsewhere }: ClusterTask): string {
  return elsewhere === undefined ? name : `${name} on ${elsewhere}`;
}

function silence(task: ClusterTask): ProblemError {
  const { name, snapshot } = task;
  const known = snapshot.problem?.remedy;
  return problem("UNAVAILABLE", `The run failed because ${withMachine(task)} stopped answering.`, {
    reason: snapshot.problem?.message ?? "Its process exists, but is paused or hangs.",
    // A task behind a broken connection may still run, with its variables.
    remedy:
      known === undefined
        ? `Restart ${name}, initialize the variables that it held and run again.`
        : `${known} Run again once it answers.`,
    task: name,
  });
}

function lossOf(before: Participant, now: ClusterTask | undefined): ProblemError | undefined {
  const { name } = before;
  if (!now) {
    return problem("UNAVAILABLE", `The run failed because ${name} was removed.`, {
      remedy: `Pin its nodes to another task, or add ${name} again.`,
      task: name,
    });
  }
  if (now.state === "failed") {
    const cause = now.snapshot.problem;
    const end = (cause?.message ?? `${name} ended.`).replace(name, withMachine(now));
    return problem("UNAVAILABLE", `The run failed because ${end}`, {
      reason: cause?.reason,
      remedy: `Start ${name} again, initialize its variables and run again.`,
      details: cause?.details,
      task: name,
    });
  }
  if (now.state === "stopped" || now.state === "stopping") {
    return problem("UNAVAILABLE", `The run failed because ${withMachine(now)} was stopped.`, {
      reason: "It was stopped or is being restarted; the variables that it held are lost.",
      remedy: `Start ${name} if it does not come back, initialize its variables and run again.`,
      task: name,
    });
  }
  const restarted =
    now.state === "starting" || (now.incarnation !== undefined && now.incarnation !== before.incarnation);
  if (restarted) {
    return problem("ABORTED", `The run failed because ${withMachine(now)} was restarted.`, {
      reason: "The variables that it held are lost.",
      remedy: "Initialize them and run again.",
      task: name,
    });
  }
  return undefined;
}
