/** The scalars that a run fetched, step by step, in bounded memory. */
import type { ScalarCurve, ScalarSummary } from "../api/run-history.js";
import { ScalarSeries, scalarOf } from "../shared/scalar-series.js";
import type { NamedTensor } from "./tensors/tensor-store.js";

/** Curves per run. */
const MAX_CURVES = 32;

export class ScalarLog {
  readonly #series = new Map<string, ScalarSeries>();

  /** Adds the scalars among the results of a step. */
  add(step: number, results: readonly NamedTensor[]): void {
    for (const { name, tensor } of results) {
      const value = scalarOf(tensor);
      if (value === undefined) continue;
      let series = this.#series.get(name);
      if (series === undefined) {
        if (this.#series.size >= MAX_CURVES) continue;
        series = new ScalarSeries();
        this.#series.set(name, series);
      }
      series.add(step, value);
    }
  }

  /** Forgets the steps after this one: they are run again. */
  rewindTo(step: number): void {
    for (const series of this.#series.values()) series.rewindTo(step + 1);
  }

  get byteLength(): number {
    return [...this.#series.values()].reduce((sum, series) => sum + series.byteLength, 0);
  }

  curves(): ScalarCurve[] {
    return [...this.#series].map(([name, series]) => series.curve(name));
  }

  summaries(): ScalarSummary[] {
    return [...this.#series].map(([name, series]) => series.summary(name));
  }
}
