/**
 * Accepts connections of machines that want to pair. Until one has sent "hello" it only gets a short time; then it is
 * admitted, or told why not.
 */
import type { AgentPeer } from "../port/agent-peer.js";
import type { TrustStore } from "../trust/trust-store.js";
import type { Preauthorisation } from "../trust/trusted-machine.js";
import type { AttemptLimits } from "./attempt-limits.js";
import { PairingConnection, type PairingConnectionListener } from "./pairing-connection.js";
import type { MessageOf, PairingMessage } from "./pairing-messages.js";

/** A machine sends "hello" as soon as it is connected. */
const HELLO_MILLIS = 5000;
/** Connections that have not sent "hello"; the oldest is closed for a new one. */
const MAX_WAITING = 8;
const MAX_WAITING_FROM_ONE_ADDRESS = 4;

/** A machine that said hello. */
export interface PairingCaller {
  readonly peer: AgentPeer;
  readonly connection: PairingConnection;
  readonly hello: MessageOf<"hello">;
  /** Set when its device ID was entered on this machine beforehand. */
  readonly preauthorisation: Preauthorisation | undefined;
}

export interface ReceptionOptions {
  readonly trust: TrustStore;
  readonly limits: AttemptLimits;
  readonly now: () => number;
  readonly isBusyFor: (peer: AgentPeer) => boolean;
  /** Takes over a caller; its messages after "hello" go to the listener. */
  readonly accept: (caller: PairingCaller) => PairingConnectionListener;
}

/** The keys by which a machine's attempts are counted: it can change either, but gains little. */
export function attemptKeys(peer: Pick<AgentPeer, "address" | "deviceId">): string[] {
  return [peer.address, peer.deviceId];
}

export class Reception {
  readonly #options: ReceptionOptions;
  /** With the addresses that they come from. */
  readonly #waiting = new Map<PairingConnection, string>();

  constructor(options: ReceptionOptions) {
    this.#options = options;
  }

  /** Whether one more connection without "hello" is allowed from an address. */
  hasRoomFor(address: string): boolean {
    const fromThere = [...this.#waiting.values()].filter((other) => other === address).length;
    return fromThere < MAX_WAITING_FROM_ONE_ADDRESS;
  }

  async receive(peer: AgentPeer): Promise<void> {
    const connection = new PairingConnection(peer.socket);
    const [oldest] = this.#waiting.keys();
    if (this.#waiting.size >= MAX_WAITING && oldest) {
      this.#waiting.delete(oldest);
      oldest.destroy();
    }
    this.#waiting.set(connection, peer.address);
    const late = setTimeout(() => connection.destroy(), HELLO_MILLIS);
    const preauthorisation = await this.#options.trust.preauthorisation(peer.deviceId);
    const leave = (): void => {
      clearTimeout(late);
      this.#waiting.delete(connection);
    };
    if (!connection.isOpen) {
      leave();
      return;
    }
    let accepted: PairingConnectionListener | undefined;
    let isGreeted = false;
    connection.listen({
      message: (message) => {
        if (accepted) {
          accepted.message(message);
          return;
        }
        // A rejected machine tries again.
        if (isGreeted) return;
        isGreeted = true;
        leave();
        accepted = this.#greet(peer, connection, preauthorisation, message);
      },
      garbage: (details) => accepted?.garbage(details),
      lost: () => {
        leave();
        accepted?.lost();
      },
    });
  }

  #greet(
    peer: AgentPeer,
    connection: PairingConnection,
    preauthorisation: Preauthorisation | undefined,
    hello: PairingMessage,
  ): PairingConnectionListener | undefined {
    const { limits, now, isBusyFor, accept } = this.#options;
    if (hello.type !== "hello") {
      connection.destroy();
      return undefined;
    }
    const wait = preauthorisation ? undefined : limits.waitOf(attemptKeys(peer), now());
    if (wait) {
      const reason = wait.because === "own failures" ? "pause" : "crowd";
      connection.send({ type: "bye", reason, waitMillis: wait.millis });
    } else if (isBusyFor(peer)) {
      connection.send({ type: "bye", reason: "busy" });
    } else {
      if (!preauthorisation) limits.begun(now());
      return accept({ peer, connection, hello, preauthorisation });
    }
    connection.hangUp();
    return undefined;
  }
}
