/** The measurements of a traced step about nodes, tensors, tasks and the connections between them. */
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
  /** By task: from the beginning of the step until it ran a node that waited for no other task. */
  readonly starts: ReadonlyMap<string, number>;
  /** From the end of the last node until the end of the step, if another task than the master's took part. */
  readonly endMicros: number | undefined;
}

/** A traced step as a whole. */
export interface MeasuredWhole {
  readonly micros: number;
  /** The task whose master ran it, "worker/0". */
  readonly master: string | undefined;
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
  starts: new Map(),
  endMicros: undefined,
};

/**
 * Nodes that ran at the same time on one task share that time, as its threads share the cores. So the times of all nodes
 * of a task add up to the time it was busy.
 *
 * @param opOf the op of a node
 * @param weightOf in which proportion nodes share time
 * @param whole if it is known
 */
export function measurementsOf(
  runs: readonly NodeRun[],
  transfers: readonly Transfer[],
  opOf: (node: string) => string | undefined,
  weightOf: (node: string) => number,
  whole?: MeasuredWhole,
): Measurements {
  const nodes = new Map<string, MeasuredNode>();
  const byTask = new Map<string, NodeRun[]>();
  for (const run of runs) {
    const task = taskText(run.device);
    if (task === undefined) continue;
    const list = byTask.get(task);
    if (list) list.push(run);
    else byTask.set(task, [run]);
  }
  for (const [task, list] of byTask) {
    const shares = sharedTimes(list, weightOf);
    for (const [index, { node, outputBytes }] of list.entries()) {
      if (!nodes.has(node)) nodes.set(node, { task, micros: shares[index] ?? 0, outputBytes });
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
  const last = Math.max(0, ...runs.map(({ startMicros, durationMicros }) => startMicros + durationMicros));
  const tookPart = whole !== undefined && [...byTask.keys()].some((task) => task !== whole.master);
  return {
    ...{ nodes, tensors, transfers: timed },
    slowness: slownessOf(nodes, opOf),
    starts: startsOf(byTask, transfers),
    endMicros: tookPart ? Math.max(0, whole.micros - last) : undefined,
  };
}

/** When each task began, unless its first node waited for a tensor of another one. */
function startsOf(
  byTask: ReadonlyMap<string, readonly NodeRun[]>,
  transfers: readonly Transfer[],
): ReadonlyMap<string, number> {
  const starts = new Map<string, number>();
  for (const [task, runs] of byTask) {
    const first = runs.reduce(
      (least, { startMicros }) => Math.min(least, startMicros),
      Number.POSITIVE_INFINITY,
    );
    const hasWaited = transfers.some(
      ({ toDevice, startMicros, durationMicros }) =>
        taskText(toDevice) === task && startMicros + durationMicros <= first,
    );
    if (!hasWaited) starts.set(task, first);
  }
  return starts;
}

function taskText(device: string): string | undefined {
  const task = taskOfDevice(device);
  return task && shortTaskText(task);
}

/** The part of each run in the time that its task was busy, in the order of the runs. */
function sharedTimes(runs: readonly NodeRun[], weightOf: (node: string) => number): number[] {
  const weights = runs.map(({ node }) => Math.max(weightOf(node), Number.MIN_VALUE));
  const events = runs
    .flatMap(({ startMicros, durationMicros }, index) => [
      { at: startMicros, index, starts: true },
      { at: startMicros + durationMicros, index, starts: false },
    ])
    .sort((one, other) => one.at - other.at);
  // Time per weight since the beginning: a run gets its weight times what was added while it ran.
  const shares = new Array<number>(runs.length).fill(0);
  let [now, perWeight, active, running] = [0, 0, 0, 0];
  for (const { at, index, starts } of events) {
    if (running > 0) perWeight += (at - now) / active;
    now = at;
    const weight = weights[index] ?? 0;
    shares[index] = (shares[index] ?? 0) + (starts ? -perWeight : perWeight) * weight;
    active += starts ? weight : -weight;
    running += starts ? 1 : -1;
    // Without rounding errors of what has ended.
    if (running === 0) active = 0;
  }
  return shares.map((share) => Math.max(0, share));
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
