/**
 * Finds the machines with Tensordeck on the local networks, and lets them find this one, by mDNS. It only reports which
 * machines may be there: whether one answers, and is what it claims to be, is determined by connecting to its agent.
 */

import { formatHostPort } from "../../../worker-runtime/cluster/address.js";
import { inBackground } from "../../../worker-runtime/faults.js";
import type { DiscoveryState } from "../../api/machines.js";
import type { Problem } from "../../api/problem.js";
import { UpdateThrottle } from "../../shared/update-throttle.js";
import { identityOf, localInterfaces, type NetworkInterface } from "./interfaces.js";
import { announceable, type Heard } from "./records.js";
import { Responder } from "./responder.js";
import type { Announced, Sighting } from "./sighting.js";
import { Sightings } from "./sightings.js";
import { discoveryProblem } from "./unavailable.js";

export type { Sighting } from "./sighting.js";

export interface DiscoveryOptions {
  readonly deviceId: string;
  /** The user's name for this machine. */
  readonly name: string;
  /** Port of its agent. */
  readonly port: number;
  /** Version of Tensordeck. */
  readonly version: string;
  /**
   * lan: on every network of this machine. loopback: nowhere; no socket is opened and no machine is found.
   */
  readonly scope: "lan" | "loopback";
  /**
   * Paired machines are listed no matter how many others announce themselves; no machine is paired unless
   * given.
   */
  readonly paired?: PairedMachines;
  /** Called with the process that announced a machine, this one included, and its "host:port". */
  readonly onInstance?: (deviceId: string, instance: string, address: string) => void;
  readonly timing?: Partial<DiscoveryTiming>;
}

export interface PairedMachines {
  has(deviceId: string): boolean;
  /** Whether one of them was at this address, without scope. */
  isAt(address: string): boolean;
}

export interface DiscoveryTiming {
  /** Interval between queries for machines; default 15 s. */
  readonly searchEveryMillis: number;
  /** How long an announcement stays valid for others; default 120 s. */
  readonly lifetimeSeconds: number;
}

export interface Discovery {
  state(): DiscoveryState;
  /** The machines that announce themselves, without this one, in order of first sighting. */
  sightings(): readonly Sighting[];
  sighting(deviceId: string): Sighting | undefined;
  /**
   * Calls the listener after a change of the state or the sightings, until the returned function is called. Changes
   * within a quarter of a second, as when many machines are switched on, are reported together.
   */
  onChange(listener: () => void): () => void;
  /** Looks again at once, e.g. because the user opened the list of machines. */
  search(): void;
  /** Announces this machine under another name. */
  setName(name: string): void;
  /** Says goodbye. Resolves when the sockets are closed. */
  close(): Promise<void>;
}

const DEFAULT_TIMING: DiscoveryTiming = { searchEveryMillis: 15_000, lifetimeSeconds: 120 };
/** How often the interfaces are checked. */
const TICK_MILLIS = 1000;
/** A tick that is later than this means that the machine was asleep. */
const SLEPT_MILLIS = 5000;
/** How long sightings from before a sleep stay valid after it. */
const AFTER_SLEEP_MILLIS = 30_000;
/** A network on which nothing came back for this long is assumed not to carry multicast. */
const SILENT_AFTER_MILLIS = 3000;
/** First delay before a failed socket is reopened; it doubles with each failure. */
const RETRY_MILLIS = 5_000;
const LONGEST_RETRY_MILLIS = 600_000;

/**
 * Starts to announce this machine and to look for others. Does not throw when there is no network: the state reports
 * it.
 */
export function startDiscovery(options: DiscoveryOptions): Discovery {
  return options.scope === "lan" ? new LanDiscovery(options) : noDiscovery;
}

const noDiscovery: Discovery = {
  state: () => ({ state: "off" }),
  sightings: () => [],
  sighting: () => undefined,
  onChange: () => () => undefined,
  search: () => undefined,
  setName: () => undefined,
  close: () => Promise.resolve(),
};

interface Member {
  readonly identity: string;
  readonly responder: Responder;
  /** By the monotonic clock. */
  readonly since: number;
  /** When it is reopened if one of its sockets failed. */
  readonly retryAfter: number;
}

class LanDiscovery implements Discovery {
  readonly #timing: DiscoveryTiming;
  readonly #sightings: Sightings;
  readonly #paired: PairedMachines | undefined;
  readonly #onInstance: DiscoveryOptions["onInstance"];
  readonly #listeners = new Set<() => void>();
  /** By the name of the interface. */
  readonly #members = new Map<string, Member>();
  readonly #telling = new UpdateThrottle(() => {
    for (const listener of this.#listeners) listener();
  });
  readonly #tick: NodeJS.Timeout;
  #machine: Announced;
  #interfaces: readonly NetworkInterface[] = [];
  #state: DiscoveryState = { state: "searching" };
  #lastTick = Date.now();
  #nextSearch: number;
  #closed: Promise<void> | undefined;

  constructor({ deviceId, name, port, version, paired, onInstance, timing }: DiscoveryOptions) {
    this.#paired = paired;
    this.#onInstance = onInstance;
    this.#sightings = new Sightings((id) => paired?.has(id) === true);
    this.#timing = { ...DEFAULT_TIMING, ...timing };
    this.#machine = { deviceId, name: announceable(name), port, version };
    this.#nextSearch = performance.now() + this.#timing.searchEveryMillis;
    this.#followInterfaces();
    this.#tick = setInterval(() => this.#look(), TICK_MILLIS);
  }

  state(): DiscoveryState {
    return this.#state;
  }

  sightings(): readonly Sighting[] {
    return this.#sightings.list();
  }

  sighting(deviceId: string): Sighting | undefined {
    return this.#sightings.get(deviceId);
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  search(): void {
    if (this.#closed !== undefined) return;
    this.#followInterfaces();
    for (const { responder } of this.#members.values()) responder.search();
  }

  setName(name: string): void {
    const announced = announceable(name);
    if (announced === this.#machine.name || this.#closed !== undefined) return;
    this.#machine = { ...this.#machine, name: announced };
    for (const { responder } of this.#members.values()) {
      responder.publish();
      responder.burst();
    }
  }

  close(): Promise<void> {
    this.#closed ??= this.#leave();
    return this.#closed;
  }

  async #leave(): Promise<void> {
    clearInterval(this.#tick);
    this.#telling.dispose();
    this.#listeners.clear();
    await Promise.all([...this.#members.values()].map(({ responder }) => responder.close(true)));
  }

  /** Runs every second. */
  #look(): void {
    const slept = Date.now() - this.#lastTick > TICK_MILLIS + SLEPT_MILLIS;
    this.#lastTick = Date.now();
    const now = performance.now();
    if (slept) this.#sightings.extend(now + AFTER_SLEEP_MILLIS);
    const expired = this.#sightings.expire(now);
    const lost = this.#followInterfaces();
    if (slept) {
      for (const { responder } of this.#members.values()) responder.burst();
    }
    if (now >= this.#nextSearch) {
      // Jitter, so that machines that were started together do not query together forever.
      this.#nextSearch = now + this.#timing.searchEveryMillis * (0.8 + 0.4 * Math.random());
      // The answers to another machine's query are received here, too: many machines together query as often as
      // one.
      const enough = now - this.#timing.searchEveryMillis / 2;
      for (const { responder } of this.#members.values()) responder.search(enough);
    }
    this.#report(expired || lost);
  }

  /** Opens and closes sockets as interfaces come and go. @returns Whether sightings were lost with an interface. */
  #followInterfaces(): boolean {
    this.#interfaces = localInterfaces();
    const now = performance.now();
    const usable = this.#interfaces.filter(({ multicast }) => multicast);
    const wanted = new Map(usable.map((network) => [network.name, network]));
    let lost = false;
    for (const [name, member] of this.#members) {
      const network = wanted.get(name);
      const isSame = network !== undefined && identityOf(network) === member.identity;
      const retry = member.responder.error !== undefined && now - member.since >= member.retryAfter;
      if (isSame && !retry) continue;
      this.#members.delete(name);
      // No goodbye: the machine stays, and others still reach it over the remaining interfaces.
      inBackground(member.responder.close(false));
      if (network === undefined) lost = this.#sightings.forgetNetwork(name) || lost;
      else this.#join(network, isSame ? Math.min(2 * member.retryAfter, LONGEST_RETRY_MILLIS) : RETRY_MILLIS);
    }
    for (const [name, network] of wanted) {
      if (!this.#members.has(name)) this.#join(network, RETRY_MILLIS);
    }
    return lost;
  }

  #join(network: NetworkInterface, retryAfter: number): void {
    const responder = new Responder(network, () => this.#machine, this.#timing.lifetimeSeconds, {
      heard: (machine, source) => this.#hear(machine, network, source),
      gone: (deviceId) => this.#report(this.#sightings.forget(deviceId, network.name)),
      changed: () => this.#report(false),
      isPairedAt: (address) => this.#paired?.isAt(address) === true,
    });
    const identity = identityOf(network);
    this.#members.set(network.name, { identity, responder, since: performance.now(), retryAfter });
  }

  #hear(machine: Heard, network: NetworkInterface, source: string): void {
    if (machine.instance !== undefined) {
      const host = /^fe[89ab]/i.test(source) ? `${source}%${network.scope}` : source;
      this.#onInstance?.(machine.deviceId, machine.instance, formatHostPort({ host, port: machine.port }));
    }
    if (machine.deviceId === this.#machine.deviceId) return;
    const origin = { network: network.name, scope: network.scope, isOnLink: network.isOnLink, source };
    this.#report(this.#sightings.hear(machine, origin, performance.now()));
  }

  #report(sightingsChanged: boolean): void {
    if (this.#closed !== undefined) return;
    const state = this.#judge();
    const stateChanged = JSON.stringify(state) !== JSON.stringify(this.#state);
    this.#state = state;
    if (sightingsChanged || stateChanged) this.#telling.soon();
  }

  #judge(): DiscoveryState {
    const now = performance.now();
    const members = [...this.#members.values()];
    if (members.some(({ responder }) => responder.state === "on")) return { state: "on" };
    const waiting = members.some(
      ({ responder, since }) => responder.state === "silent" && now - since < SILENT_AFTER_MILLIS,
    );
    // A failed state is not reported as searching merely because of a retry.
    if (waiting && this.#state.state !== "unavailable") return { state: "searching" };
    if (waiting) return this.#state;
    return { state: "unavailable", problem: this.#problem(members.map(({ responder }) => responder)) };
  }

  #problem(responders: readonly Responder[]): Problem {
    return discoveryProblem({
      interfaces: this.#interfaces.map(({ name }) => name),
      withoutMulticast: this.#interfaces.filter(({ multicast }) => !multicast).map(({ name }) => name),
      silent: responders.filter(({ state }) => state === "silent").map(({ network }) => network.name),
      error: responders.find(({ error }) => error !== undefined)?.error,
    });
  }
}
