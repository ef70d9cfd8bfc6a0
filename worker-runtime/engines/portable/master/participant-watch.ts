import type { CancellationSignal } from "../../../cancellation/cancellation-signal.js";
import { inBackground } from "../../../faults.js";
import { aborted, asTensorFlowError, StatusCode, unavailable } from "../../../protocol/status.js";
import type { RegisteredPartition } from "./prepared-step.js";
import type { SessionCluster } from "./session-cluster.js";
import type { TaskFailure } from "./worker-errors.js";

const PROBE_INTERVAL_MILLIS = 5000;
/** A healthy worker answers at once, even while it computes. */
const PROBE_DEADLINE_MILLIS = 5000;
/** One lost answer may be a glitch of the network. */
const MAX_MISSED_PROBES = 2;

/**
 * Probes the other tasks of a long step every few seconds: a machine that loses power or network closes no connection,
 * and the step would wait for it forever.
 * @param fail called once for each task that is gone, or has been restarted since the session was created.
 * @returns a function that ends the watch.
 */
export function watchParticipants(
  cluster: SessionCluster,
  partitions: readonly RegisteredPartition[],
  fail: (failure: TaskFailure) => void,
): () => void {
  const tasks = partitions.map(({ task }) => task).filter((task) => task !== cluster.masterTask);
  if (tasks.length === 0) {
    return () => {};
  }
  // Created with the first probe: most steps are over before that.
  let stopped: AbortController | undefined;
  const missed = new Map<string, number>();
  const probe = async (task: string, signal: CancellationSignal) => {
    const problem = await problemOf(task, cluster, signal);
    if (signal.aborted) {
      return;
    }
    const count = problem?.mayPass ? (missed.get(task) ?? 0) + 1 : 0;
    missed.set(task, count);
    if (problem !== undefined && (!problem.mayPass || count >= MAX_MISSED_PROBES)) {
      fail({ task, error: problem.error });
    }
  };
  const timer = setInterval(() => {
    stopped ??= new AbortController();
    for (const task of tasks) {
      inBackground(probe(task, stopped.signal));
    }
  }, PROBE_INTERVAL_MILLIS);
  timer.unref();
  return () => {
    clearInterval(timer);
    stopped?.abort();
  };
}

interface Problem {
  readonly error: unknown;
  /** Another probe may get a different answer. */
  readonly mayPass: boolean;
}

async function problemOf(
  task: string,
  cluster: SessionCluster,
  signal: CancellationSignal,
): Promise<Problem | undefined> {
  const before = cluster.remoteDevices.filter(({ name }) => name.startsWith(`${task}/`));
  try {
    const { deviceAttributes } = await cluster
      .worker(task)
      .getStatus({}, { signal, deadlineMillis: PROBE_DEADLINE_MILLIS });
    const now = new Set(deviceAttributes.map(({ incarnation }) => incarnation));
    // Devices may come and go with a living process, so only one that kept none of them has been replaced.
    const isSame = before.length === 0 || before.some(({ incarnation }) => now.has(incarnation));
    return isSame
      ? undefined
      : { error: aborted(`${task} was restarted while the step ran.`), mayPass: false };
  } catch (error) {
    const { code, message } = asTensorFlowError(error);
    const isGone = code === StatusCode.UNAVAILABLE || code === StatusCode.DEADLINE_EXCEEDED;
    return isGone
      ? {
          error: unavailable(`${task} does not answer any more: ${message}`, { cause: error }),
          mayPass: true,
        }
      : undefined;
  }
}
