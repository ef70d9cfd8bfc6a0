/**
 * How many packets are read. Anybody on the network can send to the group as fast as it carries, and under any address;
 * reading takes processor time that tasks, tunnels and heartbeats need. Pure: the time is given.
 */
import { TokenBucket } from "../../shared/token-bucket.js";

/** Packets of one address in a second, and how many more at once: a machine sends a handful a minute. */
const EACH_PER_SECOND = 20;
const EACH_AT_ONCE = 60;
/** Packets of all strangers in a second; each takes a tenth of a millisecond. */
const ALL_PER_SECOND = 300;
const ALL_AT_ONCE = 600;
/** Addresses that are remembered; all are forgotten when there are more, which the limit for all together outlasts. */
const MOST_SOURCES = 4096;

export class PacketBudget {
  readonly #sources = new Map<string, TokenBucket>();
  readonly #strangers = new TokenBucket(ALL_PER_SECOND, ALL_AT_ONCE, 0);

  /**
   * Whether a packet is to be read.
   *
   * @param isPaired Whether a paired machine is known to be at the address: what strangers send does not shut it out.
   * @param now Milliseconds of a monotonic clock.
   */
  spend(source: string, isPaired: boolean, now: number): boolean {
    if (!isPaired && !this.#strangers.has(now)) return false;
    if (!this.#of(source, now).take(now)) return false;
    return isPaired || this.#strangers.take(now);
  }

  #of(source: string, now: number): TokenBucket {
    const known = this.#sources.get(source);
    if (known) return known;
    if (this.#sources.size >= MOST_SOURCES) this.#sources.clear();
    const bucket = new TokenBucket(EACH_PER_SECOND, EACH_AT_ONCE, now);
    this.#sources.set(source, bucket);
    return bucket;
  }
}
