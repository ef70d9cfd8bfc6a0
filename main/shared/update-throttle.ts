/** Values that change faster than this cannot be read. */
const INTERVAL_MILLIS = 250;

/** Calls back at once after an important change and otherwise at most four times a second. */
export class UpdateThrottle {
  readonly #emit: () => void;
  #last = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(emit: () => void) {
    this.#emit = emit;
  }

  /** Reports a change that may wait. */
  soon(): void {
    const wait = this.#last + INTERVAL_MILLIS - Date.now();
    if (wait <= 0) this.now();
    else this.#timer ??= setTimeout(() => this.now(), wait);
  }

  /** Reports a change that may not wait. */
  now(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#last = Date.now();
    this.#emit();
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
