/** The machines that were heard of, each until its time runs out, it says goodbye or its network is gone. */
import { isIP, isIPv6 } from "node:net";
import type { Heard } from "./records.js";
import type { Announced, Sighting } from "./sighting.js";

/** Machines that are kept at most; everybody on the network can make them up. */
const MOST_MACHINES = 256;
/** Machines that are taken from one address at most, so that one liar leaves room for the others. */
const MOST_FROM_ONE_SOURCE = 16;
const MOST_ADDRESSES = 8;

/** Where something was heard. */
export interface Origin {
  /** Name of the interface. */
  readonly network: string;
  /** How link-local addresses name the interface. */
  readonly scope: string;
  /** Address of the sender, without scope. */
  readonly source: string;
  readonly isOnLink: (address: string) => boolean;
}

/** What was heard of a machine by one interface and address family. */
interface Route {
  readonly network: string;
  readonly addresses: readonly string[];
  /** Milliseconds of the monotonic clock. */
  until: number;
}

interface Known {
  announced: Announced;
  lastSeenAt: number;
  readonly firstSource: string;
  readonly routes: Map<string, Route>;
}

export class Sightings {
  readonly #known = new Map<string, Known>();

  /** In the order of their device IDs. */
  list(): Sighting[] {
    return [...this.#known.values()]
      .map(({ announced, lastSeenAt, routes }) => ({
        ...announced,
        addresses: addressesOf(routes),
        lastSeenAt,
      }))
      .sort((a, b) => (a.deviceId < b.deviceId ? -1 : 1));
  }

  /**
   * Takes an announcement.
   *
   * @param now Milliseconds of the monotonic clock.
   * @returns Whether anything changed but the time of the last sighting.
   */
  hear(heard: Heard, origin: Origin, now: number): boolean {
    const { addresses, lifetime, ...announced } = heard;
    let known = this.#known.get(announced.deviceId);
    if (known === undefined) {
      if (this.#known.size >= MOST_MACHINES) return false;
      const fromThere = [...this.#known.values()].filter(({ firstSource }) => firstSource === origin.source);
      if (fromThere.length >= MOST_FROM_ONE_SOURCE) return false;
      known = { announced, lastSeenAt: 0, firstSource: origin.source, routes: new Map() };
      this.#known.set(announced.deviceId, known);
    }
    const before = describe(known);
    const isNew = known.routes.size === 0;
    known.announced = announced;
    known.lastSeenAt = Date.now();
    known.routes.set(`${origin.network} ${isIP(origin.source)}`, {
      network: origin.network,
      addresses: usable([origin.source, ...addresses], origin),
      until: now + lifetime * 1000,
    });
    return isNew || describe(known) !== before;
  }

  /** Takes a goodbye that was heard on a network. @returns Whether anything changed. */
  forget(deviceId: string, network: string): boolean {
    return this.#drop((route, id) => id === deviceId && route.network === network);
  }

  /** Forgets what was heard on a network that is gone. @returns Whether anything changed. */
  forgetNetwork(network: string): boolean {
    return this.#drop((route) => route.network === network);
  }

  /** Forgets what was not heard again in time. @returns Whether anything changed. */
  expire(now: number): boolean {
    return this.#drop((route) => route.until <= now);
  }

  /** Lets everything stay true for a while, as after a sleep in which nothing could be heard. */
  extend(until: number): void {
    for (const { routes } of this.#known.values()) {
      for (const route of routes.values()) route.until = Math.max(route.until, until);
    }
  }

  #drop(unwanted: (route: Route, deviceId: string) => boolean): boolean {
    let changed = false;
    for (const [deviceId, known] of this.#known) {
      const before = describe(known);
      for (const [key, route] of known.routes) {
        if (unwanted(route, deviceId)) known.routes.delete(key);
      }
      if (known.routes.size === 0) this.#known.delete(deviceId);
      changed ||= describe(known) !== before;
    }
    return changed;
  }
}

function describe({ announced, routes }: Known): string {
  return JSON.stringify([announced, addressesOf(routes)]);
}

/** Addresses of a machine that can be reached by the network they were heard on, link-local ones with their scope. */
function usable(addresses: readonly string[], origin: Origin): string[] {
  const inReach = addresses.filter((address) => origin.isOnLink(address) && !isIPv4Mapped(address));
  const scoped = inReach.map((address) => (isLinkLocal6(address) ? `${address}%${origin.scope}` : address));
  return [...new Set(scoped)].slice(0, MOST_ADDRESSES);
}

/** All addresses, the likeliest first: IPv4, then IPv6, link-local ones last. */
function addressesOf(routes: ReadonlyMap<string, Route>): string[] {
  const all = new Set([...routes.values()].flatMap(({ addresses }) => addresses));
  const rank = (address: string) => (isLinkLocal6(address) ? 2 : isIPv6(address) ? 1 : 0);
  return [...all].sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1)).slice(0, 2 * MOST_ADDRESSES);
}

function isLinkLocal6(address: string): boolean {
  return /^fe[89ab]/i.test(address);
}

function isIPv4Mapped(address: string): boolean {
  return /^::ffff:/i.test(address);
}
