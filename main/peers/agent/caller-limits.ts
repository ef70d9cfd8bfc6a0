import { problem } from "../../shared/problems.js";
import { TokenBucket } from "../../shared/token-bucket.js";

/**
 * How much of one kind of work each paired machine may have in progress here, so that none of them exhausts this one.
 */
export class CallerLimits {
  readonly #most: number;
  readonly #what: string;
  readonly #running = new Map<string, number>();

  /** @param what Names the work in the plural: "probes". */
  constructor(most: number, what: string) {
    this.#most = most;
    this.#what = what;
  }

  /**
   * Does work for a machine.
   *
   * @param held The amount that it already has here, besides the work in progress.
   * @throws ProblemError RESOURCE_EXHAUSTED when that would be too much; whatever the work throws.
   */
  async within<T>(caller: string, work: () => Promise<T>, held = 0): Promise<T> {
    const running = this.#running.get(caller) ?? 0;
    if (held + running >= this.#most) {
      throw problem("RESOURCE_EXHAUSTED", `One machine may have ${this.#most} ${this.#what} here, no more.`);
    }
    this.#running.set(caller, running + 1);
    try {
      return await work();
    } finally {
      const left = (this.#running.get(caller) ?? 1) - 1;
      if (left === 0) this.#running.delete(caller);
      else this.#running.set(caller, left);
    }
  }
}

/** How often each paired machine may ask for something here. */
export class CallerRates {
  readonly #perSecond: number;
  readonly #atOnce: number;
  readonly #buckets = new Map<string, TokenBucket>();

  /** @param atOnce After a rest. */
  constructor(perSecond: number, atOnce: number) {
    this.#perSecond = perSecond;
    this.#atOnce = atOnce;
  }

  /**
   * Counts a call. There are as many entries as machines that were ever paired in the life of this process.
   *
   * @param now Milliseconds of a monotonic clock.
   * @throws ProblemError RESOURCE_EXHAUSTED when the machine called too often.
   */
  count(caller: string, now: number): void {
    const bucket = this.#buckets.get(caller) ?? new TokenBucket(this.#perSecond, this.#atOnce, now);
    this.#buckets.set(caller, bucket);
    if (bucket.take(now)) return;
    throw problem("RESOURCE_EXHAUSTED", `One machine may call ${this.#perSecond} times a second, no more.`);
  }
}
