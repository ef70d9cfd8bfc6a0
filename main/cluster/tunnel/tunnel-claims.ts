/**
 * The tunnels that the owners of clusters want on this machine, and the resulting listeners and admissions. Pure: no
 * socket is touched.
 */
import type { TunnelEnd, TunnelRequest } from "../../peers/agent/tunnel-request.js";

/** One port on which the owners agree, with the addresses of all of them. */
export interface AgreedTunnel extends TunnelEnd {
  readonly owners: readonly string[];
}

/**
 * Several owners may have clusters here at once. Two that want the same port for the same machine share it; if they
 * want different machines, the first claimant has it until it withdraws. This machine itself takes precedence: no other
 * machine may redirect localhost here against its own user.
 */
export class TunnelClaims {
  /** In the order of the owners' first claims. */
  readonly #requests = new Map<string, TunnelRequest>();
  readonly #ownId: string;

  /** @param ownId Device ID of this machine. */
  constructor(ownId: string) {
    this.#ownId = ownId;
  }

  owners(): string[] {
    return [...this.#requests.keys()];
  }

  /** Replaces all previous claims of the owner. */
  set(owner: string, request: TunnelRequest): void {
    this.#requests.set(owner, request);
  }

  delete(owner: string): boolean {
    return this.#requests.delete(owner);
  }

  /** The entrances to listen for, by port. */
  agreed(): Map<number, AgreedTunnel> {
    const agreed = new Map<number, AgreedTunnel>();
    const owners = [...this.#requests].sort(
      ([a], [b]) => Number(b === this.#ownId) - Number(a === this.#ownId),
    );
    for (const [owner, { tunnels }] of owners) {
      for (const { port, deviceId, agentAddresses } of tunnels) {
        const before = agreed.get(port);
        if (before === undefined) {
          agreed.set(port, { port, deviceId, agentAddresses, owners: [owner] });
        } else if (before.deviceId === deviceId) {
          agreed.set(port, {
            port,
            deviceId,
            agentAddresses: [...new Set([...before.agentAddresses, ...agentAddresses])],
            owners: [...new Set([...before.owners, owner])],
          });
        }
      }
    }
    return agreed;
  }

  /** Ports that an owner requested but that lead to a different machine. */
  lost(owner: string, agreed: ReadonlyMap<number, AgreedTunnel>): number[] {
    const tunnels = this.#requests.get(owner)?.tunnels ?? [];
    return tunnels.flatMap(({ port, deviceId }) => (agreed.get(port)?.deviceId === deviceId ? [] : [port]));
  }

  /** Whether some owner admits a machine to some port of this one. */
  admitsAnywhere(deviceId: string): boolean {
    return [...this.#requests.values()].some(({ admissions }) =>
      admissions.some((admission) => admission.deviceId === deviceId),
    );
  }

  /** The owners that admit a machine to a port of this one. */
  vouchersFor(deviceId: string, port: number): string[] {
    return [...this.#requests].flatMap(([owner, { admissions }]) =>
      admissions.some((admission) => admission.deviceId === deviceId && admission.port === port)
        ? [owner]
        : [],
    );
  }
}
