/**
 * gRPC clients, in any language, close a connection that carried no call for at least half an hour, and open another
 * one when they are used again. A few minutes less, as the two sides do not count from the same moment.
 */
const CLIENT_IDLE_MILLIS = 25 * 60_000;

/** A connection of a client, as the owners of sessions see it: whether it is open, and how it ended. */
export class ClientConnection {
  readonly #listeners = new Set<(connection: ClientConnection) => void>();
  #calls = 0;
  #lastUsedMillis = performance.now();
  #closing: "idle" | "lost" | undefined;

  get isClosed(): boolean {
    return this.#closing !== undefined;
  }

  /**
   * It was closed after a long time without a call: its client may merely have released it, and may come back.
   * Otherwise the client ended or was cut off.
   */
  get wasIdle(): boolean {
    return this.#closing === "idle";
  }

  beginCall(): void {
    this.#calls += 1;
  }

  endCall(): void {
    this.#calls -= 1;
    this.#lastUsedMillis = performance.now();
  }

  close(): void {
    if (this.#closing !== undefined) {
      return;
    }
    const isIdle = this.#calls === 0 && performance.now() - this.#lastUsedMillis >= CLIENT_IDLE_MILLIS;
    this.#closing = isIdle ? "idle" : "lost";
    const listeners = [...this.#listeners];
    this.#listeners.clear();
    for (const listener of listeners) {
      listener(this);
    }
  }

  /** Calls a listener at the end, once however often it is added; never if the connection is already closed. */
  onClose(listener: (connection: ClientConnection) => void): void {
    if (this.#closing === undefined) {
      this.#listeners.add(listener);
    }
  }
}
