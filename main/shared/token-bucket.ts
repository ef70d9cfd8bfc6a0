/**
 * A token bucket: an allowance that is used up and refills over time. Pure: the time is given, in milliseconds of a
 * monotonic clock.
 */
export class TokenBucket {
  readonly #perSecond: number;
  readonly #most: number;
  #left: number;
  #countedAt: number;

  /** Begins full. @param most Capacity: the allowance after a pause. */
  constructor(perSecond: number, most: number, now: number) {
    this.#perSecond = perSecond;
    this.#most = most;
    this.#left = most;
    this.#countedAt = now;
  }

  has(now: number): boolean {
    return this.#count(now) >= 1;
  }

  /** Takes one token; false if there was none. */
  take(now: number): boolean {
    if (!this.has(now)) return false;
    this.#left -= 1;
    return true;
  }

  /** Returns a token that should not count. */
  giveBack(now: number): void {
    this.#left = Math.min(this.#most, this.#count(now) + 1);
  }

  isFull(now: number): boolean {
    return this.#count(now) >= this.#most;
  }

  #count(now: number): number {
    this.#left = Math.min(this.#most, this.#left + ((now - this.#countedAt) / 1000) * this.#perSecond);
    this.#countedAt = now;
    return this.#left;
  }
}
