import { MAX_TIMER_MILLIS } from "../../../timers.js";
import type { ClientConnection } from "./client-connection.js";

/** Limits on sessions whose last connection is gone. */
export interface OrphanLimits {
  /**
   * Maximum number of sessions whose connection was lost; beyond it, those without a connection for longest are ended.
   */
  readonly maxLost: number;
  readonly lostMillis: number;
  /**
   * How long a session is kept at least. It applies to those whose connection was closed after a long time without a
   * call, as most of their clients are still running. 0: forever, regardless of the other limits.
   */
  readonly idleMillis: number;
}

interface Orphan {
  readonly isLost: boolean;
  readonly deadline: number;
}

/**
 * Knows which sessions have no client any more: every connection that ever used them is gone. They are not ended at
 * once, as a client whose connection broke continues its sessions on another one.
 */
export class OrphanWatch {
  readonly #limits: OrphanLimits;
  readonly #expire: (handle: string) => void;
  /** Open connections by session; undefined stands for callers that are never gone. */
  readonly #connections = new Map<string, Set<ClientConnection | undefined>>();
  readonly #sessions = new Map<ClientConnection, Set<string>>();
  /** Sessions without a connection, the longest orphaned first. */
  readonly #orphans = new Map<string, Orphan>();
  #timer: NodeJS.Timeout | undefined;

  /** @param expire called with the session to end; the watch has already forgotten it. */
  constructor(limits: OrphanLimits, expire: (handle: string) => void) {
    this.#limits = limits;
    this.#expire = expire;
  }

  /**
   * Records that a session was created or used.
   * @param connection undefined for a caller in this process or an unknown one, which is never gone.
   */
  used(handle: string, connection: ClientConnection | undefined): void {
    const connections = this.#connections.get(handle) ?? new Set();
    this.#connections.set(handle, connections);
    if (connection?.isClosed) {
      // A call that was sent before the connection ended was processed only now.
      if (connections.size === 0 && !this.#orphans.has(handle)) {
        this.#addOrphan(handle, connection);
      }
      return;
    }
    this.#orphans.delete(handle);
    connections.add(connection);
    if (connection !== undefined) {
      const sessions = this.#sessions.get(connection) ?? new Set();
      this.#sessions.set(connection, sessions.add(handle));
      connection.onClose(this.#onClose);
    }
  }

  /** Forgets a session that has ended; unknown ones are ignored. */
  forget(handle: string): void {
    for (const connection of this.#connections.get(handle) ?? []) {
      if (connection !== undefined) {
        this.#sessions.get(connection)?.delete(handle);
      }
    }
    this.#connections.delete(handle);
    this.#orphans.delete(handle);
    this.#schedule();
  }

  readonly #onClose = (connection: ClientConnection): void => {
    const handles = this.#sessions.get(connection) ?? [];
    this.#sessions.delete(connection);
    for (const handle of handles) {
      const others = this.#connections.get(handle);
      others?.delete(connection);
      if (others?.size === 0) {
        this.#addOrphan(handle, connection);
      }
    }
  };

  #addOrphan(handle: string, { wasIdle }: ClientConnection): void {
    const { maxLost, lostMillis, idleMillis } = this.#limits;
    if (idleMillis === 0) {
      return;
    }
    const millis = wasIdle ? idleMillis : Math.min(lostMillis, idleMillis);
    this.#orphans.set(handle, { isLost: !wasIdle, deadline: performance.now() + millis });
    const lost = [...this.#orphans].filter(([, { isLost }]) => isLost);
    for (const [old] of lost.slice(0, Math.max(lost.length - maxLost, 0))) {
      this.#end(old);
    }
    this.#schedule();
  }

  #endDue(): void {
    const now = performance.now();
    for (const [handle, { deadline }] of [...this.#orphans]) {
      if (deadline <= now) {
        this.#end(handle);
      }
    }
    this.#schedule();
  }

  #end(handle: string): void {
    this.forget(handle);
    this.#expire(handle);
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#orphans.size > 0) {
      const next = Math.min(...[...this.#orphans.values()].map(({ deadline }) => deadline));
      const millis = Math.min(Math.max(next - performance.now(), 0), MAX_TIMER_MILLIS);
      this.#timer = setTimeout(() => this.#endDue(), millis).unref();
    }
  }
}
