import type {
  DeviceStepStats,
  NodeExecStats,
  StepStats,
} from "../../../protos/generated/tensorflow/step_stats.js";
import type { TensorDescription } from "../../../protos/generated/tensorflow/tensor_description.js";
import { taskDeviceName, taskOfDevice } from "../../cluster/device-name.js";
import { baseDataType, dtypeName, isDType, itemSize } from "../../protocol/dtype.js";

/** A record of one device, as precise as its source. */
export interface TraceRecord {
  readonly device: string;
  readonly stats: NodeExecStats;
  /** Since 1970, by the clock of the device's task. */
  readonly startMicros: number;
  readonly durationMicros: number;
}

const MICROS_PER_MILLI = 1_000;

/** By the clock of the task. A double cannot represent nanoseconds since 1970 exactly; microseconds with a fraction suffice. */
export function unalignedStart(stats: NodeExecStats): number {
  return stats.allStartNanos > 0n
    ? Number(stats.allStartNanos) / MICROS_PER_MILLI
    : Number(stats.allStartMicros);
}

function durationOf(stats: NodeExecStats): number {
  // all_end_rel_nanos is exact, but 2.21 sets it only where it recorded nanos.
  return stats.allEndRelNanos > 0n
    ? Number(stats.allEndRelNanos) / MICROS_PER_MILLI
    : Number(stats.allEndRelMicros);
}

/** Every record of a step, device by device. */
export function recordsOf(stats: StepStats): TraceRecord[] {
  return stats.devStats.flatMap(({ device, nodeStats }: DeviceStepStats) =>
    nodeStats.map((node) => ({
      device,
      stats: node,
      startMicros: unalignedStart(node),
      durationMicros: durationOf(node),
    })),
  );
}

/** The task that a device belongs to, "/job:worker/replica:0/task:1"; the device itself if it names no task. */
export function taskOf(device: string): string {
  const task = taskOfDevice(device);
  return task === undefined ? device : taskDeviceName(task);
}

/** True for the lanes of a GPU's streams and copies, which duplicate the device's own records. */
export function isKernelLane(device: string): boolean {
  return /\/(?:stream:|memcpy|host:)|\/gpu:\d+\/stream/i.test(device);
}

export function isTransfer(record: TraceRecord): boolean {
  return record.stats.nodeName === "RecvTensor";
}

/** An output of a node; dead ones, such as that of the branch not taken by a Switch, are not included. */
export interface OutputSize {
  readonly slot: number;
  /** Its size on the wire in bytes; undefined if not in the record, as for strings. */
  readonly bytes: number | undefined;
}

export function outputsOf(stats: NodeExecStats): OutputSize[] {
  return stats.output.map(({ slot, tensorDescription }) => ({ slot, bytes: sizeOf(tensorDescription) }));
}

/** The allocation of strings, resources and variants differs from their size on the wire. */
function sizeOf(description: TensorDescription | undefined): number | undefined {
  const dtype = description && baseDataType(description.dtype);
  const name = dtype === undefined ? "" : dtypeName(dtype);
  const size = isDType(name) ? itemSize(name) : 0;
  if (size === 0) return undefined;
  const { unknownRank = true, dim = [] } = description?.shape ?? {};
  if (unknownRank || dim.some((one) => one.size < 0n)) return undefined;
  return dim.reduce((product, one) => product * Number(one.size), size);
}

export function outputBytesOf(stats: NodeExecStats): number {
  let bytes = 0n;
  for (const { tensorDescription } of stats.output) {
    const allocation = tensorDescription?.allocationDescription;
    bytes += allocation?.requestedBytes ?? 0n;
  }
  return Number(bytes);
}

/** The most that the node held at one time of what it allocated itself; undefined if it recorded no allocation. */
export function peakBytesOf({ memory }: NodeExecStats): number | undefined {
  return memory.length === 0 ? undefined : memory.reduce((sum, { peakBytes }) => sum + Number(peakBytes), 0);
}
