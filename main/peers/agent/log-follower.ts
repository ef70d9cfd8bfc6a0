/** Follows the logs of another machine's tasks: only of those that were viewed, since each costs a stream. */
import type { LogLine } from "../../api/cluster.js";
import { problem, problemOf } from "../../shared/problems.js";
import { LOG_CAPACITY_LINES } from "../../tasks/log-ring.js";
import type { AgentChannel } from "./agent-channel.js";
import { lineFromMessage } from "./messages/tasks.js";

/** Logs that are followed at a time; the least recently viewed one is dropped. */
const MAX_FOLLOWED = 12;

export type LogListener = (taskId: string, lines: LogLine[]) => void;

interface Following {
  /** Sequence number of the last line that listeners have received. */
  last: number;
  /** Ends the stream; absent while there is no connection. */
  abort?: AbortController;
}

export class LogFollower {
  readonly #listeners = new Set<LogListener>();
  readonly #followed = new Map<string, Following>();
  #channel: AgentChannel | undefined;

  /** Calls the listener with new lines of the logs that are followed, until the returned function is called. */
  onLog(listener: LogListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * The part of a task's log that the machine keeps after a sequence number. The log is followed from then
   * on.
   */
  async read(channel: AgentChannel, taskId: string, afterSequence: number): Promise<LogLine[]> {
    const lines = await readKept(channel, taskId, afterSequence);
    const followed = this.#followed.get(taskId);
    this.#followed.delete(taskId);
    // The map is ordered by when each log was last viewed.
    this.#followed.set(taskId, followed ?? { last: lines.at(-1)?.sequence ?? afterSequence });
    if (!followed) this.#follow(taskId);
    for (const id of [...this.#followed.keys()].slice(0, -MAX_FOLLOWED)) this.forget(id);
    return lines;
  }

  /** Resumes all logs over a new connection. */
  connect(channel: AgentChannel): void {
    this.#channel = channel;
    for (const taskId of this.#followed.keys()) this.#follow(taskId);
  }

  disconnect(): void {
    this.#channel = undefined;
    for (const following of this.#followed.values()) following.abort?.abort();
  }

  /** Stops following a log. */
  forget(taskId: string): void {
    this.#followed.get(taskId)?.abort?.abort();
    this.#followed.delete(taskId);
  }

  #follow(taskId: string): void {
    const following = this.#followed.get(taskId);
    const channel = this.#channel;
    if (!following || !channel) return;
    following.abort?.abort();
    const abort = new AbortController();
    following.abort = abort;
    const request = { taskId, afterSequence: BigInt(following.last) };
    channel
      .stream(
        "watchLog",
        request,
        ({ lines }) => {
          const last = lines.at(-1);
          if (!last || abort.signal.aborted) return;
          following.last = Number(last.sequence);
          const read = lines.map(lineFromMessage);
          for (const listener of [...this.#listeners]) listener(taskId, read);
        },
        { signal: abort.signal },
      )
      .then(
        // The task is gone.
        () => this.forget(taskId),
        (error: unknown) => {
          // A stream that ended with the connection is resumed over the next one.
          if (problemOf(error).code === "NOT_FOUND") this.forget(taskId);
        },
      );
  }
}

async function readKept(channel: AgentChannel, taskId: string, afterSequence: number): Promise<LogLine[]> {
  const lines: LogLine[] = [];
  const over = new AbortController();
  const request = { taskId, afterSequence: BigInt(afterSequence) };
  const onAnswer = (answer: { lines: Parameters<typeof lineFromMessage>[0][]; caughtUp: boolean }) => {
    lines.push(...answer.lines.map(lineFromMessage));
    // Stops reading a machine that sends more lines than it can keep.
    if (answer.caughtUp || lines.length >= 2 * LOG_CAPACITY_LINES) over.abort();
  };
  try {
    await channel.stream("watchLog", request, onAnswer, { deadlineMillis: 10_000, signal: over.signal });
  } catch (error) {
    if (!over.signal.aborted) throw error;
  }
  if (!over.signal.aborted) throw problem("NOT_FOUND", "The task was removed while its log was read.");
  return lines;
}
