/** Work that is done in pieces. */
export interface Sliced {
  /** Works until `performance.now()` reaches the deadline. @returns whether there is more work to do immediately. */
  workUntil(deadlineMillis: number): boolean;
}

/** How long all steps together may block the thread that answers gRPC. */
const TURN_MILLIS = 4;

/**
 * Functions that call functions on the same stack; deeper ones wait their turn, so that the stack does not overflow.
 */
const MAX_NESTED = 40;

/**
 * Shares the thread between the steps that are running and everything else that it does. Work begins at once while the
 * turn of the event loop has time left, so that a small step is not delayed; the rest takes turns.
 */
export class TimeSlices {
  readonly #waiting: Sliced[] = [];
  #nested = 0;
  #turnEnd = 0;
  #isTurnOpen = false;

  /** Does the work, now or in turn with others. It must not be added again before `workUntil` has returned false. */
  run(work: Sliced): void {
    const now = performance.now();
    if (!this.#isTurnOpen) {
      this.#openTurn(now);
    }
    if (this.#nested < MAX_NESTED && this.#waiting.length === 0 && now < this.#turnEnd) {
      this.#work(work);
    } else {
      this.#waiting.push(work);
    }
  }

  #openTurn(now: number): void {
    this.#isTurnOpen = true;
    this.#turnEnd = now + TURN_MILLIS;
    setImmediate(() => this.#nextTurn());
  }

  #nextTurn(): void {
    this.#isTurnOpen = false;
    if (this.#waiting.length === 0) {
      return;
    }
    this.#openTurn(performance.now());
    // At least one piece, however late it is.
    do {
      const work = this.#waiting.shift();
      if (work !== undefined) {
        this.#work(work);
      }
    } while (this.#waiting.length > 0 && performance.now() < this.#turnEnd);
  }

  #work(work: Sliced): void {
    this.#nested += 1;
    try {
      if (work.workUntil(this.#turnEnd)) {
        this.#waiting.push(work);
      }
    } finally {
      this.#nested -= 1;
    }
  }
}

/** The slices of this thread. */
export const timeSlices = new TimeSlices();
