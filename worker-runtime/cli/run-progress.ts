const FIRST_WORD_MILLIS = 3_000;
const BETWEEN_WORDS_MILLIS = 10_000;

/** Prints to standard error what a run waits for, once that takes long. */
export class RunProgress {
  readonly #write: (text: string) => void;
  #phase = "";
  #since = performance.now();
  #timer: NodeJS.Timeout | undefined;
  #said: string | undefined;

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  /** Sets the current phase, "Waiting for /job:worker/task:1". */
  enter(phase: string): void {
    this.#phase = phase;
    this.#since = performance.now();
    if (this.#timer === undefined) this.#plan(FIRST_WORD_MILLIS);
  }

  /** Ends the wait. */
  end(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #plan(millis: number): void {
    this.#timer = setTimeout(() => {
      const seconds = Math.round((performance.now() - this.#since) / 1000);
      const text = seconds > 0 ? `${this.#phase} (${seconds} s)` : this.#phase;
      if (text !== this.#said) this.#write(`${text} …\n`);
      this.#said = text;
      this.#plan(BETWEEN_WORDS_MILLIS);
    }, millis);
    this.#timer.unref();
  }
}
