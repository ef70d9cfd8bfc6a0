/** The near end of a tunnel: a loopback port whose connections go to a task on another machine. */
import type { Socket } from "node:net";
import { inBackground } from "../../../worker-runtime/faults.js";
import type { Problem } from "../../api/problem.js";
import { problem, problemOf } from "../../shared/problems.js";
import { LoopbackServer } from "../../shared/sockets/loopback.js";
import { bindLives, KEEP_ALIVE_MILLIS, prepareForRelay, pump, reset } from "../../shared/sockets/relay.js";
import type { AgreedTunnel } from "./tunnel-claims.js";
import { encodeHeader, readAnswer, refusalText, TunnelAnswer } from "./tunnel-protocol.js";

/**
 * Opens a connection for tunnels to a machine's agent and verifies its identity. Rejects when none of the addresses
 * answers, or when the signal is aborted.
 */
export type DialTunnel = (request: {
  readonly deviceId: string;
  readonly addresses: readonly string[];
  readonly signal: AbortSignal;
}) => Promise<Socket>;

export interface TunnelStatus {
  readonly port: number;
  readonly deviceId: string;
  /** The owners that want the tunnel. */
  readonly owners: readonly string[];
  /** Connections that are open or being set up. */
  readonly connections: number;
  /** Connections since the tunnel was created, including failed ones. */
  readonly accepted: number;
  readonly failed: number;
  /** Bytes from local clients to the task, and back. */
  readonly sentBytes: number;
  readonly receivedBytes: number;
  /** Why the last failed connection failed; absent once a later one succeeded. */
  readonly lastFailure?: { readonly at: number; readonly problem: Problem };
}

/** The serving side waits for its task's accept only; a machine that takes longer is gone. */
const ANSWER_TIMEOUT_MILLIS = 10_000;

export class TunnelEntrance {
  #tunnel: AgreedTunnel;
  readonly #dial: DialTunnel;
  readonly #clients = new Set<Socket>();
  #server: LoopbackServer | undefined;
  #accepted = 0;
  #failed = 0;
  /** The bytes of finished connections. */
  #sentBytes = 0;
  #receivedBytes = 0;
  #lastFailure: TunnelStatus["lastFailure"];

  private constructor(tunnel: AgreedTunnel, dial: DialTunnel) {
    this.#tunnel = tunnel;
    this.#dial = dial;
  }

  /** @throws Error of Node's own, EADDRINUSE when the port is taken. */
  static async open(tunnel: AgreedTunnel, dial: DialTunnel): Promise<TunnelEntrance> {
    const entrance = new TunnelEntrance(tunnel, dial);
    entrance.#server = await LoopbackServer.listen(tunnel.port, (client) => entrance.accept(client));
    return entrance;
  }

  get deviceId(): string {
    return this.#tunnel.deviceId;
  }

  /** Updates owners and addresses; open connections continue. */
  update(tunnel: AgreedTunnel): void {
    this.#tunnel = tunnel;
  }

  status(): TunnelStatus {
    const { port, deviceId, owners } = this.#tunnel;
    const open = [...this.#clients];
    return {
      port,
      deviceId,
      owners,
      connections: open.length,
      accepted: this.#accepted,
      failed: this.#failed,
      sentBytes: open.reduce((sum, { bytesRead }) => sum + bytesRead, this.#sentBytes),
      receivedBytes: open.reduce((sum, { bytesWritten }) => sum + bytesWritten, this.#receivedBytes),
      ...(this.#lastFailure && { lastFailure: this.#lastFailure }),
    };
  }

  /** Ends the connections, which their clients see as a reset. */
  disconnect(): void {
    for (const client of this.#clients) reset(client);
  }

  /** Frees the port and ends the connections. */
  close(): void {
    this.#server?.close();
    this.disconnect();
  }

  /** Carries one connection. The client sees a failure as a reset. */
  accept(client: Socket): void {
    inBackground(this.#carry(client));
  }

  async #carry(client: Socket): Promise<void> {
    const { port, deviceId, agentAddresses } = this.#tunnel;
    const gone = new AbortController();
    this.#accepted++;
    this.#clients.add(client);
    // Not every client comes from this tunnel's listener, which has done that.
    prepareForRelay(client);
    client.on("error", () => undefined);
    client.once("close", () => {
      this.#clients.delete(client);
      this.#sentBytes += client.bytesRead;
      this.#receivedBytes += client.bytesWritten;
      gone.abort();
    });
    let remote: Socket | undefined;
    try {
      remote = await this.#dial({ deviceId, addresses: agentAddresses, signal: gone.signal });
      prepareForRelay(remote);
      remote.setKeepAlive(true, KEEP_ALIVE_MILLIS);
      bindLives(client, remote);
      if (client.destroyed) throw problem("CANCELLED", "The client has closed its connection.");
      remote.write(encodeHeader(port));
      pump(client, remote);
      const answer = await readAnswer(remote, ANSWER_TIMEOUT_MILLIS);
      if (answer !== TunnelAnswer.connected) {
        throw problem("UNAVAILABLE", `The tunnel to port ${port} was refused.`, {
          reason: refusalText(answer),
        });
      }
      this.#lastFailure = undefined;
      pump(remote, client);
    } catch (error) {
      if (!client.destroyed) {
        this.#failed++;
        this.#lastFailure = { at: Date.now(), problem: problemOf(error) };
      }
      remote?.destroy();
      reset(client);
    }
  }
}
