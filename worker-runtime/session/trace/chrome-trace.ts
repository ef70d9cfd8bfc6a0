import type { GraphDef } from "../../../protos/generated/tensorflow/graph.js";
import type { StepStats } from "../../../protos/generated/tensorflow/step_stats.js";
import { alignRecords } from "./aligned-records.js";
import { userNodeName } from "./node-names.js";
import { parseNodeLabel, parseTransferLabel } from "./timeline-label.js";
import { isKernelLane, isTransfer, outputBytesOf, recordsOf, type TraceRecord } from "./trace-record.js";

/** An event of Chrome's trace format (chrome://tracing, Perfetto). Times in microseconds. */
export interface ChromeTraceEvent {
  readonly name: string;
  readonly ph: "M" | "X" | "s" | "t";
  readonly pid: number;
  readonly tid?: number;
  readonly cat?: string;
  readonly ts?: number;
  readonly dur?: number;
  readonly id?: number;
  /** Arrows end at the event that encloses the time. */
  readonly bp?: "e";
  readonly args?: Readonly<Record<string, string | number>>;
}

export interface ChromeTrace {
  readonly traceEvents: readonly ChromeTraceEvent[];
  readonly displayTimeUnit: "ns";
}

/** A record with its position in the timeline. */
interface Placed {
  readonly record: TraceRecord;
  readonly pid: number;
  readonly tid: number;
  readonly start: number;
}

/** Assigns the first lane free at a record's start, as in TensorFlow's timeline: overlapping records go below. */
class Lanes {
  readonly #ends: number[] = [];

  assign(start: number, end: number): number {
    const free = this.#ends.findIndex((busyUntil) => start >= busyUntil);
    const lane = free < 0 ? this.#ends.length : free;
    this.#ends[lane] = end;
    return lane;
  }
}

function place(stats: StepStats): { placed: Placed[]; devices: Map<string, number> } {
  const { records } = alignRecords(recordsOf(stats));
  const devices = new Map<string, number>();
  const lanes = new Map<string, Lanes>();
  const inOrder = records
    .map((record) => ({ record, start: record.startMicros }))
    .sort((a, b) => a.start - b.start);
  const origin = inOrder[0]?.start ?? 0;
  // Numbered by name to keep the devices of a task together.
  for (const device of [...new Set(records.map((record) => record.device))].sort())
    devices.set(device, devices.size);
  const placed = inOrder.map(({ record, start }) => {
    const lane = lanes.get(record.device) ?? new Lanes();
    lanes.set(record.device, lane);
    const from = start - origin;
    return {
      record,
      start: from,
      pid: devices.get(record.device) ?? 0,
      tid: lane.assign(from, from + record.durationMicros),
    };
  });
  return { placed, devices };
}

function regionOf(
  { record, pid, tid, start }: Placed,
  known: ReadonlySet<string> | undefined,
): ChromeTraceEvent {
  const { stats } = record;
  const region = { ph: "X" as const, cat: "Op", pid, tid, ts: start, dur: record.durationMicros };
  const bytes = outputBytesOf(stats);
  if (isTransfer(record)) {
    const label = parseTransferLabel(stats.timelineLabel);
    const from =
      label === undefined ? {} : { tensor: label.node, from: label.fromDevice, to: label.toDevice };
    return {
      ...region,
      name: "RecvTensor",
      args: { name: stats.nodeName, op: "RecvTensor", ...from, bytes: bytes || (label?.bytes ?? 0) },
    };
  }
  if (isKernelLane(record.device)) {
    // "retval (arg) detail @@name#id": a kernel of the node "name:op".
    const [name = "", op = "unknown"] = (/@@([^#]+)#/.exec(stats.timelineLabel)?.[1] ?? stats.nodeName).split(
      ":",
    );
    return { ...region, name: op, args: { name, op } };
  }
  const label = parseNodeLabel(stats.timelineLabel);
  const op = label?.op ?? "unknown";
  const node = userNodeName(stats.nodeName, known);
  const args: Record<string, string | number> = { name: stats.nodeName, op };
  if (node !== undefined && node !== stats.nodeName) args.node = node;
  label?.inputs.forEach((input, index) => {
    args[`input${index}`] = input;
  });
  if (bytes > 0) args.bytes = bytes;
  return { ...region, name: op, args };
}

/** Arrows from each node to the consumers of its output, across transfers. */
function flowsOf(placed: readonly Placed[], known: ReadonlySet<string> | undefined): ChromeTraceEvent[] {
  const nameOf = (name: string): string => userNodeName(name, known) ?? name;
  const made = new Map<string, Placed>();
  for (const item of placed) {
    if (!isTransfer(item.record) && !isKernelLane(item.record.device))
      made.set(nameOf(item.record.stats.nodeName), item);
  }
  const flows: ChromeTraceEvent[] = [];
  const arrow = (from: Placed | undefined, to: Placed): void => {
    if (from === undefined || from === to) return;
    const shared = { name: "tensor", cat: "DataFlow", id: flows.length / 2 };
    const end = Math.max(to.start, from.start + from.record.durationMicros);
    flows.push({
      ...shared,
      ph: "s",
      pid: from.pid,
      tid: from.tid,
      ts: from.start + from.record.durationMicros,
    });
    flows.push({ ...shared, ph: "t", pid: to.pid, tid: to.tid, ts: end, bp: "e" });
  };
  for (const item of placed) {
    const { stats, device } = item.record;
    if (isKernelLane(device)) continue;
    if (isTransfer(item.record)) {
      const label = parseTransferLabel(stats.timelineLabel);
      if (label !== undefined) arrow(made.get(nameOf(label.node)), item);
      continue;
    }
    for (const input of parseNodeLabel(stats.timelineLabel)?.inputs ?? []) {
      if (!input.startsWith("^")) arrow(made.get(nameOf(input.replace(/:\d+$/, ""))), item);
    }
  }
  return flows;
}

/**
 * A step's statistics in Chrome's trace format, as written by TensorFlow's own timeline: a process for each device,
 * lanes for overlapping records, the op as the name, node, inputs and bytes as arguments, arrows along the tensors.
 * Times start at 0; the tasks' clocks are aligned. `JSON.stringify` gives the file's content.
 *
 * @param graph if given, nodes that TensorFlow renamed also carry the user's name
 */
export function chromeTrace(stats: StepStats, graph?: GraphDef): ChromeTrace {
  const known = graph && new Set(graph.node.map((node) => node.name));
  const { placed, devices } = place(stats);
  const processes = [...devices].flatMap(([device, pid]): ChromeTraceEvent[] => [
    { name: "process_name", ph: "M", pid, args: { name: `${device} Compute` } },
    { name: "process_sort_index", ph: "M", pid, args: { sort_index: pid } },
  ]);
  return {
    traceEvents: [...processes, ...placed.map((item) => regionOf(item, known)), ...flowsOf(placed, known)],
    displayTimeUnit: "ns",
  };
}
