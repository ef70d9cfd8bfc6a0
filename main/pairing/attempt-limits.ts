/**
 * Who may begin a pairing now. Each try is a guess at one in a million, so what counts is how many there are: after three
 * wrong tries a machine waits for a growing pause, and so does everybody when many machines fail, since device IDs and IPv6
 * addresses are free. Pure: the time is given.
 */

/** Failures that cost nothing: the user may mistype, or give up. */
const FREE_FAILURES = 3;
const FREE_FAILURES_OF_ALL = 12;
const FIRST_PAUSE_MILLIS = 30_000;
const LONGEST_PAUSE_MILLIS = 60 * 60_000;
/** After so long without a failure, all is forgotten. */
const FORGET_MILLIS = 2 * LONGEST_PAUSE_MILLIS;
const MAX_KEYS = 2048;

interface Failures {
  count: number;
  /** Milliseconds of the given clock. */
  pausedUntil: number;
  lastAt: number;
}

const none = (): Failures => ({ count: 0, pausedUntil: 0, lastAt: Number.NEGATIVE_INFINITY });

export class AttemptLimits {
  /** By address and by device ID, which look different. */
  readonly #failures = new Map<string, Failures>();
  #ofAll = none();

  /**
   * How long somebody has to wait before the next attempt; 0: it may begin.
   *
   * @param keys Address and device ID: the longer pause counts.
   */
  pauseMillis(keys: readonly string[], now: number): number {
    const known = keys.flatMap((key) => this.#failures.get(key) ?? []);
    return Math.max(0, ...[...known, this.#ofAll].map(({ pausedUntil }) => pausedUntil - now));
  }

  /** Counts tries that failed, or one attempt that came to nothing. */
  failed(keys: readonly string[], now: number, count = 1): void {
    for (const key of keys) {
      if (!this.#failures.has(key) && this.#failures.size >= MAX_KEYS) this.#forgetOldest();
      this.#failures.set(key, counted(this.#failures.get(key) ?? none(), now, count, FREE_FAILURES));
    }
    this.#ofAll = counted(this.#ofAll, now, count, FREE_FAILURES_OF_ALL);
  }

  /** Paired: what was mistyped before is forgotten. */
  succeeded(keys: readonly string[]): void {
    for (const key of keys) this.#failures.delete(key);
    this.#ofAll = none();
  }

  #forgetOldest(): void {
    const oldest = [...this.#failures].sort(([, a], [, b]) => a.lastAt - b.lastAt)[0];
    if (oldest) this.#failures.delete(oldest[0]);
  }
}

function counted(before: Failures, now: number, count: number, free: number): Failures {
  const total = (now - before.lastAt > FORGET_MILLIS ? 0 : before.count) + count;
  const doublings = total - free;
  const pause = doublings < 0 ? 0 : Math.min(LONGEST_PAUSE_MILLIS, FIRST_PAUSE_MILLIS * 2 ** doublings);
  return {
    count: total,
    pausedUntil: Math.max(before.pausedUntil, pause === 0 ? 0 : now + pause),
    lastAt: now,
  };
}
