/** How much memory a step held, by device, from the allocations that its nodes recorded. */
import { type TraceRecord, unalignedStart } from "./trace-record.js";

export interface MemoryPoint {
  /** Since the start of the step. */
  readonly micros: number;
  /** Held from then on. */
  readonly bytes: number;
}

/** The allocations of a step's nodes in one memory, such as that of a GPU or the host. */
export interface DeviceMemory {
  readonly device: string;
  /** The engine's name of the memory: "cpu", "GPU_0_bfc". */
  readonly allocator: string;
  /** The most that was held at one time, and when first. What was held before the step, as variables, is not in it. */
  readonly peakBytes: number;
  readonly peakMicros: number;
  /** In the order of time; where there are too many, the highest of neighbours. */
  readonly points: readonly MemoryPoint[];
}

/** More points than a plot has pixels tell nothing more. */
const MAX_POINTS = 512;

/**
 * @param records aligned, as in a StepTrace
 * @param first the start of the step by their clock, in microseconds
 */
export function deviceMemory(records: readonly TraceRecord[], first: number): DeviceMemory[] {
  const changes = new Map<string, { device: string; allocator: string; at: MemoryPoint[] }>();
  for (const record of records) {
    const shift = record.startMicros - unalignedStart(record.stats) - first;
    for (const { allocatorName, allocationRecords } of record.stats.memory) {
      const key = `${record.device}\n${allocatorName}`;
      const memory = changes.get(key) ?? { device: record.device, allocator: allocatorName, at: [] };
      changes.set(key, memory);
      for (const { allocMicros, allocBytes } of allocationRecords)
        memory.at.push({ micros: Math.max(0, Number(allocMicros) + shift), bytes: Number(allocBytes) });
    }
  }
  return [...changes.values()]
    .filter(({ at }) => at.length > 0)
    .map(({ device, allocator, at }) => ({ device, allocator, ...held(at) }))
    .sort((one, other) => one.device.localeCompare(other.device, "en", { numeric: true }));
}

/** The sum of all changes up to each of them. */
function held(changes: readonly MemoryPoint[]): Pick<DeviceMemory, "peakBytes" | "peakMicros" | "points"> {
  // Memory that is freed at the time at which other memory is allocated was held together with it.
  const sorted = changes.toSorted((one, other) => one.micros - other.micros || other.bytes - one.bytes);
  const points: MemoryPoint[] = [];
  let bytes = 0;
  let peak: MemoryPoint = { micros: 0, bytes: 0 };
  for (const change of sorted) {
    bytes += change.bytes;
    const point = { micros: change.micros, bytes };
    if (bytes > peak.bytes) peak = point;
    points.push(point);
  }
  return { peakBytes: peak.bytes, peakMicros: peak.micros, points: thinned(points) };
}

function thinned(points: readonly MemoryPoint[]): readonly MemoryPoint[] {
  if (points.length <= MAX_POINTS) return points;
  const each = Math.ceil(points.length / (MAX_POINTS - 1));
  const kept: MemoryPoint[] = [];
  for (let start = 0; start < points.length - 1; start += each) {
    const group = points.slice(start, Math.min(start + each, points.length - 1));
    kept.push(group.reduce((most, point) => (point.bytes > most.bytes ? point : most)));
  }
  const last = points.at(-1);
  return last ? [...kept, last] : kept;
}
