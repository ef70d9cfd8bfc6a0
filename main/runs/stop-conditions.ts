/** Conditions on fetched scalars that end a run before its last step. */
import type { StopCondition } from "../api/runs.js";
import { scalarOf } from "../shared/scalar-series.js";
import type { NamedTensor } from "./tensors/tensor-store.js";

type NoImprovement = Extract<StopCondition, { kind: "no-improvement" }>;

/** The best value so far of a condition that waits for a better one. */
interface Best {
  readonly value: number;
  /** How often the tensor was fetched since. */
  readonly since: number;
}

/** The conditions of one run, with what those remember that compare several steps. */
export class StopConditions {
  readonly #stops: readonly StopCondition[];
  readonly #best = new Map<StopCondition, Best>();
  /** The condition that ended the run wants the best checkpoint back. */
  restoresBest = false;

  constructor(stops: readonly StopCondition[]) {
    this.#stops = stops;
  }

  /**
   * Takes the results of a step.
   *
   * @returns what ends the run after it, as a clause: "loss:0 fell below 0.01"; undefined if nothing does
   */
  met(results: readonly NamedTensor[]): string | undefined {
    let reason: string | undefined;
    // Each of them sees every step.
    for (const stop of this.#stops) {
      const tensor = results.find(({ name }) => name === stop.tensor)?.tensor;
      const value = tensor && scalarOf(tensor);
      if (value === undefined || !this.#holds(stop, value)) continue;
      reason ??= this.#text(stop, value);
      this.restoresBest ||= stop.kind === "no-improvement" && stop.restoresBest === true;
    }
    return reason;
  }

  #holds(stop: StopCondition, value: number): boolean {
    switch (stop.kind) {
      case "below":
        return value < stop.value;
      case "above":
        return value > stop.value;
      case "not-finite":
        return !Number.isFinite(value);
      case "no-improvement":
        return this.#isStuck(stop, value);
    }
  }

  #isStuck(stop: NoImprovement, value: number): boolean {
    const best = this.#best.get(stop);
    if (isBetter(stop.mode, value, best?.value, stop.minDelta)) {
      this.#best.set(stop, { value, since: 0 });
      return false;
    }
    const since = (best?.since ?? 0) + 1;
    this.#best.set(stop, { value: best?.value ?? Number.NaN, since });
    return since >= stop.patience;
  }

  #text(stop: StopCondition, value: number): string {
    switch (stop.kind) {
      case "below":
        return `${stop.tensor} fell below ${stop.value}`;
      case "above":
        return `${stop.tensor} rose above ${stop.value}`;
      case "not-finite":
        return `${stop.tensor} became ${Number.isNaN(value) ? "NaN" : "infinite"}`;
      case "no-improvement": {
        const { value: best, since } = this.#best.get(stop) ?? { value, since: 0 };
        const times = since === 1 ? "the next value" : `${since} values`;
        return `${stop.tensor} did not improve on ${Number(best.toPrecision(4))} in ${times}`;
      }
    }
  }
}

/** Whether a value is better than the best before by more than `minDelta`; NaN never is. */
export function isBetter(
  mode: "min" | "max",
  value: number,
  best: number | undefined,
  minDelta = 0,
): boolean {
  if (Number.isNaN(value)) return false;
  if (best === undefined || Number.isNaN(best)) return true;
  return mode === "min" ? value < best - minDelta : value > best + minDelta;
}
