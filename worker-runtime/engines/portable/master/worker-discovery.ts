import type { DeviceAttributes } from "../../../../protos/generated/tensorflow/device_attributes.js";
import type { CancellationSignal } from "../../../cancellation/cancellation-signal.js";
import { delay } from "../../../cancellation/delay.js";
import { withSharedSignal } from "../../../cancellation/shared-signal.js";
import { asTensorFlowError, cancelledBy, StatusCode } from "../../../protocol/status.js";
import type { WorkerInterface } from "../worker/worker-interface.js";

const MISSING_LOG_INTERVAL_MILLIS = 10_000;
const FIRST_RETRY_MILLIS = 50;
const MAX_RETRY_MILLIS = 1000;

export interface DiscoveryOptions {
  /** Aborted when the client cancels. */
  readonly signal: CancellationSignal;
  readonly log: (line: string) => void;
}

/**
 * Queries each task for its devices until it answers: tasks of a cluster start in any order. Every ten seconds the
 * missing ones are named in the log.
 * @throws TensorFlowError CANCELLED when the client cancels; the error with which a task answers.
 */
export async function waitForDevices(
  tasks: readonly string[],
  worker: (task: string) => WorkerInterface,
  { signal, log }: DiscoveryOptions,
): Promise<ReadonlyMap<string, readonly DeviceAttributes[]>> {
  const found = new Map<string, readonly DeviceAttributes[]>();
  const timer = setInterval(() => {
    for (const task of tasks.filter((name) => !found.has(name))) {
      log(`CreateSession still waiting for response from worker: ${task}`);
    }
  }, MISSING_LOG_INTERVAL_MILLIS);
  timer.unref();
  try {
    // A failure ends the wait for the others.
    await withSharedSignal(signal, (shared) =>
      Promise.all(
        tasks.map(async (task) => {
          found.set(task, await askUntilAnswered(worker(task), shared));
        }),
      ),
    );
  } finally {
    clearInterval(timer);
  }
  // In the order of the cluster, regardless of which answered first.
  return new Map(tasks.map((task) => [task, found.get(task) ?? []]));
}

async function askUntilAnswered(
  worker: WorkerInterface,
  signal: CancellationSignal,
): Promise<readonly DeviceAttributes[]> {
  for (let millis = FIRST_RETRY_MILLIS; ; millis = Math.min(millis * 2, MAX_RETRY_MILLIS)) {
    if (signal.aborted) {
      throw cancelledBy(signal.reason, "CreateSession");
    }
    try {
      return (await worker.getStatus({}, { signal })).deviceAttributes;
    } catch (error) {
      if (signal.aborted) {
        throw cancelledBy(signal.reason, "CreateSession");
      }
      if (asTensorFlowError(error).code !== StatusCode.UNAVAILABLE) {
        throw error;
      }
    }
    await delay(millis, signal);
  }
}
