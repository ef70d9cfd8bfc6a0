import type { GraphDef } from "../../../protos/generated/tensorflow/graph.js";
import type { StepStats } from "../../../protos/generated/tensorflow/step_stats.js";
import { roleOf, structureOf } from "../../graph/structural-ops.js";
import { alignRecords } from "./aligned-records.js";
import { collectiveTransfers } from "./collective-transfers.js";
import { completeTransfers } from "./crossings.js";
import { deviceCopies } from "./device-copies.js";
import { type DeviceMemory, deviceMemory } from "./device-memory.js";
import { userNodeName } from "./node-names.js";
import { parseNodeLabel, parseTransferLabel } from "./timeline-label.js";
import type { NodeTiming, TransferTiming } from "./timings.js";
import {
  isKernelLane,
  isTransfer,
  outputBytesOf,
  outputsOf,
  peakBytesOf,
  recordsOf,
  type TraceRecord,
} from "./trace-record.js";

/** A step's statistics in terms of the user's graph. */
export interface StepTrace {
  /** The start of the first record, in microseconds since 1970 by the clock of the first task. */
  readonly epochMicros: number;
  /** From the start of the first record to the end of the last one. */
  readonly durationMicros: number;
  /** Sorted by start. A node that ran several times, as in a loop, has one entry per run. */
  readonly nodes: readonly NodeTiming[];
  readonly transfers: readonly TransferTiming[];
  /** All devices that recorded anything, sorted. */
  readonly devices: readonly string[];
  /** How far each task's clock was shifted, in microseconds; unshifted tasks are not listed. */
  readonly clockOffsets: ReadonlyMap<string, number>;
  /** The step's allocations, by device. */
  readonly memory: readonly DeviceMemory[];
}

/** Whether TensorFlow adds nodes of the op for its own purposes. */
function isRuntimeOp(op: string): boolean {
  return roleOf(op) === "transfer" || structureOf(op).boundary !== undefined;
}

function nodeTiming(
  record: TraceRecord,
  start: number,
  known: ReadonlySet<string> | undefined,
): NodeTiming | undefined {
  const { stats, device } = record;
  const recordedName = stats.nodeName;
  const label = parseNodeLabel(stats.timelineLabel);
  const op = label?.op ?? "";
  if (recordedName.startsWith("_S") || isRuntimeOp(op) || /^(?:MEMCPY|MEMSET)/i.test(recordedName))
    return undefined;
  const node = userNodeName(recordedName, known);
  if (node === undefined) return undefined;
  return {
    node,
    recordedName,
    op,
    inputs: label?.inputs ?? [],
    device,
    startMicros: start,
    durationMicros: record.durationMicros,
    together: label?.together,
    outputBytes: outputBytesOf(stats),
    peakBytes: peakBytesOf(stats),
    outputs: outputsOf(stats),
    threadId: stats.threadId,
  };
}

/** The output of `node` that is sent to another device: known if the graph uses only one of them. */
function outputOf(node: string, outputs: ReadonlyMap<string, ReadonlySet<number>>): number {
  const used = outputs.get(node);
  const [only] = used ?? [];
  return used?.size === 1 && only !== undefined ? only : 0;
}

function usedOutputs(graph: GraphDef): Map<string, Set<number>> {
  const used = new Map<string, Set<number>>();
  for (const { input } of graph.node) {
    for (const edge of input) {
      if (edge.startsWith("^")) continue;
      const [, name = "", output = "0"] = /^(.*?)(?::(\d+))?$/.exec(edge) ?? [];
      const outputs = used.get(name) ?? new Set();
      used.set(name, outputs.add(Number(output)));
    }
  }
  return used;
}

function transferTiming(
  record: TraceRecord,
  start: number,
  known: ReadonlySet<string> | undefined,
  outputs: ReadonlyMap<string, ReadonlySet<number>>,
): TransferTiming {
  const label = parseTransferLabel(record.stats.timelineLabel);
  const node = label === undefined ? "" : (userNodeName(label.node, known) ?? label.node);
  return {
    tensor: node === "" ? "" : `${node}:${outputOf(node, outputs)}`,
    fromDevice: label?.fromDevice ?? "",
    toDevice: label?.toDevice ?? record.device,
    startMicros: start,
    durationMicros: record.durationMicros,
    bytes: outputBytesOf(record.stats) || (label?.bytes ?? 0),
    timed: true,
  };
}

/**
 * Reads where and when each node ran from a step's `RunMetadata.step_stats`.
 *
 * @param graph the graph as it was sent; if given, names that TensorFlow changed are mapped back to the user's nodes,
 *   and nodes that are not the user's are omitted
 */
export function readStepStats(stats: StepStats, graph?: GraphDef): StepTrace {
  const known = graph && new Set(graph.node.map((node) => node.name));
  const outputs = graph ? usedOutputs(graph) : new Map<string, Set<number>>();
  const { records: all, clockOffsets } = alignRecords(recordsOf(stats));
  const records = all.filter((record) => !isKernelLane(record.device));
  let first = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  for (const record of records) {
    first = Math.min(first, record.startMicros);
    last = Math.max(last, record.startMicros + record.durationMicros);
  }
  const nodes: NodeTiming[] = [];
  const recorded: TransferTiming[] = [];
  for (const record of records) {
    const start = record.startMicros - first;
    if (isTransfer(record)) {
      recorded.push(transferTiming(record, start, known, outputs));
    } else {
      const node = nodeTiming(record, start, known);
      if (node !== undefined) nodes.push(node);
    }
  }
  const byStart = (a: { startMicros: number }, b: { startMicros: number }): number =>
    a.startMicros - b.startMicros;
  return {
    epochMicros: records.length === 0 ? 0 : first,
    durationMicros: records.length === 0 ? 0 : last - first,
    nodes: nodes.sort(byStart),
    transfers: [
      ...(graph
        ? [...completeTransfers(nodes, recorded, graph), ...collectiveTransfers(nodes, graph)]
        : recorded),
      ...deviceCopies(all, first),
    ].sort(byStart),
    devices: [...new Set(records.map((record) => record.device))].sort(),
    clockOffsets,
    memory: deviceMemory(records, first),
  };
}

/** All runs of a node on one device combined. */
export interface NodeSummary {
  readonly node: string;
  readonly op: string;
  readonly device: string;
  /** The start of the first run. */
  readonly startMicros: number;
  /** The total of all runs. */
  readonly durationMicros: number;
  readonly outputBytes: number;
  /** The most that a run held at one time of what it allocated; undefined if none was recorded. */
  readonly peakBytes: number | undefined;
  /** As `NodeTiming.together`, of its largest region. */
  readonly together: number | undefined;
  readonly runs: number;
}

/** One entry for each node and device, in the order of their first runs. */
export function summariseNodes(trace: StepTrace): NodeSummary[] {
  const summaries = new Map<string, NodeSummary>();
  for (const {
    node,
    op,
    device,
    startMicros,
    durationMicros,
    outputBytes,
    peakBytes,
    together,
    recordedName,
  } of trace.nodes) {
    const key = `${device}\n${node}`;
    const before = summaries.get(key);
    summaries.set(key, {
      node,
      // The node itself determines the op; nodes derived from it may have another one.
      op: before === undefined || recordedName === node ? op : before.op,
      device,
      startMicros: before?.startMicros ?? startMicros,
      durationMicros: (before?.durationMicros ?? 0) + durationMicros,
      outputBytes: (before?.outputBytes ?? 0) + outputBytes,
      peakBytes: mostOf(peakBytes, before?.peakBytes),
      together: mostOf(together, before?.together),
      runs: (before?.runs ?? 0) + 1,
    });
  }
  return [...summaries.values()];
}

/** The larger of two numbers that may not be known. */
function mostOf(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.max(one, other);
}
