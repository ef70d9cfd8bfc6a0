/** The trace of a step from the application, in parts between which the window reacts to input. */
import type { NodeRun, Transfer } from "../../main/api/runs.js";
import { eventsOf } from "../../main/api/trace-columns.js";
import type { StepTrace } from "../../main/api/traces.js";
import { client } from "../transport/client.js";
import type { TraceRef } from "./timeline-store.js";

export interface LoadOptions {
  /** Ends the loading after the present part. */
  readonly signal: AbortSignal;
  /** Gets the share of the events that is here, below 1. */
  onProgress(share: number): void;
}

/** The traced step that an update tells of. */
export function tracedPartOf(trace: StepTrace) {
  const { step, nodes, transfers, stepMillis, registeredGraph, computeMillis } = trace;
  return {
    ...{ nodes, transfers, computeMillis, tracedStep: step },
    ...{ tracedStepMillis: stepMillis, tracedStepRegisteredGraph: registeredGraph },
  };
}

/** Rejects with the reason of the signal when it is aborted. */
export async function loadTrace(
  { runId, step }: TraceRef,
  { signal, onProgress }: LoadOptions,
): Promise<StepTrace> {
  const { nodeCount, transferCount, ...head } = await client().call("runs.trace", { runId, step });
  const nodes: NodeRun[] = [];
  const transfers: Transfer[] = [];
  const wanted = nodeCount + transferCount;
  for (let from = 0; from < wanted; from = nodes.length + transfers.length) {
    signal.throwIfAborted();
    onProgress(from / wanted);
    const part = eventsOf(await client().call("runs.traceEvents", { runId, step, from }));
    for (const node of part.nodes) nodes.push(node);
    for (const transfer of part.transfers) transfers.push(transfer);
    if (part.nodes.length + part.transfers.length === 0) break;
  }
  signal.throwIfAborted();
  return { ...head, nodes, transfers };
}
