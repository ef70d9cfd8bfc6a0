/** The logs of a cluster's tasks, followed while it is used, as those of other machines are. */
import { delay } from "../../worker-runtime/cancellation/delay.js";
import { inBackground } from "../../worker-runtime/faults.js";
import type { LogLine } from "../api/cluster.js";
import { LogBatcher } from "../tasks/log-batcher.js";
import { LogRing, levelOfLine } from "../tasks/log-ring.js";
import type { PodLogLine } from "./pod-log.js";
import type { PodTask } from "./pod-task.js";

/** The lines that are shown of a container that ran before. */
const EARLIER_LINES = 1000;
/** Before a log that broke off is asked for again. */
const PAUSE_MILLIS = 2000;

export type FollowedLog = (
  pod: string,
  options: { readonly tailLines: number; readonly signal: AbortSignal },
) => AsyncGenerator<PodLogLine>;

interface Followed {
  /** The container whose log it is. */
  container: string;
  abort: AbortController;
  readonly ring: LogRing;
}

export class PodLogs {
  readonly #follow: FollowedLog;
  readonly #batcher: LogBatcher;
  /** By pod. */
  readonly #logs = new Map<string, Followed>();

  /** @param emit called with the new lines of a pod */
  constructor(follow: FollowedLog, emit: (pod: string, lines: LogLine[]) => void) {
    this.#follow = follow;
    this.#batcher = new LogBatcher(emit);
  }

  /** Follows the containers of these tasks, and no others. */
  update(tasks: readonly PodTask[]): void {
    const listed = new Set(tasks.map(({ pod }) => pod));
    for (const [pod, { abort }] of this.#logs) if (!listed.has(pod)) abort.abort();
    for (const { pod, uid, restarts, startedAt } of tasks) {
      const container = `${uid} ${restarts}`;
      const known = this.#logs.get(pod);
      if (startedAt === undefined || known?.container === container) continue;
      known?.abort.abort();
      const followed = { container, abort: new AbortController(), ring: known?.ring ?? new LogRing() };
      this.#logs.set(pod, followed);
      inBackground(this.#read(pod, followed));
    }
  }

  /** Lines of a pod after the last one that is known. */
  after(pod: string, sequence: number): LogLine[] {
    return this.#logs.get(pod)?.ring.after(sequence) ?? [];
  }

  dispose(): void {
    for (const { abort } of this.#logs.values()) abort.abort();
    this.#batcher.dispose();
  }

  async #read(pod: string, { abort: { signal }, ring }: Followed): Promise<void> {
    let newest = 0;
    while (!signal.aborted) {
      try {
        // Lines that were read before the log broke off come once more.
        const from = newest;
        for await (const { at, text } of this.#follow(pod, { tailLines: EARLIER_LINES, signal })) {
          if (at <= from) continue;
          newest = at;
          this.#batcher.add(pod, ring.append(levelOfLine(text), text, at));
        }
        // The container has ended.
        return;
      } catch {
        // The watch says what is wrong with the connection.
        await delay(PAUSE_MILLIS, signal);
      }
    }
  }
}
