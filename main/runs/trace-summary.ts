/** The parts of a traced step that a window shows. */
import type { GraphDef } from "../../protos/generated/tensorflow/graph.js";
import type { StepStats } from "../../protos/generated/tensorflow/step_stats.js";
import { chromeTrace } from "../../worker-runtime/session/trace/chrome-trace.js";
import { readStepStats, summariseNodes } from "../../worker-runtime/session/trace/step-stats.js";
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
 * Whether a step is traced. The first always is, so that every run shows where its nodes ran; with `trace`, one in
 * `traceEvery`, or by default all of a short run and part of a long one, which tracing every step would slow down.
 */
export function isTraced(
  step: number,
  { steps, trace, traceEvery }: { steps: number; trace: boolean; traceEvery?: number | undefined },
): boolean {
  if (step === 1) return true;
  if (!trace) return false;
  if (traceEvery !== undefined) return (step - 1) % traceEvery === 0;
  return steps <= TRACE_EVERY || step === steps || step % TRACE_EVERY === 0;
}

export function traceOf(stepStats: StepStats, step: number, graph: GraphDef): TracedStep {
  const trace = readStepStats(stepStats, graph);
  // Copies that TensorFlow makes of a node elsewhere would suggest that it ran in two places.
  const recorded = new Set(trace.nodes.filter((run) => run.recordedName === run.node).map((run) => run.node));
  const own = trace.nodes.filter((run) => run.recordedName === run.node || !recorded.has(run.node));
  return {
    step,
    nodes: summariseNodes({ ...trace, nodes: own }).map(
      ({ node, device, startMicros, durationMicros, outputBytes, peakBytes }) => ({
        ...{ node, device, startMicros, durationMicros, outputBytes },
        ...(peakBytes === undefined ? {} : { peakBytes }),
      }),
    ),
    transfers: trace.transfers.map(({ bytes, ...transfer }) =>
      bytes === undefined ? transfer : { ...transfer, bytes },
    ),
    memory: trace.memory.map(({ points, ...memory }) => ({ ...memory, points: [...points] })),
    computeMillis: trace.durationMicros / 1000,
    stepStats,
    graph,
  };
}

/** The step in Chrome's trace format, as JSON. */
export function chromeTraceOf({ stepStats, graph }: TracedStep): string {
  return JSON.stringify(chromeTrace(stepStats, graph));
}
