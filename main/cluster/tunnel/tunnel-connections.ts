/** Connections from an address that this machine no longer has: it changed, or an interface is gone. */
import type { Socket } from "node:net";
import { networkInterfaces } from "node:os";
import { canonicalAddress } from "../../../worker-runtime/cluster/host.js";

/** The connections between this machine and others that tunnels use, as long as they are open. */
export class TunnelConnections {
  readonly #sockets = new Set<Socket>();

  add(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
  }

  /**
   * Breaks those that cannot receive anything. Data sent on them is never answered, and the system would retransmit
   * it for a quarter of an hour.
   */
  dropStranded(addresses = ownAddresses()): void {
    for (const socket of this.#sockets) {
      const { localAddress } = socket;
      if (localAddress !== undefined && !addresses.has(plain(localAddress))) socket.destroy();
    }
  }
}

function ownAddresses(): ReadonlySet<string> {
  const all = Object.values(networkInterfaces()).flatMap((infos) => infos ?? []);
  return new Set(all.map(({ address }) => plain(address)));
}

/** Without the scope of a link-local address, which not every system writes. */
function plain(address: string): string {
  return canonicalAddress(address) ?? address;
}
