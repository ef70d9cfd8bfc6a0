/**
 * The server's half of WatchLog: the stored part of a task's log, then new lines, no faster than the caller reads them.
 */

import type * as wire from "../../../protos/generated/tensordeck/agent.js";
import { unlessAborted } from "../../../worker-runtime/cancellation/unless-aborted.js";
import type { LogLine } from "../../api/cluster.js";
import { deferred } from "../../shared/deferred.js";
import type { TaskHost } from "../../tasks/task-host.js";
import { lineToMessage } from "./messages/tasks.js";
import type { Send } from "./peer-server.js";

/** Keeps a message well below what a caller accepts, since each line may have kilobytes. */
const MAX_MESSAGE_CHARACTERS = 256 * 1024;

/**
 * Sends until the signal is aborted or the task is removed. A slow caller gets the lines it missed when it has caught
 * up, as far as they are still stored.
 *
 * @throws ProblemError NOT_FOUND when there is no such task.
 */
export async function sendLog(
  tasks: TaskHost,
  taskId: string,
  afterSequence: number,
  signal: AbortSignal,
  send: Send<wire.LogLines>,
): Promise<void> {
  let changed = deferred<void>();
  const stops = [
    tasks.onLog((id) => {
      if (id === taskId) changed.resolve();
    }),
    tasks.onChange(() => {
      if (!tasks.tasks().some(({ id }) => id === taskId)) changed.resolve();
    }),
  ];
  try {
    let last = afterSequence;
    let caughtUp = false;
    while (!signal.aborted) {
      changed = deferred<void>();
      const lines = await tasks.log(taskId, last);
      last = lines.at(-1)?.sequence ?? last;
      const batches = inBatches(lines);
      for (const [i, batch] of batches.entries()) {
        await send({ lines: batch.map(lineToMessage), caughtUp: !caughtUp && i === batches.length - 1 });
      }
      if (!caughtUp && batches.length === 0) await send({ lines: [], caughtUp: true });
      caughtUp = true;
      await unlessAborted(changed.promise, signal).catch(() => undefined);
      if (!tasks.tasks().some(({ id }) => id === taskId)) return;
    }
  } finally {
    for (const stop of stops) stop();
  }
}

function inBatches(lines: readonly LogLine[]): LogLine[][] {
  const batches: LogLine[][] = [];
  let characters = MAX_MESSAGE_CHARACTERS;
  for (const line of lines) {
    characters += line.text.length;
    if (characters > MAX_MESSAGE_CHARACTERS) {
      batches.push([]);
      characters = line.text.length;
    }
    batches.at(-1)?.push(line);
  }
  return batches;
}
