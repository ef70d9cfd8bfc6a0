/** Conditions on fetched scalars that end a run before its last step. */
import type { StopCondition } from "../api/runs.js";
import { scalarOf } from "../shared/scalar-series.js";
import type { NamedTensor } from "./tensors/tensor-store.js";

/** What ends the run after a step with these results, as a clause: "loss:0 fell below 0.01"; undefined if nothing does. */
export function metStop(
  stops: readonly StopCondition[],
  results: readonly NamedTensor[],
): string | undefined {
  for (const stop of stops) {
    const tensor = results.find(({ name }) => name === stop.tensor)?.tensor;
    const value = tensor && scalarOf(tensor);
    if (value !== undefined && holds(stop, value)) return text(stop, value);
  }
  return undefined;
}

function holds(stop: StopCondition, value: number): boolean {
  switch (stop.kind) {
    case "below":
      return value < stop.value;
    case "above":
      return value > stop.value;
    case "not-finite":
      return !Number.isFinite(value);
  }
}

function text(stop: StopCondition, value: number): string {
  switch (stop.kind) {
    case "below":
      return `${stop.tensor} fell below ${stop.value}`;
    case "above":
      return `${stop.tensor} rose above ${stop.value}`;
    case "not-finite":
      return `${stop.tensor} became ${Number.isNaN(value) ? "NaN" : "infinite"}`;
  }
}
