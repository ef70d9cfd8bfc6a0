/**
 * What waits to be sent to one tab, in order. A tab that takes its messages slowly (a sleeping laptop, a debugger at a
 * breakpoint) must not make the application hold ever more: states that a newer one supersedes are replaced in place,
 * and a tab that falls too far behind all the same is cut off and connects again for the current state.
 */
import type { WireMessage } from "../../api/wire.js";

/** Messages to be encoded and sent are handed on while the socket holds less than this. */
const SOCKET_HIGH_WATER_BYTES = 4 << 20;
/** Answers can be large (a document of hundreds of megabytes), but they are few. */
const MAX_WAITING_MESSAGES = 2000;

export interface Sink {
  /** Bytes that were given to the socket and not yet taken by the network. */
  bufferedBytes(): number;
  /** Sends one message; the callback is called when the socket has taken it. */
  send(message: WireMessage, taken: () => void): void;
  /** The tab fell too far behind. */
  overflow(): void;
}

export class Outbox {
  readonly #sink: Sink;
  #waiting: WireMessage[] = [];
  #closed = false;

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  /** Sends in the order of the calls, except that a superseded state is never sent. */
  push(message: WireMessage): void {
    if (this.#closed) return;
    const key = supersedingKey(message);
    if (key !== undefined) {
      const index = this.#waiting.findIndex((waiting) => supersedingKey(waiting) === key);
      if (index >= 0) this.#waiting.splice(index, 1);
    }
    this.#waiting.push(message);
    if (this.#waiting.length > MAX_WAITING_MESSAGES) {
      this.close();
      this.#sink.overflow();
      return;
    }
    this.#flush();
  }

  close(): void {
    this.#closed = true;
    this.#waiting = [];
  }

  readonly #flush = (): void => {
    while (!this.#closed && this.#sink.bufferedBytes() < SOCKET_HIGH_WATER_BYTES) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.#sink.send(next, this.#flush);
    }
  };
}

/** Events that carry a whole state supersede older ones with the same key; answers and log lines never do. */
function supersedingKey(message: WireMessage): string | undefined {
  if (!("event" in message)) return undefined;
  switch (message.event) {
    case "cluster":
    case "runtime":
    case "settings":
      return message.event;
    case "run":
      return `run ${runIdOf(message.data)}`;
    default:
      return undefined;
  }
}

function runIdOf(data: unknown): string {
  if (typeof data !== "object" || data === null || !("runId" in data)) return "";
  return String(data.runId);
}
