/**
 * Limits how many packets are read. Anyone on the network can send to the group at full speed and under any address;
 * reading takes CPU time that tasks, tunnels and heartbeats need. Pure: the time is passed in.
 */
import { TokenBucket } from "../../shared/token-bucket.js";

/** Packets per second from one address, and the burst above that: a machine sends a handful a minute. */
const EACH_PER_SECOND = 20;
const EACH_AT_ONCE = 60;
/** Packets per second from all unpaired machines; each takes a tenth of a millisecond. */
const ALL_PER_SECOND = 300;
const ALL_AT_ONCE = 600;
/**
 * Addresses that are remembered; when there are more, all are forgotten, which does not affect the limit for all
 * together.
 */
const MOST_SOURCES = 4096;

export class PacketBudget {
  readonly #sources = new Map<string, TokenBucket>();
  readonly #unpaired = new TokenBucket(ALL_PER_SECOND, ALL_AT_ONCE, 0);

  /**
   * Whether a packet is to be read.
   *
   * @param isPaired Whether a paired machine is known to be at the address: packets of unpaired machines do not crowd
   *   it out.
   * @param now Milliseconds of a monotonic clock.
   */
  spend(source: string, isPaired: boolean, now: number): boolean {
    if (!isPaired && !this.#unpaired.has(now)) return false;
    if (!this.#of(source, now).take(now)) return false;
    return isPaired || this.#unpaired.take(now);
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
