/** Tasks as far as it matters to which kernels they have. */
import type { Machine, Task } from "../../main/api/cluster.js";

/** other: a portable engine of another version of Tensordeck, whose kernels are not known here. */
export type TaskEngineKind = "portable" | "tensorflow" | "other";

export interface TaskEngine {
  /** "worker/0" */
  readonly name: string;
  readonly job: string;
  readonly index: number;
  readonly engine: TaskEngineKind;
  /** "CPU", "GPU" */
  readonly deviceTypes: readonly string[];
  /** Running or about to. */
  readonly isUp: boolean;
  /** False for a task that would be added. */
  readonly exists: boolean;
  /** Whether the task's machine has TensorFlow, so that the task could be started with it. */
  readonly couldHaveTensorFlow: boolean;
}

export interface ClusterEngines {
  /** By job, then by index. Of two machines that have the same task the one that is up. */
  readonly tasks: readonly TaskEngine[];
  /** The engine of a task that is added for a graph that names it: the best that this machine has. */
  readonly ofNewTask: TaskEngineKind;
}

/**
 * @param version of Tensordeck, whose portable engine's kernels are known here.
 * @param searched whether this machine was searched for a libtensorflow, so that its best engine is known.
 */
export function clusterEngines(
  machines: readonly Machine[],
  version: string | undefined,
  searched: boolean,
): ClusterEngines {
  const tasks = new Map<string, TaskEngine>();
  for (const machine of machines) {
    for (const task of machine.tasks) {
      const entry = taskEngine(task, machine, version);
      if (entry.isUp || !tasks.has(entry.name)) tasks.set(entry.name, entry);
    }
  }
  const own = machines.find(({ kind }) => kind === "this");
  const best = own?.engines[0]?.engine;
  return {
    tasks: [...tasks.values()].sort(byJobAndIndex),
    ofNewTask: own && best && searched ? kindOf(best, own, version) : "other",
  };
}

/** Whether anything here is, or would be, a portable engine of this very version. */
export function hasPortable({ machines }: { readonly machines: readonly Machine[] }): boolean {
  return machines.some(
    ({ kind, engines, tasks }) =>
      (kind === "this" && engines[0]?.engine === "portable") ||
      tasks.some(({ engine }) => engine === "portable"),
  );
}

function taskEngine(task: Task, machine: Machine, version: string | undefined): TaskEngine {
  const { job, index, engine, devices, state } = task;
  const types = new Set(devices.map(({ type }) => type));
  return {
    name: `${job}/${index}`,
    job,
    index,
    engine: kindOf(engine, machine, version),
    deviceTypes: types.size > 0 ? [...types].sort() : ["CPU"],
    isUp: state === "running" || state === "starting",
    exists: true,
    couldHaveTensorFlow: machine.engines.some((one) => one.engine === "tensorflow"),
  };
}

function kindOf(engine: Task["engine"], { engines }: Machine, version: string | undefined): TaskEngineKind {
  if (engine === "tensorflow") return "tensorflow";
  const own = engines.find((one) => one.engine === "portable");
  return version === undefined || own?.version === version ? "portable" : "other";
}

export function byJobAndIndex(a: TaskEngine, b: TaskEngine): number {
  return a.job === b.job ? a.index - b.index : a.job < b.job ? -1 : 1;
}
