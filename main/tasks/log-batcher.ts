import type { LogLine } from "../api/cluster.js";
import { LOG_CAPACITY_LINES } from "./log-ring.js";

/** There is no point in showing lines faster than they can be read. */
const FLUSH_INTERVAL_MILLIS = 250;

/** Collects the lines of all tasks and passes them on in batches, at most four times a second for each task. */
export class LogBatcher {
  readonly #emit: (taskId: string, lines: LogLine[]) => void;
  #pending = new Map<string, LogLine[]>();
  #timer: NodeJS.Timeout | undefined;

  constructor(emit: (taskId: string, lines: LogLine[]) => void) {
    this.#emit = emit;
  }

  add(taskId: string, line: LogLine): void {
    const lines = this.#pending.get(taskId) ?? [];
    lines.push(line);
    // Lines that the ring no longer holds need not be shown either.
    if (lines.length > LOG_CAPACITY_LINES) lines.splice(0, lines.length - LOG_CAPACITY_LINES);
    this.#pending.set(taskId, lines);
    this.#timer ??= setTimeout(() => this.flush(), FLUSH_INTERVAL_MILLIS);
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const pending = this.#pending;
    this.#pending = new Map();
    for (const [taskId, lines] of pending) this.#emit(taskId, lines);
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#pending.clear();
  }
}
