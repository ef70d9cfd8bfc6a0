/** The traced steps of a run, in bounded memory. */
import type { StepTrace } from "../api/traces.js";
import type { TracedStep } from "./trace-summary.js";

/** Steps that are kept of a run: the first one, and the newest. */
const MAX_STEPS = 8;
/** The most bytes of all steps of a run but the newest. */
const MAX_BYTES = 16 << 20;
/** A node or transfer of a trace, with its names. */
const BYTES_PER_RECORD = 200;
const BYTES_PER_POINT = 16;

export class TraceLog {
  /** In the order of their steps. */
  #steps: readonly StepTrace[] = [];

  add(
    { step, nodes, transfers, memory, computeMillis }: TracedStep,
    timing: { readonly millis: number; readonly registeredGraph: boolean },
  ): void {
    const { millis: stepMillis, registeredGraph } = timing;
    const added = { step, nodes, transfers, memory, computeMillis, stepMillis, registeredGraph };
    const [first, ...others] = this.#steps;
    let kept = [...(first ? [first] : []), ...others.slice(-(MAX_STEPS - 2))];
    // The first one, which includes registering the graph, is what others are compared with.
    while (kept.length > 1 && sizeOf(kept) > MAX_BYTES) kept = [...kept.slice(0, 1), ...kept.slice(2)];
    if (sizeOf(kept) > MAX_BYTES) kept = [];
    this.#steps = [...kept, added];
  }

  /** Forgets the steps after this one: they are run again. */
  rewindTo(step: number): void {
    this.#steps = this.#steps.filter((trace) => trace.step <= step);
  }

  get all(): readonly StepTrace[] {
    return this.#steps;
  }

  get newest(): StepTrace | undefined {
    return this.#steps.at(-1);
  }

  find(step: number): StepTrace | undefined {
    return this.#steps.find((trace) => trace.step === step);
  }

  /** About how much memory they take. */
  get byteLength(): number {
    return sizeOf(this.#steps);
  }
}

function sizeOf(steps: readonly StepTrace[]): number {
  return steps.reduce(
    (sum, { nodes, transfers, memory }) =>
      sum +
      BYTES_PER_RECORD * (1 + nodes.length + transfers.length) +
      BYTES_PER_POINT * memory.reduce((points, device) => points + device.points.length, 0),
    0,
  );
}
