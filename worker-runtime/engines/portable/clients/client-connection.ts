/**
 * gRPC clients, in any language, close a connection that carried no call for at least half an hour, and open another
 * one when they are used again. Some minutes less, as the two sides do not count from the same moment.
 */
const CLIENT_IDLE_MILLIS = 25 * 60_000;

/** A connection that calls come on, as the owners of sessions see it: whether it is there, and how it ended. */
export class ClientConnection {
  readonly #listeners = new Set<(connection: ClientConnection) => void>();
  #calls = 0;
  #lastUsedMillis = performance.now();
  #closing: "idle" | "lost" | undefined;

  get isClosed(): boolean {
    return this.#closing !== undefined;
  }

  /**
   * It was closed after a long time without a call: its client may only have saved it, and may come back. Otherwise
   * the client ended or was cut off.
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

  /** Tells a listener of the end, once however often it asks; nothing where the connection is closed already. */
  onClose(listener: (connection: ClientConnection) => void): void {
    if (this.#closing === undefined) {
      this.#listeners.add(listener);
    }
  }
}
