/** An allowance that is used up and comes back with time. Pure: the time is given, in milliseconds of a monotonic clock. */
export class TokenBucket {
  readonly #perSecond: number;
  readonly #most: number;
  #left: number;
  #countedAt: number;

  /** Begins full. @param most What there is at once after a rest. */
  constructor(perSecond: number, most: number, now: number) {
    this.#perSecond = perSecond;
    this.#most = most;
    this.#left = most;
    this.#countedAt = now;
  }

  has(now: number): boolean {
    return this.#count(now) >= 1;
  }

  /** Whether there was one to take. */
  take(now: number): boolean {
    if (!this.has(now)) return false;
    this.#left -= 1;
    return true;
  }

  /** Puts back what was taken and should not count. */
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
