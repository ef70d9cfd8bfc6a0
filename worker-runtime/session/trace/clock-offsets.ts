import { userNodeName } from "./node-names.js";
import { parseTransferLabel } from "./timeline-label.js";
import { isTransfer, type TraceRecord, taskOf } from "./trace-record.js";

/** The bounds that transfers set on the offset to add to the clock of `to` relative to `from`, in microseconds. */
interface Bounds {
  atLeast: number;
  atMost: number;
}

const pairKey = (from: string, to: string): string => `${from}\n${to}`;

/** When each node of each task ended, by the task's own clock. */
function endsByNode(records: readonly TraceRecord[]): Map<string, number> {
  const ends = new Map<string, number>();
  for (const record of records) {
    const node = userNodeName(record.stats.nodeName, undefined) ?? record.stats.nodeName;
    ends.set(pairKey(taskOf(record.device), node), record.startMicros + record.durationMicros);
  }
  return ends;
}

/**
 * The offset to add to the times of each task so that no tensor arrives before it was computed. Each task measures with
 * its own clock, and clocks of machines differ by milliseconds to seconds, far more than a step takes. Tasks whose
 * times are consistent, as on one machine, are not shifted; otherwise a clock moves to the middle of the range that
 * transfers in both directions allow, or by the minimum that transfers in one direction require.
 *
 * @returns microseconds by task, only for shifted ones; the first task's clock is the reference
 */
export function clockOffsets(records: readonly TraceRecord[]): Map<string, number> {
  const ends = endsByNode(records);
  const bounds = new Map<string, Bounds>();
  const boundsOf = (from: string, to: string): Bounds => {
    const key = pairKey(from, to);
    const found = bounds.get(key) ?? { atLeast: Number.NEGATIVE_INFINITY, atMost: Number.POSITIVE_INFINITY };
    bounds.set(key, found);
    return found;
  };
  const tasks: string[] = [];
  for (const record of records) {
    const task = taskOf(record.device);
    if (!tasks.includes(task)) tasks.push(task);
    const label = isTransfer(record) ? parseTransferLabel(record.stats.timelineLabel) : undefined;
    if (label === undefined) continue;
    const from = taskOf(label.fromDevice);
    const made = ends.get(pairKey(from, label.node));
    if (made === undefined || from === task) continue;
    // made + offset(from) <= arrived + offset(to)
    const lead = made - (record.startMicros + record.durationMicros);
    const forward = boundsOf(from, task);
    forward.atLeast = Math.max(forward.atLeast, lead);
    const backward = boundsOf(task, from);
    backward.atMost = Math.min(backward.atMost, -lead);
  }
  return spread(tasks, bounds);
}

/** Follows the transfers from the first task and assigns each task that it reaches an offset. */
function spread(tasks: readonly string[], bounds: ReadonlyMap<string, Bounds>): Map<string, number> {
  const offsets = new Map<string, number>();
  for (const root of tasks) {
    if (offsets.has(root)) continue;
    offsets.set(root, 0);
    const queue = [root];
    for (let from = queue.shift(); from !== undefined; from = queue.shift()) {
      for (const to of tasks) {
        const between = bounds.get(pairKey(from, to));
        if (between === undefined || offsets.has(to)) continue;
        offsets.set(to, (offsets.get(from) ?? 0) + choose(between));
        queue.push(to);
      }
    }
  }
  for (const [task, offset] of offsets) if (offset === 0) offsets.delete(task);
  return offsets;
}

function choose({ atLeast, atMost }: Bounds): number {
  if (atLeast <= 0 && atMost >= 0) return 0;
  if (Number.isFinite(atLeast) && Number.isFinite(atMost)) return (atLeast + atMost) / 2;
  return Number.isFinite(atLeast) ? atLeast : atMost;
}
