import { create } from "zustand";
import type { LogLine } from "../../main/api/cluster.js";
import { client } from "../transport/client.js";

export interface LogsStore {
  /** By task id, in the order of their sequence, without gaps as far as the application keeps them. */
  readonly lines: ReadonlyMap<string, readonly LogLine[]>;
  /** Log lines that arrived while earlier ones are being requested, by task id. */
  readonly early: ReadonlyMap<string, readonly LogLine[]>;
}

/** The maximum kept per task in the window; TensorFlow with verbose logging writes thousands of lines a minute. */
export const MOST_LINES_PER_TASK = 5_000;

export const useLogs = create<LogsStore>()(() => ({ lines: new Map(), early: new Map() }));

/** Adds new lines of a task. Rejects with a ProblemError if earlier lines are missing and cannot be fetched. */
export async function receiveLog(taskId: string, lines: readonly LogLine[]): Promise<void> {
  const { early } = useLogs.getState();
  const waiting = early.get(taskId);
  if (waiting) {
    useLogs.setState({ early: new Map(early).set(taskId, [...waiting, ...lines]) });
    return;
  }
  const [first] = lines;
  if (first && first.sequence > lastSequence(taskId) + 1) await catchUpLog(taskId);
  append(taskId, lines);
}

/** Fetches what a task wrote after the last line that this window has. */
export async function catchUpLog(taskId: string): Promise<void> {
  if (useLogs.getState().early.has(taskId)) return;
  useLogs.setState(({ early }) => ({ early: new Map(early).set(taskId, []) }));
  try {
    append(taskId, await client().call("cluster.taskLog", { taskId, afterSequence: lastSequence(taskId) }));
    append(taskId, useLogs.getState().early.get(taskId) ?? []);
  } finally {
    useLogs.setState(({ early }) => ({ early: new Map([...early].filter(([id]) => id !== taskId)) }));
  }
}

/** The last line of a task that the window has; -1 if it has none. */
function lastSequence(taskId: string): number {
  return useLogs.getState().lines.get(taskId)?.at(-1)?.sequence ?? -1;
}

/** Lines that the window already has are skipped: a response may contain lines that also arrive as an event. */
function append(taskId: string, lines: readonly LogLine[]): void {
  const last = lastSequence(taskId);
  const fresh = lines.filter(({ sequence }) => sequence > last);
  if (fresh.length === 0) return;
  useLogs.setState((store) => {
    const known = store.lines.get(taskId) ?? [];
    return { lines: new Map(store.lines).set(taskId, [...known, ...fresh].slice(-MOST_LINES_PER_TASK)) };
  });
}
