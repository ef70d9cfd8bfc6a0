import { create } from "zustand";
import type { LogLine } from "../../main/api/cluster.js";
import { client } from "../transport/client.js";

export interface LogsStore {
  /** By task id, in the order of their sequence, without gaps at the end. */
  readonly lines: ReadonlyMap<string, readonly LogLine[]>;
}

/** What one task may keep in the window; TensorFlow with verbose logging writes thousands of lines a minute. */
export const MOST_LINES_PER_TASK = 5_000;

export const useLogs = create<LogsStore>()(() => ({ lines: new Map() }));

/** Joins lines that may overlap with what is known, as they do after a reconnection. */
export function mergeLines(known: readonly LogLine[], more: readonly LogLine[]): readonly LogLine[] {
  const last = known.at(-1)?.sequence ?? -1;
  const fresh = more.filter((line) => line.sequence > last);
  return fresh.length === 0 ? known : [...known, ...fresh].slice(-MOST_LINES_PER_TASK);
}

export function receiveLog(taskId: string, lines: readonly LogLine[]): void {
  useLogs.setState((store) => {
    const known = store.lines.get(taskId) ?? [];
    const merged = mergeLines(known, lines);
    return merged === known ? store : { lines: new Map(store.lines).set(taskId, merged) };
  });
}

/** Fetches what a task wrote before this window listened. */
export async function catchUpLog(taskId: string): Promise<void> {
  const lines = await client().call("cluster.taskLog", { taskId, afterSequence: -1 });
  useLogs.setState((store) => {
    const known = store.lines.get(taskId) ?? [];
    const first = known[0]?.sequence ?? Number.POSITIVE_INFINITY;
    const earlier = lines.filter((line) => line.sequence < first);
    const merged = mergeLines([...earlier, ...known], lines);
    return { lines: new Map(store.lines).set(taskId, merged) };
  });
}
