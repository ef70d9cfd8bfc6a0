/**
 * Limits the connections of unpaired machines. Anyone on the network can dial the agent's port, and each handshake
 * costs this machine a signature: without limits one of them could keep a Raspberry Pi busy, or occupy every socket.
 * The caller is known only after the handshake; so an address at which a paired machine has proved its key, which is
 * remembered across restarts, has slots of its own that no other address can take, enough for all the tunnels that a
 * cluster opens at once. Among the others the newest connection is admitted, and the oldest one of the address with the
 * most connections is closed: a legitimate handshake takes only moments. Pure: the time is given, in milliseconds of a
 * monotonic clock.
 */
import { TokenBucket } from "../../shared/token-bucket.js";

/** How many handshakes of unpaired machines may be in progress at once. */
const MAX_HANDSHAKES = 128;
const MAX_HANDSHAKES_PER_ADDRESS = 48;
/** The same for the address of a paired machine: more than the tunnels of sixteen tasks to sixteen. */
const MAX_HANDSHAKES_OF_PAIRED = 512;
/** With more handshakes than this in progress, those that take longer than the time below are ended. */
const PRESSING_HANDSHAKES = MAX_HANDSHAKES / 2;
const PRESSING_MILLIS = 2000;
/** How long an address counts as one of a machine that a paired machine has vouched for. */
const VOUCHED_MILLIS = 60 * 60_000;
/** Unpaired connections that one address may open in a burst, and how many per second after that. */
const BURST = 60;
const REFILL_PER_SECOND = 1;
/** Addresses remembered; more than any local network has, and bounded for an attacker with many. */
const MAX_ADDRESSES = 4096;

interface Account {
  /** Keys of the handshakes in progress, the oldest first. */
  readonly handshakes: Set<string>;
  readonly allowance: TokenBucket;
  /** Until when it counts as an address of a paired machine without being remembered as one. */
  vouchedUntil: number;
}

interface Handshake {
  readonly address: string;
  readonly since: number;
  /** Whether it has one of the slots reserved for paired machines. */
  readonly reserved: boolean;
}

export interface Admission {
  readonly admitted: boolean;
  /** Handshakes to end to make room. They no longer count. */
  readonly evicted: readonly string[];
}

const REFUSED: Admission = { admitted: false, evicted: [] };

export class ConnectionLimits {
  readonly #isPairedAddress: (address: string) => boolean;
  readonly #accounts = new Map<string, Account>();
  /** All that are in progress, the oldest first. */
  readonly #handshakes = new Map<string, Handshake>();
  #unpairedCount = 0;

  /** @param isPairedAddress Whether a paired machine was seen at an address. */
  constructor(isPairedAddress: (address: string) => boolean = () => false) {
    this.#isPairedAddress = isPairedAddress;
  }

  /** Whether an address may start a handshake now. If so, call `ended` when it is over. */
  begin(key: string, address: string, now: number): Admission {
    const account = this.#account(address, now);
    const reserved = account.vouchedUntil > now || this.#isPairedAddress(address);
    if (reserved) {
      if (account.handshakes.size >= MAX_HANDSHAKES_OF_PAIRED) return REFUSED;
    } else if (account.handshakes.size >= MAX_HANDSHAKES_PER_ADDRESS || !account.allowance.take(now)) {
      return REFUSED;
    }
    const evicted = reserved ? [] : this.#makeRoom(now);
    account.handshakes.add(key);
    this.#handshakes.set(key, { address, since: now, reserved });
    if (!reserved) this.#unpairedCount++;
    return { admitted: true, evicted };
  }

  /**
   * May be called for one that was evicted, which does nothing.
   *
   * @param paired Whether a paired machine, or one that it vouches for, was at the other end: the connection is
   * not counted.
   */
  ended(key: string, paired: boolean, now: number): void {
    const handshake = this.#handshakes.get(key);
    const account = handshake && this.#accounts.get(handshake.address);
    this.#forget(key);
    if (!account || !paired) return;
    account.vouchedUntil = now + VOUCHED_MILLIS;
    account.allowance.giveBack(now);
  }

  #forget(key: string): void {
    const handshake = this.#handshakes.get(key);
    if (!handshake) return;
    this.#handshakes.delete(key);
    this.#accounts.get(handshake.address)?.handshakes.delete(key);
    if (!handshake.reserved) this.#unpairedCount--;
  }

  #makeRoom(now: number): string[] {
    const evicted: string[] = [];
    const evict = (key: string) => {
      evicted.push(key);
      this.#forget(key);
    };
    if (this.#unpairedCount >= PRESSING_HANDSHAKES) {
      for (const [key, { since, reserved }] of this.#handshakes) {
        if (now - since < PRESSING_MILLIS) break;
        if (!reserved) evict(key);
      }
    }
    const most = this.#unpairedCount >= MAX_HANDSHAKES ? this.#oldestOfLargest() : undefined;
    if (most !== undefined) evict(most);
    return evicted;
  }

  /** The oldest handshake of the unpaired address that has the most. */
  #oldestOfLargest(): string | undefined {
    let largest: string | undefined;
    let size = 0;
    for (const [key, { address, reserved }] of this.#handshakes) {
      const held = this.#accounts.get(address)?.handshakes.size ?? 0;
      if (reserved || held <= size) continue;
      largest = key;
      size = held;
    }
    return largest;
  }

  #account(address: string, now: number): Account {
    const known = this.#accounts.get(address);
    if (known) return known;
    if (this.#accounts.size >= MAX_ADDRESSES) this.#forgetRested(now);
    const account = {
      handshakes: new Set<string>(),
      allowance: new TokenBucket(REFILL_PER_SECOND, BURST, now),
      vouchedUntil: 0,
    };
    this.#accounts.set(address, account);
    return account;
  }

  /** Drops those whose budget is full again; if all are in use, the oldest idle one. */
  #forgetRested(now: number): void {
    let longest: string | undefined;
    for (const [address, { handshakes, allowance, vouchedUntil }] of this.#accounts) {
      if (handshakes.size > 0 || vouchedUntil > now) continue;
      if (allowance.isFull(now)) this.#accounts.delete(address);
      else longest ??= address;
    }
    if (this.#accounts.size >= MAX_ADDRESSES && longest !== undefined) this.#accounts.delete(longest);
  }
}
