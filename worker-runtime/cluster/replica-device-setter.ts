import type { AttrValue } from "../../protos/generated/tensorflow/attr_value.js";
import type { ClusterDef } from "../../protos/generated/tensorflow/cluster.js";
import { dtypeOf, itemSize } from "../protocol/dtype.js";
import { type ClusterDict, ClusterSpec } from "./cluster-spec.js";
import { formatDeviceName, mergeDeviceParts, parseDeviceName } from "./device-name.js";

/** Stateful ops, which belong on parameter servers (STANDARD_PS_OPS of TensorFlow 2.21's device_setter.py). */
export const standardPsOps: readonly string[] = [
  "Variable",
  "VariableV2",
  "AutoReloadVariable",
  "MutableHashTable",
  "MutableHashTableV2",
  "MutableHashTableOfTensors",
  "MutableHashTableOfTensorsV2",
  "MutableDenseHashTable",
  "MutableDenseHashTableV2",
  "VarHandleOp",
  "BoostedTreesEnsembleResourceHandleOp",
  "BoostedTreesQuantileStreamResourceHandleOp",
  "ResourceConditionalAccumulator",
  "DecisionTreeResource",
];

/** The node that a device is chosen for: its op, and the device that inner scopes already gave it ("" for none). */
export interface NodeToPlace {
  readonly op: string;
  readonly device: string;
  /** Its attributes, as far as they are known. */
  readonly attrs?: ReadonlyMap<string, AttrValue> | undefined;
}

export interface ReplicaDeviceSetterOptions {
  /** Number of ps tasks; taken from `cluster` where that is given. */
  readonly psTasks?: number | undefined;
  /** "/job:ps" unless given. */
  readonly psDevice?: string | undefined;
  /** "/job:worker" unless given. */
  readonly workerDevice?: string | undefined;
  /** False: a node that has any device already keeps it as it is. True unless given. */
  readonly mergeDevices?: boolean | undefined;
  readonly cluster?: ClusterDict | ClusterDef | ClusterSpec | undefined;
  /** `standardPsOps` unless given. */
  readonly psOps?: readonly string[] | undefined;
  /** The ps task for a node; round robin unless given. `greedyLoadBalancing` balances by bytes. */
  readonly psStrategy?: PsStrategy | undefined;
}

/** Chooses the ps task for a node, by its index. */
export type PsStrategy = (node: NodeToPlace) => number;

/** The bytes of a variable's value; elements of unknown bytes and dimensions of unknown size count as one. */
export function byteSizeLoad({ attrs }: NodeToPlace): number {
  const [dtype, shape] = [attrs?.get("dtype")?.value, attrs?.get("shape")?.value];
  const bytes = dtype?.$case === "type" ? itemSize(dtypeOf(dtype.value)) : 0;
  const sizes = shape?.$case === "shape" ? shape.value.dim.map((dim) => Math.max(1, Number(dim.size))) : [];
  return sizes.reduce((product, size) => product * size, Math.max(1, bytes));
}

/**
 * A strategy that puts each variable on the ps task with the least load so far, the first of those with equal loads
 * (GreedyLoadBalancingStrategy of TensorFlow 1).
 * @param load of one variable; its bytes unless given
 */
export function greedyLoadBalancing(psTasks: number, load: PsStrategy = byteSizeLoad): PsStrategy {
  const loads = new Array<number>(psTasks).fill(0);
  return (node) => {
    const task = loads.indexOf(Math.min(...loads));
    loads[task] = (loads[task] ?? 0) + load(node);
    return task;
  };
}

/** Chooses the device of a node that is being added to a graph. */
export type DeviceFunction = (node: NodeToPlace) => string;

function roundRobin(tasks: number): () => number {
  let next = 0;
  return () => {
    const task = next;
    next = (next + 1) % tasks;
    return task;
  };
}

/**
 * tf.compat.v1.train.replica_device_setter: variables go to the ps tasks in turn, all else to the worker. The device of
 * an inner scope takes precedence, part by part.
 * @returns undefined if there are no ps tasks: nodes are then placed as if there were no setter.
 * @throws TensorFlowError INVALID_ARGUMENT when a device is not a device name.
 */
export function replicaDeviceSetter(options: ReplicaDeviceSetterOptions): DeviceFunction | undefined {
  const psDevice = options.psDevice ?? "/job:ps";
  const psParts = parseDeviceName(psDevice);
  const workerParts = parseDeviceName(options.workerDevice ?? "/job:worker");
  const psTasks =
    options.cluster === undefined ? (options.psTasks ?? 0) : tasksOfJob(options.cluster, psParts.job);
  if (psTasks === 0) {
    return undefined;
  }
  const psOps = new Set(options.psOps ?? standardPsOps);
  const strategy = options.psStrategy ?? roundRobin(psTasks);
  const merge = options.mergeDevices ?? true;
  return (node) => {
    if (!merge && node.device !== "") {
      return node.device;
    }
    const current = parseDeviceName(node.device);
    if (psDevice === "" || !psOps.has(node.op)) {
      return formatDeviceName(mergeDeviceParts(workerParts, current));
    }
    // A task is counted only where the job stays the ps job; a variable pinned to another job takes no turn.
    const countsHere =
      psParts.job !== undefined && (current.job === undefined || current.job === psParts.job);
    const outer = countsHere ? { ...psParts, task: strategy(node) } : psParts;
    return formatDeviceName(mergeDeviceParts(outer, current));
  };
}

function tasksOfJob(cluster: ClusterDict | ClusterDef | ClusterSpec, job: string | undefined): number {
  const spec = ClusterSpec.from(cluster);
  return job !== undefined && spec.jobs.includes(job) ? spec.numTasks(job) : 0;
}
