/** What a traced step tells about nodes, tensors, tasks and the connections between them. */
import type { NodeRun, Transfer } from "../../main/api/runs.js";
import { shortTaskText, taskOfDevice } from "../../worker-runtime/cluster/device-name.js";

export interface Measurements {
  /** By node. */
  readonly nodes: ReadonlyMap<string, MeasuredNode>;
  /** Bytes by tensor name, "x:0", of tensors that were sent. */
  readonly tensors: ReadonlyMap<string, number>;
  /** How long tasks take compared with the one that ran most: 2 is half as fast. Tasks that are not comparable lack. */
  readonly slowness: ReadonlyMap<string, number>;
  readonly transfers: readonly MeasuredTransfer[];
}

export interface MeasuredNode {
  /** "worker/0" */
  readonly task: string;
  readonly micros: number;
  readonly outputBytes: number;
}

export interface MeasuredTransfer {
  readonly from: string;
  readonly to: string;
  readonly bytes: number;
  readonly micros: number;
}

export const NOTHING_MEASURED: Measurements = {
  nodes: new Map(),
  tensors: new Map(),
  slowness: new Map(),
  transfers: [],
};

/**
 * @param opOf the op of a node
 * @param weightOf the share of a node in the time of a region that ran as one
 */
export function measurementsOf(
  runs: readonly NodeRun[],
  transfers: readonly Transfer[],
  opOf: (node: string) => string | undefined,
  weightOf: (node: string) => number,
): Measurements {
  const nodes = new Map<string, MeasuredNode>();
  for (const { runs: together } of regionsOf(runs)) {
    const whole = together.reduce((sum, { node }) => sum + weightOf(node), 0);
    for (const { node, device, durationMicros, outputBytes } of together) {
      const task = taskText(device);
      if (task === undefined || nodes.has(node)) continue;
      const share = together.length === 1 || whole === 0 ? 1 / together.length : weightOf(node) / whole;
      nodes.set(node, { task, micros: durationMicros * share, outputBytes });
    }
  }
  const tensors = new Map<string, number>();
  const timed: MeasuredTransfer[] = [];
  for (const { tensor, bytes, fromDevice, toDevice, durationMicros, timed: isTimed } of transfers) {
    if (bytes === undefined) continue;
    if (tensor !== "") tensors.set(tensor, bytes);
    const [from, to] = [taskText(fromDevice), taskText(toDevice)];
    if (isTimed && from !== undefined && to !== undefined)
      timed.push({ from, to, bytes, micros: durationMicros });
  }
  return { nodes, tensors, slowness: slownessOf(nodes, opOf), transfers: timed };
}

function taskText(device: string): string | undefined {
  const task = taskOfDevice(device);
  return task && shortTaskText(task);
}

/** Nodes that ran as one have the same time on the same device. */
function regionsOf(runs: readonly NodeRun[]): Iterable<{ readonly runs: NodeRun[] }> {
  const regions = new Map<string, { readonly runs: NodeRun[] }>();
  for (const run of runs) {
    // Nodes that took no time cannot have been measured together.
    const same = run.durationMicros > 0 ? "" : run.node;
    const key = `${run.device} ${run.startMicros} ${run.durationMicros} ${same}`;
    const known = regions.get(key);
    if (known) known.runs.push(run);
    else regions.set(key, { runs: [run] });
  }
  return regions.values();
}

/** Shorter times say little about the speed of a machine. */
const LEAST_COMPARED_MICROS = 20;
/** Fewer kinds of nodes than this do not make two tasks comparable. */
const LEAST_KINDS = 3;

/** Compares the times of nodes of one op and about the same size on different tasks. */
function slownessOf(
  nodes: ReadonlyMap<string, MeasuredNode>,
  opOf: (node: string) => string | undefined,
): ReadonlyMap<string, number> {
  const byTask = new Map<string, Map<string, number[]>>();
  const counts = new Map<string, number>();
  for (const [name, { task, micros, outputBytes }] of nodes) {
    counts.set(task, (counts.get(task) ?? 0) + 1);
    if (micros < LEAST_COMPARED_MICROS) continue;
    const kind = `${opOf(name)} ${Math.ceil(Math.log2(outputBytes + 1))}`;
    const kinds = byTask.get(task) ?? new Map<string, number[]>();
    byTask.set(task, kinds);
    const times = kinds.get(kind);
    if (times) times.push(micros);
    else kinds.set(kind, [micros]);
  }
  const [reference] =
    [...counts].sort((one, other) => other[1] - one[1] || (one[0] < other[0] ? -1 : 1))[0] ?? [];
  const slowness = new Map<string, number>();
  if (reference === undefined) return slowness;
  slowness.set(reference, 1);
  const ownKinds = byTask.get(reference);
  for (const [task, kinds] of byTask) {
    if (task === reference) continue;
    const ratios = [...kinds].flatMap(([kind, times]) => {
      const own = ownKinds?.get(kind);
      return own ? [median(times) / median(own)] : [];
    });
    if (ratios.length >= LEAST_KINDS) slowness.set(task, median(ratios));
  }
  return slowness;
}

/** The value below which a share of the values lie. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}
