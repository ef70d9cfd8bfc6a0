/**
 * Limits who may start a pairing. Each try guesses one code in a million, so the number of tries matters: after three
 * wrong tries a machine waits for a growing pause. Device IDs and IPv6 addresses are free, so when many machines fail,
 * those that have not failed take turns, one a minute: they get through, and an attacker who makes up machines guesses
 * no faster. Pure: the time is passed in.
 */

/** Failures without a penalty: the user may mistype or cancel. */
const FREE_FAILURES = 3;
const FREE_FAILURES_OF_ALL = 12;
const FIRST_PAUSE_MILLIS = 30_000;
const LONGEST_PAUSE_MILLIS = 60 * 60_000;
/** While many fail, one machine that has not failed may start per interval. */
const TURN_MILLIS = 60_000;
/** After this long without a failure, the counts are reset. */
const FORGET_MILLIS = 2 * LONGEST_PAUSE_MILLIS;
const MAX_KEYS = 2048;

interface Failures {
  count: number;
  /** Milliseconds of the given clock. */
  pausedUntil: number;
  lastAt: number;
}

/** Why a machine has to wait, and for how long. */
export interface Wait {
  readonly millis: number;
  readonly because: "own failures" | "others' failures";
}

const none = (): Failures => ({ count: 0, pausedUntil: 0, lastAt: Number.NEGATIVE_INFINITY });

export class AttemptLimits {
  /** Keyed by address and by device ID, which cannot collide. */
  readonly #failures = new Map<string, Failures>();
  #ofAll = { count: 0, lastAt: Number.NEGATIVE_INFINITY };
  /** When the next machine may begin while many fail. */
  #nextTurn = Number.NEGATIVE_INFINITY;

  /**
   * How long a machine has to wait before the next attempt; undefined if it may start.
   *
   * @param keys Address and device ID: the longer pause counts.
   */
  waitOf(keys: readonly string[], now: number): Wait | undefined {
    const known = keys.flatMap((key) => this.#failures.get(key) ?? []);
    const pause = Math.max(0, ...known.map(({ pausedUntil }) => pausedUntil - now));
    if (pause > 0) return { millis: pause, because: "own failures" };
    const turn = this.#nextTurn - now;
    return this.#isCrowded(now) && turn > 0 ? { millis: turn, because: "others' failures" } : undefined;
  }

  /** Counts an attempt that starts. */
  begun(now: number): void {
    if (this.#isCrowded(now)) this.#nextTurn = now + TURN_MILLIS;
  }

  /** Whether there were more failures than are allowed without a penalty. */
  isInArrears(keys: readonly string[]): boolean {
    return keys.some((key) => (this.#failures.get(key)?.count ?? 0) >= FREE_FAILURES);
  }

  /** Counts tries that failed, or one attempt that was abandoned. */
  failed(keys: readonly string[], now: number, count = 1): void {
    for (const key of keys) {
      if (!this.#failures.has(key) && this.#failures.size >= MAX_KEYS) this.#forgetOldest();
      this.#failures.set(key, counted(this.#failures.get(key) ?? none(), now, count));
    }
    this.#ofAll = { count: total(this.#ofAll, now, count), lastAt: now };
  }

  /** Paired: earlier failures are forgotten. */
  succeeded(keys: readonly string[]): void {
    for (const key of keys) this.#failures.delete(key);
    this.#ofAll = { count: 0, lastAt: Number.NEGATIVE_INFINITY };
  }

  #isCrowded(now: number): boolean {
    return total(this.#ofAll, now, 0) >= FREE_FAILURES_OF_ALL;
  }

  #forgetOldest(): void {
    const oldest = [...this.#failures].sort(([, a], [, b]) => a.lastAt - b.lastAt)[0];
    if (oldest) this.#failures.delete(oldest[0]);
  }
}

function counted(before: Failures, now: number, count: number): Failures {
  const all = total(before, now, count);
  const doublings = all - FREE_FAILURES;
  const pause = doublings < 0 ? 0 : Math.min(LONGEST_PAUSE_MILLIS, FIRST_PAUSE_MILLIS * 2 ** doublings);
  return {
    count: all,
    pausedUntil: Math.max(before.pausedUntil, pause === 0 ? 0 : now + pause),
    lastAt: now,
  };
}

function total(before: Pick<Failures, "count" | "lastAt">, now: number, more: number): number {
  return (now - before.lastAt > FORGET_MILLIS ? 0 : before.count) + more;
}
