/** This machine on one of its networks, by each address family; a failure of one does not affect the other. */
import type { NetworkInterface } from "./interfaces.js";
import { MdnsInterface, type MdnsListeners } from "./mdns-interface.js";
import type { Announced } from "./sighting.js";

export class Responder {
  readonly network: NetworkInterface;
  readonly #interfaces: readonly MdnsInterface[];

  /**
   * @param machine This machine, as it is currently announced.
   * @param lifetime Lifetime of announcements in seconds, of this machine and of others.
   */
  constructor(
    network: NetworkInterface,
    machine: () => Announced,
    lifetime: number,
    listeners: MdnsListeners,
  ) {
    this.network = network;
    const families = [
      ...(network.addresses4.length > 0 ? [4 as const] : []),
      ...(network.addresses6.length > 0 ? [6 as const] : []),
    ];
    this.#interfaces = families.map(
      (family) => new MdnsInterface(network, family, machine, lifetime, listeners),
    );
  }

  /** on: sent packets come back. silent: packets are sent, but none comes back. failed: packets cannot be sent. */
  get state(): "on" | "silent" | "failed" {
    const working = this.#interfaces.filter(({ error }) => error === undefined);
    if (working.length === 0) return "failed";
    return working.some(({ heardItself }) => heardItself) ? "on" : "silent";
  }

  /** Why a family does not work, if one does not. */
  get error(): Error | undefined {
    return this.#interfaces.find(({ error }) => error !== undefined)?.error;
  }

  /**
   * Queries for machines.
   * @param unlessSince Skipped if another machine has queried since then, by the monotonic clock.
   */
  search(unlessSince?: number): void {
    for (const each of this.#interfaces) each.search(unlessSince);
  }

  /** Queries for machines several times in the next seconds. */
  burst(): void {
    for (const each of this.#interfaces) each.burst();
  }

  /** Announces this machine as it is now. */
  publish(): void {
    for (const each of this.#interfaces) each.publish();
  }

  /** Closes, after saying goodbye if the network is still there. */
  async close(goodbye: boolean): Promise<void> {
    await Promise.all(this.#interfaces.map((each) => each.close(goodbye)));
  }
}
