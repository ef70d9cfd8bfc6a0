/** Values that change faster than this cannot be read. */
const INTERVAL_MILLIS = 250;

/** Calls back at once when something important changed and otherwise at most four times a second, never too late. */
export class UpdateThrottle {
  readonly #emit: () => void;
  #last = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(emit: () => void) {
    this.#emit = emit;
  }

  /** Something changed that may wait. */
  soon(): void {
    const wait = this.#last + INTERVAL_MILLIS - Date.now();
    if (wait <= 0) this.now();
    else this.#timer ??= setTimeout(() => this.now(), wait);
  }

  /** Something changed that may not. */
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
