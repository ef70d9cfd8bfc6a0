/** Estimates the round trip to another machine and its clock, from requests that are answered at once. */

/** Samples of the last half minute; clock drift over that time is negligible. */
const KEPT_SAMPLES = 16;

interface Sample {
  readonly roundTripMillis: number;
  readonly offsetMillis: number;
}

export class ClockEstimate {
  #samples: Sample[] = [];

  /**
   * @param sentAt by our clock, milliseconds since the epoch.
   * @param roundTripMillis by a clock that cannot be set.
   * @param clockMillis what the other machine's clock said.
   */
  add(sentAt: number, roundTripMillis: number, clockMillis: number): void {
    // The answer is assumed to have been made halfway, as in NTP.
    const offsetMillis = clockMillis - (sentAt + roundTripMillis / 2);
    this.#samples = [...this.#samples, { roundTripMillis, offsetMillis }].slice(-KEPT_SAMPLES);
  }

  /** The median, which one slow answer does not move. */
  get roundTripMillis(): number | undefined {
    return median(this.#samples.map((sample) => sample.roundTripMillis));
  }

  /** Its clock minus ours, from the quickest answer: the shorter the round trip, the smaller the possible error. */
  get offsetMillis(): number | undefined {
    const quickest = this.#samples.reduce<Sample | undefined>(
      (best, sample) => (best && best.roundTripMillis <= sample.roundTripMillis ? best : sample),
      undefined,
    );
    return quickest && Math.round(quickest.offsetMillis);
  }
}

/** The middle one of the values; undefined when there is none. */
export function median(values: readonly number[]): number | undefined {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}
