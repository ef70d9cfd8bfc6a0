import type { EventData, EventName } from "../../main/api/contract.js";

type Listener = (data: never) => void;

/** The listeners of one connection: the application's events and the coming and going of the connection itself. */
export class Emitter {
  readonly #listeners = new Map<string, Set<Listener>>();
  readonly #connectionListeners = new Set<(connected: boolean) => void>();
  #connected = false;

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

  /** Hands an event on. An event that nobody listens to, such as one of a newer application, is dropped. */
  emit(event: string, data: unknown): void {
    for (const listener of this.#listeners.get(event) ?? []) listener(data as never);
  }

  setConnected(connected: boolean): void {
    if (connected === this.#connected) return;
    this.#connected = connected;
    for (const listener of this.#connectionListeners) listener(connected);
  }
}
