import type { GraphDef } from "../../protos/generated/tensorflow/graph.js";
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { type DeviceParts, formatDeviceName, parseDeviceName } from "../cluster/device-name.js";
import { PARAMETER_SERVER_JOB } from "../cluster/job-names.js";
import { invalidArgument } from "../protocol/status.js";

/** The job of a server that is a cluster of its own. */
const LOCAL_JOB = "localhost";
/** A larger number is a mistyped index, or too much for one machine: each task is a process with its own runtime. */
const MAX_LOCAL_TASKS = 16;
/**
 * Jobs whose first task leads, in order of preference; in TensorFlow's clusters parameter servers only keep variables.
 */
const LEADING_JOBS = ["chief", "master", "worker"];

export interface Pin extends DeviceParts {
  /** The node that has it. */
  readonly node: string;
}

/**
 * The devices to which the nodes of a graph and of its functions are pinned.
 * @throws TensorFlowError INVALID_ARGUMENT naming the node
 */
export function pinsOf({ node, library }: GraphDef): Pin[] {
  const nodes: NodeDef[] = [...node, ...(library?.function ?? []).flatMap(({ nodeDef }) => nodeDef)];
  const byDevice = new Map(nodes.map(({ name, device }) => [device, name]));
  byDevice.delete("");
  return [...byDevice].map(([device, name]) => {
    try {
      return { ...parseDeviceName(device), node: name };
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw invalidArgument(`Node "${name}": ${why}`, { cause: error });
    }
  });
}

/** A job that a graph's pins name, and the number of tasks that their indices require. */
export interface PinnedJob {
  readonly job: string;
  readonly tasks: number;
}

const refuse = (pin: Pin, why: string): never => {
  const { node, ...parts } = pin;
  throw invalidArgument(`Node "${node}" is pinned to ${formatDeviceName(parts)}: ${why}`);
};

/**
 * The jobs that a graph needs to run, starting with the one whose first task leads; none if a single local server
 * suffices. "/job:ps/task:1" takes tasks 0 and 1 of ps, a pin without a task its task 0.
 *
 * @throws TensorFlowError INVALID_ARGUMENT for pins that no local tasks can have.
 */
export function pinnedJobs(pins: readonly Pin[]): PinnedJob[] {
  const tasks = new Map<string, number>();
  for (const pin of pins) {
    if ((pin.replica ?? 0) !== 0) {
      refuse(pin, "TensorFlow's servers all have replica 0. Remove /replica from the device name.");
    }
    if (pin.job === undefined) continue;
    tasks.set(pin.job, Math.max(tasks.get(pin.job) ?? 0, (pin.task ?? 0) + 1));
  }
  const most = Math.max(1, ...tasks.values());
  for (const pin of pins) {
    if (pin.job === undefined && (pin.task ?? 0) >= most) {
      refuse(
        pin,
        `it names no job, and no job has such a task. Add the job: ${formatDeviceName({ job: "worker", task: pin.task })}.`,
      );
    }
  }
  const count = [...tasks.values()].reduce((sum, one) => sum + one, 0);
  if (count > MAX_LOCAL_TASKS) {
    const jobs = [...tasks].map(([job, number]) => `${number} of ${job}`).join(", ");
    throw invalidArgument(
      `The graph is pinned to ${count} tasks (${jobs}), but without --target at most ${MAX_LOCAL_TASKS} are started here. ` +
        "Start them with `tensordeck worker`, on several machines, and use one of them: --target grpc://HOST:PORT.",
    );
  }
  if (count <= 1 && (tasks.size === 0 || tasks.has(LOCAL_JOB))) return [];
  return [...tasks]
    .map(([job, number]) => ({ job, tasks: number }))
    .sort((a, b) => rank(a.job) - rank(b.job) || (a.job < b.job ? -1 : 1));
}

function rank(job: string): number {
  if (job === PARAMETER_SERVER_JOB) return LEADING_JOBS.length + 1;
  const index = LEADING_JOBS.indexOf(job);
  return index === -1 ? LEADING_JOBS.length : index;
}

/** Whether a node is pinned to a GPU. */
export function namesGpu(pins: readonly Pin[]): boolean {
  return pins.some(({ type }) => type?.toUpperCase() === "GPU");
}
