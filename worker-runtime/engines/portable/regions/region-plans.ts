import { Tensor } from "../../../protocol/tensor.js";
import { DeviceTensor } from "../gpu/device-tensor.js";
import { sameShape } from "../kernels/support/shapes.js";
import type { Value } from "../values.js";
import type { ConstantInputs } from "./constant-inputs.js";
import type { Plan } from "./plan.js";

/** Plans for different shapes; any further shapes stay with the kernels. */
export const MAX_PLANS = 8;

/** The facts about inputs of the same ranks. */
export interface RankState {
  runs: number;
  /** The number of measured runs, and the time of the shortest. */
  measured: number;
  bestMillis: number;
  plans: ReadyPlan[];
  /** A plan is being made. */
  making: Promise<void> | undefined;
  /** Whether no further plans are made. */
  isDecided: boolean;
  /** The size of the inputs for which kernels were chosen: the decision is reconsidered for larger ones. */
  decidedBytes: number;
}

/** A plan that is in use, and what its runs have shown. */
export interface ReadyPlan extends Plan {
  /** By slot, the values of `decidingInputs` for which it was made; empty if it is for all inputs of the same ranks. */
  readonly values: ReadonlyMap<number, Tensor>;
  /** The shapes of the inputs; undefined if the plan is for all inputs of the same ranks. */
  readonly shapes: readonly (readonly number[])[] | undefined;
  /** The time that the kernels took for inputs of `bytes` bytes. */
  readonly kernelMillis: number;
  readonly bytes: number;
  /** Plans for inputs that do not change; undefined on a GPU, where variables stay anyway. */
  readonly constantInputs: ConstantInputs | undefined;
  runs: number;
  bestMillis: number;
  /** Runs in a row after which a value that had stayed on the thread was copied to the host. */
  copiedRuns: number;
}

/** The inputs of one run, and their shapes. */
export interface GivenInputs {
  readonly inputs: readonly (Value | undefined)[];
  readonly shapes: readonly (readonly number[])[];
}

/** The plans of a region, by the ranks of its inputs. */
export class RegionPlans {
  readonly #byRanks = new Map<string, RankState>();
  /** Slots of `decidingInputs` that have changed: no further plan is made for their values. */
  readonly changing = new Set<number>();

  /** The facts about inputs of these ranks. */
  stateOf(shapes: readonly (readonly number[])[]): RankState {
    let key = "";
    for (const { length } of shapes) {
      key += `${length} `;
    }
    const known = this.#byRanks.get(key);
    if (known !== undefined) {
      return known;
    }
    const made: RankState = {
      runs: 0,
      measured: 0,
      bestMillis: Number.POSITIVE_INFINITY,
      plans: [],
      making: undefined,
      isDecided: false,
      decidedBytes: 0,
    };
    this.#byRanks.set(key, made);
    return made;
  }

  /** The plan for these inputs, whose sessions are alive. */
  planOf(state: RankState, given: GivenInputs): ReadyPlan | undefined {
    let found: ReadyPlan | undefined;
    const changed: ReadyPlan[] = [];
    for (const plan of state.plans) {
      if (!isForShapes(plan, given.shapes)) {
        continue;
      }
      if (plan.sessions.some(({ session }) => !session.isAlive)) {
        // Its thread ended because it was idle, or failed; so did those of the others.
        remove(state, plan);
        break;
      }
      if (this.#hasValues(plan, given.inputs)) {
        found = plan;
        break;
      }
      changed.push(plan);
    }
    if (changed.length > 0) {
      releaseChanged(state, changed);
    }
    return found;
  }

  #hasValues({ values }: ReadyPlan, inputs: GivenInputs["inputs"]): boolean {
    let hasAll = true;
    for (const [slot, value] of values) {
      if (!sameValue(value, inputs[slot])) {
        this.changing.add(slot);
        hasAll = false;
      }
    }
    return hasAll;
  }

  /** Discards all plans and everything that is known. */
  releaseAll(): void {
    for (const { plans } of this.#byRanks.values()) {
      plans.splice(0).forEach(releasePlan);
    }
    this.#byRanks.clear();
  }
}

function isForShapes(plan: ReadyPlan, shapes: GivenInputs["shapes"]): boolean {
  return plan.shapes?.every((shape, index) => sameShape(shape, shapes[index] ?? [])) ?? true;
}

function sameValue(known: Tensor, input: Value | undefined): boolean {
  return (
    input === known ||
    (input instanceof Tensor &&
      !(input instanceof DeviceTensor) &&
      sameShape(input.shape, known.shape) &&
      input.data.every((element, index) => element === known.data[index]))
  );
}

/** Releases a plan that turned out not to be worthwhile; none is made in its place. */
export function discard(state: RankState, plan: ReadyPlan): void {
  // A run that began before the plan was given up for another reason says nothing about those made since.
  if (remove(state, plan)) {
    state.isDecided = true;
  }
}

/** Gives up the plans of which a value has changed, and lets others be made in their place. */
function releaseChanged(state: RankState, changed: readonly ReadyPlan[]): void {
  if (state.plans.length >= MAX_PLANS) {
    state.isDecided = false;
  }
  for (const plan of changed) {
    remove(state, plan);
  }
}

/**
 * Releases the sessions of a plan, on which other steps may be running: what they have not yet sent to the device is run
 * by kernels.
 * @returns false if it has been removed before.
 */
function remove(state: RankState, plan: ReadyPlan): boolean {
  const index = state.plans.indexOf(plan);
  if (index < 0) {
    return false;
  }
  state.plans.splice(index, 1);
  releasePlan(plan);
  return true;
}

/** Whether a plan is made after all, because the inputs are much larger than those for which kernels were chosen. */
export function isReconsidered(state: RankState, bytes: number): boolean {
  if (bytes <= 2 * state.decidedBytes || state.plans.length >= MAX_PLANS) {
    return false;
  }
  state.isDecided = false;
  state.runs = 0;
  state.measured = 0;
  state.bestMillis = Number.POSITIVE_INFINITY;
  return true;
}

/** Makes inputs of these ranks stay with the kernels. */
export function keepKernels(state: RankState): void {
  state.isDecided = true;
  state.decidedBytes = Number.POSITIVE_INFINITY;
}

/** Releases a plan's sessions. */
export function releasePlan({ sessions, constantInputs }: Plan & Partial<ReadyPlan>): void {
  constantInputs?.release();
  for (const session of sessions) {
    session.release();
  }
}
