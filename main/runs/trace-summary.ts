/** The parts of a traced step that a window shows. */
import type { GraphDef } from "../../protos/generated/tensorflow/graph.js";
import { StepStats } from "../../protos/generated/tensorflow/step_stats.js";
import { chromeTrace } from "../../worker-runtime/session/trace/chrome-trace.js";
import {
  readStepStats,
  type StepTrace,
  summariseNodes,
} from "../../worker-runtime/session/trace/step-stats.js";
import type { NodeRun, Transfer } from "../api/runs.js";
import type { DeviceMemory } from "../api/traces.js";

/** The results of a run's newest traced step. */
export interface TracedStep {
  /** 1-based number of the step. */
  readonly step: number;
  readonly nodes: NodeRun[];
  readonly transfers: Transfer[];
  readonly memory: DeviceMemory[];
  /** From the start of the first node to the end of the last. */
  readonly computeMillis: number;
  readonly stepStats: StepStats;
  readonly graph: GraphDef;
}

/** In a long traced run, one in this many steps is traced. */
const TRACE_EVERY = 50;

/**
 * By then most of what happens only once has happened: placing and registering the graph, filling caches, compiling the code
 * of kernels, and, in the portable engine, making sessions.
 */
const WARM_STEP = 20;

/** The later of the two steps that every run has traced, of a run of so many steps. */
export function warmStepOf(steps: number): number {
  return Math.min(WARM_STEP, steps);
}

/**
 * Decides which steps are traced. Every run has its first step traced, so that it shows at once where its nodes run, and a later
 * one, whose times are those of most steps. With `trace`, one in `traceEvery` is, too, or by default all of a short run and
 * part of a long one, which tracing every step would slow down.
 */
export function isTraced(
  step: number,
  { steps, trace, traceEvery }: { steps: number; trace: boolean; traceEvery?: number | undefined },
): boolean {
  if (step === 1 || step === warmStepOf(steps)) return true;
  if (!trace) return false;
  if (traceEvery !== undefined) return (step - 1) % traceEvery === 0;
  return steps <= TRACE_EVERY || step === steps || step % TRACE_EVERY === 0;
}

/** @param parts what was recorded, one for each session run that the step consists of; at least one */
export function traceOf(parts: readonly StepStats[], step: number, graph: GraphDef): TracedStep {
  const stepStats = StepStats.fromPartial({ devStats: parts.flatMap(({ devStats }) => devStats) });
  const trace = readStepStats(stepStats, graph);
  // Copies that TensorFlow makes of a node elsewhere would suggest that it ran in two places.
  const recorded = new Set(trace.nodes.filter((run) => run.recordedName === run.node).map((run) => run.node));
  const own = trace.nodes.filter((run) => run.recordedName === run.node || !recorded.has(run.node));
  return {
    step,
    nodes: summariseNodes({ ...trace, nodes: own }).map(
      ({ node, device, startMicros, durationMicros, outputBytes, peakBytes, together }) => ({
        ...{ node, device, startMicros, durationMicros, outputBytes },
        ...(peakBytes === undefined ? {} : { peakBytes }),
        ...(together === undefined ? {} : { together }),
      }),
    ),
    transfers: transfersOf(parts, trace, graph).map(({ bytes, ...transfer }) =>
      bytes === undefined ? transfer : { ...transfer, bytes },
    ),
    memory: trace.memory.map(({ points, ...memory }) => ({ ...memory, points: [...points] })),
    computeMillis: trace.durationMicros / 1000,
    stepStats,
    graph,
  };
}

/** The transfers of each session run by itself: what one has made is not sent to the readers of another one. */
function transfersOf(
  parts: readonly StepStats[],
  whole: StepTrace,
  graph: GraphDef,
): readonly StepTrace["transfers"][number][] {
  if (parts.length === 1) return whole.transfers;
  return parts
    .flatMap((part) => {
      const { transfers, epochMicros } = readStepStats(part, graph);
      const laterMicros = Math.max(0, epochMicros - whole.epochMicros);
      return transfers.map((one) => ({ ...one, startMicros: one.startMicros + laterMicros }));
    })
    .sort((one, other) => one.startMicros - other.startMicros);
}

/** The step in Chrome's trace format, as JSON. */
export function chromeTraceOf({ stepStats, graph }: TracedStep): string {
  return JSON.stringify(chromeTrace(stepStats, graph));
}
