/** Logs that the application keeps and the window follows: each line once, in order, however they arrive. */
import { create, type StoreApi, type UseBoundStore } from "zustand";
import type { LogLine } from "../../main/api/cluster.js";

export interface LogsStore {
  /** By the id of the log, in the order of their sequence, without gaps as far as the application keeps them. */
  readonly lines: ReadonlyMap<string, readonly LogLine[]>;
  /** Log lines that arrived while earlier ones are being requested, by the id of the log. */
  readonly early: ReadonlyMap<string, readonly LogLine[]>;
}

/** The maximum kept per task in the window; TensorFlow with verbose logging writes thousands of lines a minute. */
export const MOST_LINES_PER_TASK = 5_000;

export interface KeptLogs {
  readonly useLogs: UseBoundStore<StoreApi<LogsStore>>;
  /** Adds new lines. Rejects with a ProblemError if earlier lines are missing and cannot be fetched. */
  receive(id: string, lines: readonly LogLine[]): Promise<void>;
  /** Fetches what was written after the last line that this window has. */
  catchUp(id: string): Promise<void>;
}

/** @param fetchAfter Asks the application for the lines of a log after a sequence number; -1 for all. */
export function keptLogs(
  fetchAfter: (id: string, afterSequence: number) => Promise<readonly LogLine[]>,
): KeptLogs {
  const useLogs = create<LogsStore>()(() => ({ lines: new Map(), early: new Map() }));

  /** The last line that the window has; -1 if it has none. */
  const lastSequence = (id: string) => useLogs.getState().lines.get(id)?.at(-1)?.sequence ?? -1;

  /** Lines that the window already has are skipped: a response may contain lines that also arrive as an event. */
  const append = (id: string, lines: readonly LogLine[]) => {
    const last = lastSequence(id);
    const fresh = lines.filter(({ sequence }) => sequence > last);
    if (fresh.length === 0) return;
    useLogs.setState((store) => {
      const known = store.lines.get(id) ?? [];
      return { lines: new Map(store.lines).set(id, [...known, ...fresh].slice(-MOST_LINES_PER_TASK)) };
    });
  };

  const catchUp = async (id: string) => {
    if (useLogs.getState().early.has(id)) return;
    useLogs.setState(({ early }) => ({ early: new Map(early).set(id, []) }));
    try {
      append(id, await fetchAfter(id, lastSequence(id)));
      append(id, useLogs.getState().early.get(id) ?? []);
    } finally {
      useLogs.setState(({ early }) => ({ early: new Map([...early].filter(([other]) => other !== id)) }));
    }
  };

  const receive = async (id: string, lines: readonly LogLine[]) => {
    const { early } = useLogs.getState();
    const waiting = early.get(id);
    if (waiting) {
      useLogs.setState({ early: new Map(early).set(id, [...waiting, ...lines]) });
      return;
    }
    const [first] = lines;
    if (first && first.sequence > lastSequence(id) + 1) await catchUp(id);
    append(id, lines);
  };

  return { useLogs, receive, catchUp };
}
