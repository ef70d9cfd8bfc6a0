import type {
  DeviceStepStats,
  NodeExecStats,
  StepStats,
} from "../../../protos/generated/tensorflow/step_stats.js";
import type { TensorDescription } from "../../../protos/generated/tensorflow/tensor_description.js";
import { taskDeviceName, taskOfDevice } from "../../cluster/device-name.js";
import { baseDataType, dtypeName, isDType, itemSize } from "../../protocol/dtype.js";

/** A record of one device in whichever unit is finest. */
export interface TraceRecord {
  readonly device: string;
  readonly stats: NodeExecStats;
  /** Since 1970, by the clock of the device's task. */
  readonly startMicros: number;
  readonly durationMicros: number;
}

const MICROS_PER_MILLI = 1_000;

/** A double cannot tell nanoseconds since 1970 apart; micros and the fraction behind them are enough. */
function startOf(stats: NodeExecStats): number {
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
      startMicros: startOf(node),
      durationMicros: durationOf(node),
    })),
  );
}

/** The task that a device belongs to, "/job:worker/replica:0/task:1"; the device itself where it names no task. */
export function taskOf(device: string): string {
  const task = taskOfDevice(device);
  return task === undefined ? device : taskDeviceName(task);
}

/** True for the lanes of a GPU's streams and copies, which repeat what the device's own records say. */
export function isKernelLane(device: string): boolean {
  return /\/(?:stream:|memcpy|host:)|\/gpu:\d+\/stream/i.test(device);
}

export function isTransfer(record: TraceRecord): boolean {
  return record.stats.nodeName === "RecvTensor";
}

/** An output that a node had; a dead one, as of the branch that a Switch does not take, is not among them. */
export interface OutputSize {
  readonly slot: number;
  /** Bytes that it is on the wire; undefined where the record does not say, as for strings. */
  readonly bytes: number | undefined;
}

export function outputsOf(stats: NodeExecStats): OutputSize[] {
  return stats.output.map(({ slot, tensorDescription }) => ({ slot, bytes: sizeOf(tensorDescription) }));
}

/** What is allocated for strings, resources and variants is not what goes over the wire. */
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
