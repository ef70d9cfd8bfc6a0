/**
 * The messages queued for one tab, in order. A tab that reads its messages slowly (a sleeping laptop, a debugger at a
 * breakpoint) must not make the application buffer more and more: for an event that carries a state only its name is
 * queued, and the state is read when its turn comes; a tab that nevertheless falls too far behind is cut off,
 * reconnects and requests what it missed.
 */
import { type EventName, isStateEvent } from "../../api/contract.js";
import type { NumberedEvent } from "../../api/missed-events.js";
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
  /** The newest event of a name that carries a state. */
  newest(event: EventName): NumberedEvent | undefined;
}

export class Outbox {
  readonly #sink: Sink;
  /** Messages, and the names of states. */
  readonly #waiting = new Set<WireMessage | EventName>();
  #closed = false;

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  /** Sends in the order of the calls. */
  push(message: WireMessage): void {
    this.#add(message);
  }

  /** Sends an event in the order of the calls, except that a superseded state is never sent. */
  pushEvent(event: EventName, data: unknown, sequence: number): void {
    if (!isStateEvent(event)) {
      this.#add({ event, data, sequence });
      return;
    }
    // It takes the position of the newest: for a tab, a number implies that it has received all earlier ones.
    this.#waiting.delete(event);
    this.#add(event);
  }

  close(): void {
    this.#closed = true;
    this.#waiting.clear();
  }

  #add(waiting: WireMessage | EventName): void {
    if (this.#closed) return;
    this.#waiting.add(waiting);
    if (this.#waiting.size > MAX_WAITING_MESSAGES) {
      this.close();
      this.#sink.overflow();
      return;
    }
    this.#flush();
  }

  readonly #flush = (): void => {
    while (!this.#closed && this.#sink.bufferedBytes() < SOCKET_HIGH_WATER_BYTES) {
      const [next] = this.#waiting;
      if (next === undefined) return;
      this.#waiting.delete(next);
      const message = typeof next === "string" ? this.#sink.newest(next) : next;
      if (message) this.#sink.send(message, this.#flush);
    }
  };
}
