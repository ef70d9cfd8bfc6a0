/** What the owners of clusters want of this machine's tunnels, and what follows from it. Pure: no socket is touched. */

/** A loopback port here whose connections are carried to a task elsewhere. */
export interface TunnelOrder {
  /** The task's, which is also the one that is listened at here. */
  readonly port: number;
  /** Machine that runs the task. */
  readonly deviceId: string;
  /** "host:port", the likeliest first. */
  readonly agentAddresses: readonly string[];
}

/** A machine that may reach a task here, on the word of the cluster's owner. */
export interface TunnelAdmission {
  readonly deviceId: string;
  readonly port: number;
}

export interface TunnelOrders {
  readonly tunnels: readonly TunnelOrder[];
  readonly admissions: readonly TunnelAdmission[];
}

/** One port on which the owners agree, with the addresses of all of them. */
export interface AgreedTunnel extends TunnelOrder {
  readonly owners: readonly string[];
}

/**
 * Several owners may have clusters here at once. Two that want the same port for the same machine share it; where they
 * want different machines, the one who asked first has it until it no longer asks. Before all others comes this machine
 * itself: nobody else says where what is called localhost here leads, against its own user.
 */
export class TunnelClaims {
  /** In the order in which the owners asked first. */
  readonly #orders = new Map<string, TunnelOrders>();
  readonly #ownId: string;

  /** @param ownId Device ID of this machine. */
  constructor(ownId: string) {
    this.#ownId = ownId;
  }

  owners(): string[] {
    return [...this.#orders.keys()];
  }

  /** Replaces all that the owner asked for before. */
  set(owner: string, orders: TunnelOrders): void {
    this.#orders.set(owner, orders);
  }

  delete(owner: string): boolean {
    return this.#orders.delete(owner);
  }

  /** What is to be listened at, by port. */
  agreed(): Map<number, AgreedTunnel> {
    const agreed = new Map<number, AgreedTunnel>();
    const owners = [...this.#orders].sort(
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

  /** Ports that an owner asked for and that lead to another machine than it wants. */
  lost(owner: string, agreed: ReadonlyMap<number, AgreedTunnel>): number[] {
    const tunnels = this.#orders.get(owner)?.tunnels ?? [];
    return tunnels.flatMap(({ port, deviceId }) => (agreed.get(port)?.deviceId === deviceId ? [] : [port]));
  }

  /** Whether some owner wants that a machine can reach some port of this one. */
  admitsAnywhere(deviceId: string): boolean {
    return [...this.#orders.values()].some(({ admissions }) =>
      admissions.some((admission) => admission.deviceId === deviceId),
    );
  }

  /** The owners that want that a machine can reach a port of this one. */
  vouchersFor(deviceId: string, port: number): string[] {
    return [...this.#orders].flatMap(([owner, { admissions }]) =>
      admissions.some((admission) => admission.deviceId === deviceId && admission.port === port)
        ? [owner]
        : [],
    );
  }
}
