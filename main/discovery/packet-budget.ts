/**
 * How many packets are read. Anybody on the network can send to the group as fast as it carries, and under any address;
 * reading takes processor time that tasks, tunnels and heartbeats need. Pure: the time is given.
 */

/** Packets of one address in a second, and how many more at once: a machine sends a handful a minute. */
const EACH_PER_SECOND = 20;
const EACH_AT_ONCE = 60;
/** Packets of all strangers in a second; each takes a tenth of a millisecond. */
const ALL_PER_SECOND = 300;
const ALL_AT_ONCE = 600;
/** Addresses that are remembered; all are forgotten when there are more, which the limit for all together outlasts. */
const MOST_SOURCES = 4096;

interface Account {
  left: number;
  /** When it was counted last, in milliseconds of a monotonic clock. */
  at: number;
}

export class PacketBudget {
  readonly #sources = new Map<string, Account>();
  readonly #strangers: Account = { left: ALL_AT_ONCE, at: 0 };

  /**
   * Whether a packet is to be read.
   *
   * @param isPaired Whether a paired machine is known to be at the address: what strangers send does not shut it out.
   * @param now Milliseconds of a monotonic clock.
   */
  spend(source: string, isPaired: boolean, now: number): boolean {
    refill(this.#strangers, now, ALL_PER_SECOND, ALL_AT_ONCE);
    const account = this.#account(source, now);
    refill(account, now, EACH_PER_SECOND, EACH_AT_ONCE);
    if (account.left < 1 || (!isPaired && this.#strangers.left < 1)) return false;
    account.left -= 1;
    if (!isPaired) this.#strangers.left -= 1;
    return true;
  }

  #account(source: string, now: number): Account {
    const known = this.#sources.get(source);
    if (known) return known;
    if (this.#sources.size >= MOST_SOURCES) this.#sources.clear();
    const account = { left: EACH_AT_ONCE, at: now };
    this.#sources.set(source, account);
    return account;
  }
}

function refill(account: Account, now: number, perSecond: number, most: number): void {
  account.left = Math.min(most, account.left + ((now - account.at) / 1000) * perSecond);
  account.at = now;
}
