import { clockOffsets } from "./clock-offsets.js";
import { userNodeName } from "./node-names.js";
import { parseTransferLabel } from "./timeline-label.js";
import { isKernelLane, isTransfer, type TraceRecord, taskOf } from "./trace-record.js";

/** The records of a step on one clock, in causal order. */
export interface AlignedRecords {
  readonly records: readonly TraceRecord[];
  /** How far each task's clock was shifted, in microseconds; unshifted tasks are not listed. */
  readonly clockOffsets: ReadonlyMap<string, number>;
}

/**
 * Aligns the clocks of the tasks and lets no transfer begin before its tensor was computed: a receiver asks early and
 * then waits, so the start of its record is not the start of the transfer.
 */
export function alignRecords(records: readonly TraceRecord[]): AlignedRecords {
  const offsets = clockOffsets(records.filter(({ device }) => !isKernelLane(device)));
  const aligned = records.map((record) => {
    const offset = offsets.get(taskOf(record.device)) ?? 0;
    return offset === 0 ? record : { ...record, startMicros: record.startMicros + offset };
  });
  const made = endsByNode(aligned);
  return {
    records: aligned.map((record) => (isTransfer(record) ? afterItsMaker(record, made) : record)),
    clockOffsets: offsets,
  };
}

const nodeKey = (device: string, node: string): string => `${taskOf(device)}\n${node}`;

/** When each run of each node ended, by task and name. */
function endsByNode(records: readonly TraceRecord[]): ReadonlyMap<string, readonly number[]> {
  const ends = new Map<string, number[]>();
  for (const { device, stats, startMicros, durationMicros } of records) {
    const key = nodeKey(device, userNodeName(stats.nodeName, undefined) ?? stats.nodeName);
    const list = ends.get(key);
    if (list) list.push(startMicros + durationMicros);
    else ends.set(key, [startMicros + durationMicros]);
  }
  return ends;
}

function afterItsMaker(record: TraceRecord, made: ReadonlyMap<string, readonly number[]>): TraceRecord {
  const label = parseTransferLabel(record.stats.timelineLabel);
  if (label === undefined) return record;
  const end = record.startMicros + record.durationMicros;
  // In a loop, a transfer carries the output of the last run that ended before it arrived.
  const before = made.get(nodeKey(label.fromDevice, label.node))?.filter((time) => time <= end) ?? [];
  const startMicros = before.reduce((latest, time) => Math.max(latest, time), record.startMicros);
  return { ...record, startMicros, durationMicros: end - startMicros };
}
