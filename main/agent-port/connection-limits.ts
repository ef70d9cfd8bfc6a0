/**
 * How many connections strangers may open. Anybody on the network can dial the agent's port, and each handshake costs
 * this machine a signature: without limits one of them could keep a Raspberry Pi busy, or hold every socket. An address
 * at which a paired machine was met has room for all the tunnels that a cluster opens at once. Pure: the time is given.
 */

/** How many handshakes may be under way at once. */
const MAX_HANDSHAKES = 128;
const MAX_HANDSHAKES_PER_ADDRESS = 48;
/** The same where a paired machine is: more than the tunnels of sixteen tasks to sixteen. */
const MAX_HANDSHAKES_OF_PAIRED = 512;
/** How long an address counts as a paired machine's after that was met there last. */
const PAIRED_MILLIS = 60 * 60_000;
/** Connections of strangers that one address may open at once, and how many a second after that. */
const BURST = 60;
const REFILL_PER_SECOND = 1;
/** Addresses remembered; more than any local network has, and bounded for an attacker with many. */
const MAX_ADDRESSES = 4096;

interface Account {
  handshakes: number;
  tokens: number;
  /** Until when it counts as a paired machine's. */
  pairedUntil: number;
  /** When tokens were counted last, in milliseconds of a monotonic clock. */
  countedAt: number;
}

export class ConnectionLimits {
  readonly #accounts = new Map<string, Account>();
  #handshakes = 0;

  /**
   * Whether an address may begin a handshake now. If so, `ended` must be called once when it is over.
   *
   * @param now Milliseconds of a monotonic clock.
   */
  begin(address: string, now: number): boolean {
    const account = this.#account(address, now);
    if (!account) return false;
    if (account.pairedUntil > now) {
      if (account.handshakes >= MAX_HANDSHAKES_OF_PAIRED) return false;
    } else {
      const isFull = this.#handshakes >= MAX_HANDSHAKES || account.handshakes >= MAX_HANDSHAKES_PER_ADDRESS;
      if (isFull || account.tokens < 1) return false;
      account.tokens -= 1;
    }
    account.handshakes++;
    this.#handshakes++;
    return true;
  }

  /** @param paired Whether a paired machine turned out to be there: its connection is not counted. */
  ended(address: string, paired: boolean, now: number): void {
    const account = this.#accounts.get(address);
    if (!account) return;
    account.handshakes--;
    this.#handshakes--;
    if (!paired) return;
    account.pairedUntil = now + PAIRED_MILLIS;
    account.tokens = Math.min(BURST, account.tokens + 1);
  }

  #account(address: string, now: number): Account | undefined {
    const known = this.#accounts.get(address);
    if (known) {
      known.tokens = Math.min(BURST, known.tokens + ((now - known.countedAt) / 1000) * REFILL_PER_SECOND);
      known.countedAt = now;
      return known;
    }
    if (this.#accounts.size >= MAX_ADDRESSES) this.#forgetRested(now);
    if (this.#accounts.size >= MAX_ADDRESSES) return undefined;
    const account = { handshakes: 0, tokens: BURST, countedAt: now, pairedUntil: 0 };
    this.#accounts.set(address, account);
    return account;
  }

  /** Forgets the strangers whose account would be full again. */
  #forgetRested(now: number): void {
    for (const [address, { handshakes, tokens, countedAt, pairedUntil }] of this.#accounts) {
      const isFull = tokens + ((now - countedAt) / 1000) * REFILL_PER_SECOND >= BURST;
      if (handshakes === 0 && isFull && pairedUntil <= now) this.#accounts.delete(address);
    }
  }
}
