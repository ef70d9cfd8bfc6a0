/** The connections to tasks that one client of the gateway causes. They end with the client's own. */
import type { ClientHttp2Session } from "node:http2";
import { connectHttp2 } from "../../../worker-runtime/rpc/http2-connection.js";
import { http2Options, WINDOW_BYTES } from "./http2-options.js";

/** A task that has not accepted the connection by then does not answer. */
const CONNECT_MILLIS = 10_000;

export class Upstreams {
  readonly #sessions = new Map<string, ClientHttp2Session>();

  /** The connection to a task, established on first use. Connection errors are reported by its streams. */
  to(address: string): ClientHttp2Session {
    const kept = this.#sessions.get(address);
    if (kept !== undefined && !kept.closed && !kept.destroyed) return kept;
    // No proxy: a task of the cluster is never behind one.
    const session = connectHttp2(address, http2Options);
    const late = setTimeout(() => {
      session.destroy(new Error(`no connection within ${CONNECT_MILLIS / 1000} s`));
    }, CONNECT_MILLIS);
    session.once("connect", () => {
      clearTimeout(late);
      session.setLocalWindowSize(WINDOW_BYTES);
    });
    session.once("close", () => {
      clearTimeout(late);
      if (this.#sessions.get(address) === session) this.#sessions.delete(address);
    });
    // Each stream gets the error, too, and reports it to the client.
    session.on("error", () => undefined);
    this.#sessions.set(address, session);
    return session;
  }

  closeAll(): void {
    for (const session of this.#sessions.values()) session.destroy();
  }
}
