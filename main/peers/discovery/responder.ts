/** This machine on one of its networks, by each address family of it; one that does not work leaves the other alone. */
import type { NetworkInterface } from "./interfaces.js";
import { Link, type LinkListeners } from "./link.js";
import type { Announced } from "./sighting.js";

export class Responder {
  readonly network: NetworkInterface;
  readonly #links: readonly Link[];

  /**
   * @param machine This machine, as it is to be announced at the moment.
   * @param lifetime Seconds for which others may believe it, and we believe others.
   */
  constructor(
    network: NetworkInterface,
    machine: () => Announced,
    lifetime: number,
    listeners: LinkListeners,
  ) {
    this.network = network;
    const families = [
      ...(network.addresses4.length > 0 ? [4 as const] : []),
      ...(network.addresses6.length > 0 ? [6 as const] : []),
    ];
    this.#links = families.map((family) => new Link(network, family, machine, lifetime, listeners));
  }

  /** on: what is sent is heard again. silent: it is sent, and nothing of it comes back. failed: it cannot be sent. */
  get state(): "on" | "silent" | "failed" {
    const working = this.#links.filter(({ error }) => error === undefined);
    if (working.length === 0) return "failed";
    return working.some(({ heardItself }) => heardItself) ? "on" : "silent";
  }

  /** Why a family does not work, if one does not. */
  get error(): Error | undefined {
    return this.#links.find(({ error }) => error !== undefined)?.error;
  }

  /** Asks who is there. @param unlessSince Not where somebody has asked since then, by the monotonic clock. */
  search(unlessSince?: number): void {
    for (const link of this.#links) link.search(unlessSince);
  }

  /** Asks who is there, several times in the next seconds. */
  burst(): void {
    for (const link of this.#links) link.burst();
  }

  /** Announces this machine as it is now. */
  publish(): void {
    for (const link of this.#links) link.publish();
  }

  /** Closes, after saying goodbye if the network is still there. */
  async close(goodbye: boolean): Promise<void> {
    await Promise.all(this.#links.map((link) => link.close(goodbye)));
  }
}
