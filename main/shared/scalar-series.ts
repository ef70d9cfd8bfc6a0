/** One scalar over the steps of a run or of a script, in bounded memory. */
import { dtypeKind } from "../../worker-runtime/protocol/dtype.js";
import type { Tensor } from "../../worker-runtime/protocol/tensor.js";
import type { ScalarCurve, ScalarSummary } from "../api/run-history.js";
import { defined } from "./problems.js";

/** Points per curve: more than a window has pixels. */
const MAX_POINTS = 2048;
/** Four numbers. */
const BYTES_PER_POINT = 32;
interface Extreme {
  readonly value: number;
  readonly step: number;
}

/**
 * One scalar over the steps of a run. Every step is a point until there are too many; then neighbouring points are
 * joined, and each stands for twice as many steps as before.
 */
export class ScalarSeries {
  #stepsPerPoint = 1;
  /** The last step of each point, its value, and the lowest and highest finite value of its steps (NaN: none). */
  #steps: number[] = [];
  #values: number[] = [];
  #low: number[] = [];
  #high: number[] = [];
  /** Steps in the newest point. */
  #inPoint = 0;
  #lowest: Extreme | undefined;
  #highest: Extreme | undefined;
  #notFinite = 0;

  add(step: number, value: number): void {
    const finite = Number.isFinite(value) ? value : Number.NaN;
    if (!Number.isFinite(value)) this.#notFinite += 1;
    else {
      if (this.#lowest === undefined || value < this.#lowest.value) this.#lowest = { value, step };
      if (this.#highest === undefined || value > this.#highest.value) this.#highest = { value, step };
    }
    const last = this.#steps.length - 1;
    if (last >= 0 && this.#inPoint < this.#stepsPerPoint) {
      this.#steps[last] = step;
      this.#values[last] = value;
      this.#low[last] = lower(this.#low[last], finite);
      this.#high[last] = higher(this.#high[last], finite);
      this.#inPoint += 1;
      return;
    }
    if (this.#steps.length === MAX_POINTS) this.#join();
    this.#steps.push(step);
    this.#values.push(value);
    this.#low.push(finite);
    this.#high.push(finite);
    this.#inPoint = 1;
  }

  /** Forgets the points from a step on: what writes them has gone back to a checkpoint. */
  rewindTo(step: number): void {
    const kept = this.#steps.findIndex((known) => known >= step);
    if (kept === -1) return;
    for (const list of [this.#steps, this.#values, this.#low, this.#high]) list.length = kept;
    this.#inPoint = this.#stepsPerPoint;
  }

  get byteLength(): number {
    return this.#steps.length * BYTES_PER_POINT;
  }

  curve(name: string): ScalarCurve {
    return {
      name,
      stepsPerPoint: this.#stepsPerPoint,
      steps: [...this.#steps],
      values: [...this.#values],
      low: [...this.#low],
      high: [...this.#high],
    };
  }

  summary(name: string): ScalarSummary {
    return defined({
      name,
      last: this.#values.at(-1) ?? Number.NaN,
      lowest: this.#lowest,
      highest: this.#highest,
      notFinite: this.#notFinite,
    });
  }

  #join(): void {
    const second = (_: number, index: number) => index % 2 === 1;
    const pairs = (values: readonly number[], join: (a: number | undefined, b: number) => number) =>
      values.filter(second).map((value, pair) => join(values[2 * pair], value));
    this.#low = pairs(this.#low, lower);
    this.#high = pairs(this.#high, higher);
    this.#steps = this.#steps.filter(second);
    this.#values = this.#values.filter(second);
    this.#stepsPerPoint *= 2;
  }
}

/** NaN only if both are. */
function lower(a = Number.NaN, b: number): number {
  return Number.isNaN(a) || b < a ? b : a;
}

function higher(a = Number.NaN, b: number): number {
  return Number.isNaN(a) || b > a ? b : a;
}

/** The number in a tensor of one real element; undefined for all others. */
export function scalarOf(tensor: Tensor): number | undefined {
  const isReal = !["string", "opaque", "complex"].includes(dtypeKind(tensor.dtype));
  return isReal && tensor.size === 1 ? Number(tensor.at(0)) : undefined;
}
