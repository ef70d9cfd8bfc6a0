import { randomBytes } from "node:crypto";
import { DeviceAttributes } from "../../../protos/generated/tensorflow/device_attributes.js";
import {
  formatDeviceName,
  parseDeviceName,
  type TaskName,
  taskDeviceName,
} from "../../cluster/device-name.js";

/** A compute device: the CPU or a GPU. */
export interface Device {
  /** "/job:worker/replica:0/task:0/device:CPU:0". */
  readonly name: string;
  /** "CPU", "GPU". */
  readonly type: string;
  /** Distinguishes restarts of the process; on the wire and in rendezvous keys. */
  readonly incarnation: bigint;
  readonly attributes: DeviceAttributes;
}

/** The description of a device that does not belong to a task yet. */
export interface DeviceKind {
  readonly type: string;
  readonly index: number;
  /** Bytes that tensors on it may take; TensorFlow reports 256 MiB for every CPU. */
  readonly memoryLimitBytes: bigint;
  /** "device: 0, name: NVIDIA GeForce RTX 4090, …"; "" for a CPU. */
  readonly description: string;
}

const CPU_MEMORY_LIMIT_BYTES = 256n * 1024n * 1024n;

/** A CPU as TensorFlow's server describes it. */
export function cpuKind(index = 0): DeviceKind {
  return { type: "CPU", index, memoryLimitBytes: CPU_MEMORY_LIMIT_BYTES, description: "" };
}

/**
 * A GPU, described in the form of TensorFlow's own. `isDescribedByUs` knows it again.
 * @param name of the adapter.
 * @param memoryLimitBytes that tensors on it may take.
 */
export function gpuKind(index: number, name: string, provider: string, memoryLimitBytes: number): DeviceKind {
  return {
    type: "GPU",
    index,
    memoryLimitBytes: BigInt(Math.floor(memoryLimitBytes)),
    description: `device: ${index}, name: ${name}, ${PROVIDER_PREFIX}${provider}`,
  };
}

const PROVIDER_PREFIX = "ONNX Runtime provider: ";

/** Whether a GPU is one of this engine, of whichever task: then it has the kernels that this engine has for GPUs. */
export function isDescribedByUs({
  physicalDeviceDesc,
}: Pick<DeviceAttributes, "physicalDeviceDesc">): boolean {
  return physicalDeviceDesc.includes(PROVIDER_PREFIX);
}

/** A device of a task, with a fresh incarnation unless one is given. */
export function makeDevice(task: TaskName, kind: DeviceKind, incarnation = newIncarnation()): Device {
  const name = `${taskDeviceName(task)}/device:${kind.type}:${kind.index}`;
  const attributes = DeviceAttributes.fromPartial({
    name,
    deviceType: kind.type,
    memoryLimit: kind.memoryLimitBytes,
    locality: {},
    incarnation,
    physicalDeviceDesc: kind.description,
    xlaGlobalId: -1n,
  });
  return { name, type: kind.type, incarnation, attributes };
}

/** The same device as a session with its own ClusterSpec names it: another job and task, the same incarnation. */
export function renameDevice(device: Device, task: TaskName): Device {
  const { type, index } = parseDeviceName(device.name);
  const name = formatDeviceName({ job: task.job, replica: 0, task: task.index, type, index });
  return { ...device, name, attributes: { ...device.attributes, name } };
}

/** Random and never 0, which stands for "unknown". */
function newIncarnation(): bigint {
  return randomBytes(8).readBigUInt64LE() | 1n;
}
