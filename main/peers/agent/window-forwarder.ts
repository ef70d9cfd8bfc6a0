/**
 * Shows the window of a headless machine on this one: connections to a loopback port here are carried to that machine's
 * window through its agent. A client of the port still needs the token that the machine issued.
 */
import { setMaxListeners } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { inBackground } from "../../../worker-runtime/faults.js";
import { join } from "../../shared/sockets/relay.js";
import { windowPreface } from "./window-protocol.js";

/**
 * As many as a browser opens to one host with a handful of tabs, and few enough to hinder a program that guesses
 * tokens.
 */
const MAX_CONNECTIONS = 64;

/** A connection to the window's protocol at the agent of the other machine. */
export type DialWindow = (signal: AbortSignal) => Promise<TLSSocket>;

export class WindowForwarder {
  readonly #dial: DialWindow;
  readonly #closed = new AbortController();
  readonly #server: Server;

  private constructor(dial: DialWindow) {
    this.#dial = dial;
    this.#server = createServer((socket) => inBackground(this.#carry(socket)));
    this.#server.maxConnections = MAX_CONNECTIONS;
    // One for each connection.
    setMaxListeners(MAX_CONNECTIONS, this.#closed.signal);
  }

  /** Listens on a free port of 127.0.0.1. */
  static async listen(dial: DialWindow): Promise<WindowForwarder> {
    const forwarder = new WindowForwarder(dial);
    await new Promise<void>((resolve, reject) => {
      forwarder.#server.once("error", reject);
      forwarder.#server.listen({ host: "127.0.0.1", port: 0 }, () => resolve());
    });
    return forwarder;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Stops listening and ends every connection. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#closed.abort();
    await closed;
  }

  async #carry(socket: Socket): Promise<void> {
    const { signal } = this.#closed;
    const end = () => socket.destroy();
    signal.addEventListener("abort", end, { once: true });
    socket.once("close", () => signal.removeEventListener("abort", end));
    // The browser may disconnect while the machine is being dialled.
    socket.on("error", end);
    try {
      const remote = await this.#dial(signal);
      if (socket.destroyed) {
        remote.destroy();
        return;
      }
      remote.write(windowPreface(this.port));
      join(socket, remote);
    } catch {
      // The browser shows that the page cannot be reached; the reason is shown at the machine in this window.
      end();
    }
  }
}
