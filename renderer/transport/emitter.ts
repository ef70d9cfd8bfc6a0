import type { EventData, EventName } from "../../main/api/contract.js";
import type { KnownEvent, MissedEvents, NumberedEvent } from "../../main/api/missed-events.js";

type Listener = (data: never) => void;

/**
 * The listeners of one window: the application's events, each once and in their order over all connections, and the coming
 * and going of the connection itself.
 */
export class Emitter {
  readonly #listeners = new Map<string, Set<Listener>>();
  readonly #connectionListeners = new Set<(connected: boolean) => void>();
  #connected = false;
  /** The last event delivered; undefined until the application has announced its numbering. */
  #known: KnownEvent | undefined;
  /** Events that arrived while earlier ones are being requested. */
  #early: NumberedEvent[] | undefined;

  get connected(): boolean {
    return this.#connected;
  }

  on<E extends EventName>(event: E, listener: (data: EventData<E>) => void): () => void {
    const listeners = this.#listeners.get(event) ?? new Set<Listener>();
    this.#listeners.set(event, listeners);
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  onConnection(listener: (connected: boolean) => void): () => void {
    this.#connectionListeners.add(listener);
    listener(this.#connected);
    return () => this.#connectionListeners.delete(listener);
  }

  setConnected(connected: boolean): void {
    if (connected === this.#connected) return;
    this.#connected = connected;
    for (const listener of this.#connectionListeners) listener(connected);
  }

  /** Handles an event from the connection. One without listeners, e.g. from a newer application, is dropped. */
  receive(event: NumberedEvent): void {
    if (this.#early) this.#early.push(event);
    else this.#handOn(event);
  }

  /**
   * Delivers missed events before those that arrive from now on.
   *
   * @param ask Requests the events after a given one from the application. Where that fails, what came meanwhile is
   *   asked for again over the next connection.
   */
  async catchUp(ask: (known: KnownEvent | undefined) => Promise<MissedEvents>): Promise<void> {
    const early: NumberedEvent[] = [];
    this.#early = early;
    let missed: MissedEvents;
    try {
      missed = await ask(this.#known);
    } finally {
      if (this.#early === early) this.#early = undefined;
    }
    const { last, events } = missed;
    // Nothing is known about another run of the application.
    if (last.feed !== this.#known?.feed) this.#known = { feed: last.feed, sequence: 0 };
    for (const event of events) this.#handOn(event);
    this.#known = last;
    for (const event of early) this.#handOn(event);
  }

  #handOn({ event, sequence, data }: NumberedEvent): void {
    if (this.#known) {
      if (sequence <= this.#known.sequence) return;
      this.#known = { ...this.#known, sequence };
    }
    for (const listener of this.#listeners.get(event) ?? []) listener(data as never);
  }
}
