/**
 * Detects two machines with one identity, as when a memory card was copied: they replace each other, and a peer of the
 * one may be answered by the other. A process that was restarted is never heard from again once its successor was; if
 * it is, both are running. Anyone can forge an announcement, so the announcing machine must prove that it has the key.
 */
import { isDeepStrictEqual } from "node:util";
import { inBackground } from "../../../worker-runtime/faults.js";
import { INSTANCE } from "../identity/instance.js";

/** Packets that were in transit when a process ended arrive within moments of the start of the next one. */
const SETTLE_MILLIS = 5000;
/** A machine is heard from several times in this period, or it is gone. */
const FORGET_MILLIS = 180_000;
const CONFIRM_EVERY_MILLIS = 20_000;
/** Copies of one identity, addresses of one copy, and identities that are tracked: anyone can make them up. */
const MOST_INSTANCES = 8;
const MOST_ADDRESSES = 4;
const MOST_DEVICES = 4096;

/** Asks whether the machine with that device ID answers at an address, "host:port". Never rejects. */
export type ConfirmIdentity = (deviceId: string, address: string, signal: AbortSignal) => Promise<boolean>;

export interface CloneWatchOptions {
  /** Device ID of this machine. */
  readonly ownId: string;
  readonly confirm: ConfirmIdentity;
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number;
}

interface Copy {
  readonly firstAt: number;
  lastAt: number;
  /** Where it announced itself, "host:port", the newest last. */
  readonly addresses: Set<string>;
  /** It has proved its key here. */
  proved: boolean;
}

export class CloneWatch {
  readonly #options: CloneWatchOptions;
  readonly #now: () => number;
  readonly #began: number;
  /** By device ID and instance. */
  readonly #heard = new Map<string, Map<string, Copy>>();
  readonly #clones = new Map<string, readonly string[]>();
  /** Identities that are being checked. */
  readonly #confirming = new Set<string>();
  readonly #listeners = new Set<() => void>();
  readonly #closed = new AbortController();
  readonly #timer: NodeJS.Timeout;

  constructor(options: CloneWatchOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#began = this.#now();
    this.#timer = setInterval(() => this.look(), CONFIRM_EVERY_MILLIS);
    this.#timer.unref();
  }

  /** Addresses of the machines that share this machine's identity, or another one's; empty unless there are several. */
  of(deviceId: string): readonly string[] {
    return this.#clones.get(deviceId) ?? [];
  }

  /** Calls the listener whenever the set of clones changes, until the returned function is called. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** All identities that several machines have. */
  all(): ReadonlyMap<string, readonly string[]> {
    return this.#clones;
  }

  /** @param proved Whether it has proved its key, rather than only announced itself. */
  heard(deviceId: string, instance: string, address: string, proved = false): void {
    const isOwn = deviceId === this.#options.ownId;
    if (isOwn && instance === INSTANCE) return;
    const now = this.#now();
    const copies = this.#copiesOf(deviceId);
    const known = copies?.get(instance);
    if (!copies || (!known && copies.size >= MOST_INSTANCES)) return;
    const copy = known ?? { firstAt: now, lastAt: now, addresses: new Set<string>(), proved };
    copies.set(instance, copy);
    copy.lastAt = now;
    copy.proved ||= proved;
    copy.addresses.delete(address);
    copy.addresses.add(address);
    const [oldest = ""] = copy.addresses;
    if (copy.addresses.size > MOST_ADDRESSES) copy.addresses.delete(oldest);
    if (!this.#clones.has(deviceId) && this.#areSeveral(deviceId, copies)) this.#lookInto(deviceId);
  }

  /** Checks whether clones are still there. */
  look(): void {
    const now = this.#now();
    for (const [deviceId, copies] of this.#heard) {
      for (const [instance, { lastAt }] of copies) if (now - lastAt > FORGET_MILLIS) copies.delete(instance);
      if (copies.size === 0) this.#heard.delete(deviceId);
      if (this.#clones.has(deviceId) || this.#areSeveral(deviceId, copies)) this.#lookInto(deviceId);
    }
    for (const deviceId of this.#clones.keys()) if (!this.#heard.has(deviceId)) this.#set(deviceId, []);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#closed.abort();
  }

  #copiesOf(deviceId: string): Map<string, Copy> | undefined {
    const known = this.#heard.get(deviceId);
    if (known || this.#heard.size >= MOST_DEVICES) return known;
    const copies = new Map<string, Copy>();
    this.#heard.set(deviceId, copies);
    return copies;
  }

  /** Whether one was heard from again some time after another was first heard from. */
  #areSeveral(deviceId: string, copies: ReadonlyMap<string, Copy>): boolean {
    const all = [...copies.values()];
    if (deviceId === this.#options.ownId) {
      return all.some(({ firstAt, lastAt }) => lastAt - Math.max(firstAt, this.#began) >= SETTLE_MILLIS);
    }
    return all.some((one) =>
      all.some(
        (other) =>
          other !== one && one.lastAt - other.firstAt >= SETTLE_MILLIS && one.firstAt <= other.firstAt,
      ),
    );
  }

  #lookInto(deviceId: string): void {
    if (this.#confirming.has(deviceId) || this.#closed.signal.aborted) return;
    this.#confirming.add(deviceId);
    inBackground(
      this.#confirmedAddresses(deviceId)
        .then((addresses) => {
          if (!this.#closed.signal.aborted) this.#set(deviceId, addresses);
        })
        .finally(() => this.#confirming.delete(deviceId)),
    );
  }

  /** One address of each copy that has the key; empty if fewer than two machines are left. */
  async #confirmedAddresses(deviceId: string): Promise<string[]> {
    const copies = [...(this.#heard.get(deviceId)?.values() ?? [])];
    const addresses = await Promise.all(copies.map((copy) => this.#addressOf(deviceId, copy)));
    const found = [...new Set(addresses.filter((address) => address !== undefined))];
    return found.length + (deviceId === this.#options.ownId ? 1 : 0) >= 2 ? found : [];
  }

  async #addressOf(deviceId: string, { addresses, proved }: Copy): Promise<string | undefined> {
    const likeliestFirst = [...addresses].reverse().sort((a, b) => rankOf(a) - rankOf(b));
    if (proved) return likeliestFirst[0];
    for (const address of likeliestFirst) {
      if (await this.#options.confirm(deviceId, address, this.#closed.signal)) return address;
    }
    return undefined;
  }

  #set(deviceId: string, addresses: readonly string[]): void {
    if (isDeepStrictEqual(addresses, this.of(deviceId))) return;
    if (addresses.length === 0) this.#clones.delete(deviceId);
    else this.#clones.set(deviceId, addresses);
    for (const listener of [...this.#listeners]) listener();
  }
}

/** IPv4 first, which people recognise, and link-local addresses last. */
function rankOf(address: string): number {
  return address.includes("%") ? 2 : address.startsWith("[") ? 1 : 0;
}
