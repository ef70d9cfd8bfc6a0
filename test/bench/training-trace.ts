/** The transfers and the computing of a step, by its trace. */
import { StepStats } from "../../protos/generated/tensorflow/step_stats.js";
import { readStepStats, taskOfDevice, taskText } from "../../worker-runtime/index.js";
import { median } from "./report.js";

/** The shares of a step of a session. */
export interface StepShares {
  /** Sent from one task to another. */
  readonly bytes: number;
  /** While at least one tensor was on its way. */
  readonly transferMillis: number;
  /** While at least one node was computed. */
  readonly computeMillis: number;
}

/** Nodes that wait for other workers rather than compute. */
const WAITING = /^(?:Queue(?:Dequeue|Enqueue)|.*AccumulatorTakeGradient|Collective)/;
const MICROS_PER_MILLI = 1_000;

/**
 * The medians of several traced steps, but the most bytes: stock servers do not record transfers that end before the
 * request to record them has come, so that some of the steps lack some.
 * @param stats StepStats in base64
 */
export function sharesOf(stats: readonly string[]): StepShares {
  const steps = stats.map((text) => stepShares(StepStats.decode(Buffer.from(text, "base64"))));
  return {
    bytes: Math.max(...steps.map(({ bytes }) => bytes)),
    transferMillis: median(steps.map(({ transferMillis }) => transferMillis)),
    computeMillis: median(steps.map(({ computeMillis }) => computeMillis)),
  };
}

function stepShares(stats: StepStats): StepShares {
  const { nodes, transfers } = readStepStats(stats);
  const between = transfers.filter(({ fromDevice, toDevice }) => taskOf(fromDevice) !== taskOf(toDevice));
  return {
    bytes: between.reduce((sum, { bytes = 0 }) => sum + bytes, 0),
    transferMillis: covered(between) / MICROS_PER_MILLI,
    computeMillis: covered(nodes.filter(({ op }) => !WAITING.test(op))) / MICROS_PER_MILLI,
  };
}

function taskOf(device: string): string | undefined {
  const task = taskOfDevice(device);
  return task === undefined ? undefined : taskText(task);
}

interface Interval {
  readonly startMicros: number;
  readonly durationMicros: number;
}

/** How long at least one of the intervals lasts. */
function covered(intervals: readonly Interval[]): number {
  let total = 0;
  let until = Number.NEGATIVE_INFINITY;
  for (const { startMicros, durationMicros } of [...intervals].sort(
    (a, b) => a.startMicros - b.startMicros,
  )) {
    const end = startMicros + durationMicros;
    total += Math.max(0, end - Math.max(startMicros, until));
    until = Math.max(until, end);
  }
  return total;
}
