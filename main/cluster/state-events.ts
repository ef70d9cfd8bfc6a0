/** What changes in a moment is told together, and measurements alone no more often than they are made. */
const BETWEEN_CHANGES_MILLIS = 50;
const BETWEEN_MEASUREMENTS_MILLIS = 1000;

/** Decides when the windows are told of the cluster's state, which with many tasks is large. */
export class StateEvents {
  readonly #emit: () => void;
  #last = 0;
  #lastEmitMillis = 0;
  #due = Number.POSITIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  /** What the windows know apart from measurements. */
  #known = "";

  constructor(emit: () => void) {
    this.#emit = emit;
  }

  /** @param content The state without measurements: where it is as before, nothing is urgent. */
  changed(content: string): void {
    const isNews = content !== this.#known;
    this.#known = content;
    // The state of hundreds of tasks takes its time on the way to the windows, which is not to be all of the time.
    const between = isNews ? BETWEEN_CHANGES_MILLIS : BETWEEN_MEASUREMENTS_MILLIS;
    const due = this.#last + Math.max(between, 9 * this.#lastEmitMillis);
    if (due >= this.#due) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const wait = due - Date.now();
    if (wait <= 0) this.#tell();
    else {
      this.#due = due;
      this.#timer = setTimeout(() => this.#tell(), wait);
    }
  }

  dispose(): void {
    clearTimeout(this.#timer);
  }

  #tell(): void {
    const startedAt = Date.now();
    this.#due = Number.POSITIVE_INFINITY;
    this.#timer = undefined;
    this.#emit();
    this.#last = Date.now();
    this.#lastEmitMillis = this.#last - startedAt;
  }
}

/** What changes with every measurement, wherever it stands in the state. */
const measured = new Set([
  "metrics",
  "usedBytes",
  "busyPercent",
  "processes",
  "roundTripMillis",
  "clockOffsetMillis",
  "lastSeenAt",
]);

/** A state without its measurements, for comparison. */
export function withoutMeasurements(state: object): string {
  return JSON.stringify(state, (key, value: unknown) => (measured.has(key) ? undefined : value));
}
