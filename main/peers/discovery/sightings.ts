/** The machines that were announced, each until its lifetime ends, it says goodbye or its network is gone. */
import { isIP, isIPv6 } from "node:net";
import type { Heard } from "./records.js";
import type { Announced, Sighting } from "./sighting.js";

/** Maximum number of machines, as anyone on the network can make them up. More than any computer room has. */
const MOST_MACHINES = 2048;
/** Maximum number of machines from one address, so that one spoofer leaves room for the others. */
const MOST_FROM_ONE_SOURCE = 16;
const MOST_ADDRESSES = 8;

/** Where a packet was received. */
export interface Origin {
  /** Name of the interface. */
  readonly network: string;
  /** The interface's scope in link-local addresses. */
  readonly scope: string;
  /** Address of the sender, without scope. */
  readonly source: string;
  readonly isOnLink: (address: string) => boolean;
}

/** The records about a machine that one interface and address family received. */
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
  /** The addresses of all routes; undefined after one of them changed. */
  addresses: readonly string[] | undefined;
}

export class Sightings {
  /** In order of first sighting. */
  readonly #known = new Map<string, Known>();
  /** How many machines each address was the first to announce. */
  readonly #fromSource = new Map<string, number>();
  readonly #isPaired: (deviceId: string) => boolean;

  /** @param isPaired Machines that are kept no matter how many others there are. */
  constructor(isPaired: (deviceId: string) => boolean = () => false) {
    this.#isPaired = isPaired;
  }

  /** In order of first sighting. */
  list(): Sighting[] {
    return [...this.#known.values()].map(sightingOf);
  }

  get(deviceId: string): Sighting | undefined {
    const known = this.#known.get(deviceId);
    return known && sightingOf(known);
  }

  /**
   * Applies an announcement.
   *
   * @param now Milliseconds of the monotonic clock.
   * @returns Whether anything changed apart from the time of the last sighting.
   */
  hear(heard: Heard, origin: Origin, now: number): boolean {
    const { addresses, lifetime, instance: _, ...announced } = heard;
    const known = this.#known.get(announced.deviceId) ?? this.#add(announced, origin.source);
    if (known === undefined) return false;
    const before = describe(known);
    const isNew = known.routes.size === 0;
    known.announced = announced;
    known.lastSeenAt = Date.now();
    known.addresses = undefined;
    known.routes.set(`${origin.network} ${isIP(origin.source)}`, {
      network: origin.network,
      addresses: usable([origin.source, ...addresses], origin),
      until: now + lifetime * 1000,
    });
    return isNew || describe(known) !== before;
  }

  /** Applies a goodbye that was received on a network. @returns Whether anything changed. */
  forget(deviceId: string, network: string): boolean {
    if (!this.#known.has(deviceId)) return false;
    return this.#drop((route, id) => id === deviceId && route.network === network);
  }

  /** Removes what was received on a network that is gone. @returns Whether anything changed. */
  forgetNetwork(network: string): boolean {
    return this.#drop((route) => route.network === network);
  }

  /** Removes expired sightings. @returns Whether anything changed. */
  expire(now: number): boolean {
    return this.#drop((route) => route.until <= now);
  }

  /** Extends all sightings for a while, as after a sleep in which no packets were received. */
  extend(until: number): void {
    for (const { routes } of this.#known.values()) {
      for (const route of routes.values()) route.until = Math.max(route.until, until);
    }
  }

  /** Undefined if the limit is reached. */
  #add(announced: Announced, source: string): Known | undefined {
    const fromThere = this.#fromSource.get(source) ?? 0;
    const isFull = this.#known.size >= MOST_MACHINES || fromThere >= MOST_FROM_ONE_SOURCE;
    if (isFull && !this.#isPaired(announced.deviceId)) return undefined;
    const known: Known = {
      announced,
      lastSeenAt: 0,
      firstSource: source,
      routes: new Map(),
      addresses: undefined,
    };
    this.#known.set(announced.deviceId, known);
    this.#fromSource.set(source, fromThere + 1);
    return known;
  }

  /** Checks every route, and rebuilds only the sightings that lose one. */
  #drop(unwanted: (route: Route, deviceId: string) => boolean): boolean {
    let changed = false;
    for (const [deviceId, known] of this.#known) {
      const lost = [...known.routes].filter(([, route]) => unwanted(route, deviceId));
      if (lost.length === 0) continue;
      const before = describe(known);
      for (const [key] of lost) known.routes.delete(key);
      known.addresses = undefined;
      if (known.routes.size === 0) this.#remove(deviceId, known.firstSource);
      changed ||= describe(known) !== before;
    }
    return changed;
  }

  #remove(deviceId: string, source: string): void {
    this.#known.delete(deviceId);
    const left = (this.#fromSource.get(source) ?? 1) - 1;
    if (left === 0) this.#fromSource.delete(source);
    else this.#fromSource.set(source, left);
  }
}

function sightingOf(known: Known): Sighting {
  const { announced, lastSeenAt } = known;
  known.addresses ??= addressesOf(known.routes);
  return { ...announced, addresses: known.addresses, lastSeenAt };
}

function describe(known: Known): string {
  known.addresses ??= addressesOf(known.routes);
  return JSON.stringify([known.announced, known.addresses]);
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
