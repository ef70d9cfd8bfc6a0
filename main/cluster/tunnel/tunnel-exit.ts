/** The far end of tunnels: connections of other machines' agents to tasks of this one. */
import type { Socket } from "node:net";
import { inBackground } from "../../../worker-runtime/faults.js";
import { connectLoopback } from "../../shared/sockets/loopback.js";
import { join, KEEP_ALIVE_MILLIS, prepareForRelay } from "../../shared/sockets/relay.js";
import { readHeader, TunnelAnswer } from "./tunnel-protocol.js";

/** A machine identified by its certificate, with a connection on which it wants to reach a task. */
export interface TunnelPeer {
  readonly deviceId: string;
  readonly socket: Socket;
}

export interface TunnelExitOptions {
  /**
   * Whether the machine may reach this port, if there is a task there. Queried again whenever `recheck` is called.
   */
  readonly admits: (deviceId: string, port: number) => boolean;
  /** Whether a task of this machine listens on the port. Nothing else on the loopback interface is ever reached. */
  readonly isTaskPort: (port: number) => boolean;
  /** Opens a connection to a task of this machine; for tasks that are not at 127.0.0.1. */
  readonly connectTask?: ((port: number) => Promise<Socket>) | undefined;
  /** Whether a run of this machine goes on, for which tasks elsewhere send something to those here. */
  readonly isOwnRun?: (() => boolean) | undefined;
  /** Maximum concurrent connections of one machine. */
  readonly connectionsPerPeer?: number | undefined;
}

/** A silent peer occupies one of its own connections no longer than this. */
const HEADER_TIMEOUT_MILLIS = 10_000;
/** A refused peer has this long to read the answer. */
const REFUSAL_GRACE_MILLIS = 2_000;
/** 16 tasks that each reach 16 tasks here, four times over: enough for sessions, probes and reconnections. */
const CONNECTIONS_PER_PEER = 1024;

interface Visit {
  readonly deviceId: string;
  readonly socket: Socket;
  /** Absent until the peer has named it. */
  port?: number;
  /** The peer has sent the task something that no run of this machine can have led to. */
  isUsed?: boolean;
}

/** A task of this machine that another machine uses. */
export interface TaskUse {
  readonly deviceId: string;
  readonly port: number;
}

export class TunnelExit {
  readonly #options: TunnelExitOptions;
  readonly #limit: number;
  readonly #visits = new Set<Visit>();

  constructor(options: TunnelExitOptions) {
    this.#options = options;
    this.#limit = options.connectionsPerPeer ?? CONNECTIONS_PER_PEER;
  }

  /** Takes over a connection. Never throws: errors are reported to the peer. */
  serve({ deviceId, socket }: TunnelPeer): void {
    const visit: Visit = { deviceId, socket };
    const others = [...this.#visits].filter((other) => other.deviceId === deviceId).length;
    socket.on("error", () => undefined);
    prepareForRelay(socket);
    socket.setKeepAlive(true, KEEP_ALIVE_MILLIS);
    if (others >= this.#limit) {
      refuse(socket, TunnelAnswer.tooMany);
      return;
    }
    this.#visits.add(visit);
    socket.once("close", () => this.#visits.delete(visit));
    inBackground(this.#connect(visit));
  }

  /** Ends the connections of machines that are no longer admitted. */
  recheck(): void {
    for (const { deviceId, port, socket } of this.#visits) {
      if (port !== undefined && !this.#options.admits(deviceId, port)) socket.destroy();
    }
  }

  /**
   * The tasks that other machines use of their own accord: through connections that are open, and have carried
   * something while nothing went on here that makes tasks talk with each other.
   */
  uses(): TaskUse[] {
    return [...this.#visits].flatMap(({ deviceId, port, isUsed }) =>
      port !== undefined && isUsed ? [{ deviceId, port }] : [],
    );
  }

  /** Ends the connections of one machine. */
  disconnect(deviceId: string): void {
    for (const visit of this.#visits) {
      if (visit.deviceId === deviceId) visit.socket.destroy();
    }
  }

  /** Ends all connections. */
  close(): void {
    for (const { socket } of this.#visits) socket.destroy();
  }

  async #connect(visit: Visit): Promise<void> {
    const { deviceId, socket } = visit;
    let port: number;
    try {
      port = await readHeader(socket, HEADER_TIMEOUT_MILLIS);
    } catch {
      socket.destroy();
      return;
    }
    visit.port = port;
    // Checked first, so that a machine that may not reach a port does not learn which ports belong to tasks.
    if (!this.#options.admits(deviceId, port)) return refuse(socket, TunnelAnswer.notAdmitted);
    if (!this.#options.isTaskPort(port)) return refuse(socket, TunnelAnswer.unknownPort);
    let task: Socket;
    try {
      task = await (this.#options.connectTask ?? connectLoopback)(port);
    } catch {
      return refuse(socket, TunnelAnswer.taskUnreachable);
    }
    if (socket.destroyed) {
      task.destroy();
      return;
    }
    socket.write(Uint8Array.of(TunnelAnswer.connected));
    join(socket, task);
    const note = () => {
      if (this.#options.isOwnRun?.()) return;
      visit.isUsed = true;
      socket.off("data", note);
    };
    socket.on("data", note);
  }
}

/**
 * Sends the reason and closes. Data that the peer has already sent is read and discarded: left unread, it would
 * cause a reset that discards the answer.
 */
function refuse(socket: Socket, answer: TunnelAnswer): void {
  socket.end(Uint8Array.of(answer));
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), REFUSAL_GRACE_MILLIS);
  socket.once("close", () => clearTimeout(timer));
}
