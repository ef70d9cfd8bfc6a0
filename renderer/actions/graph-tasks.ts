/**
 * The open graph's requirements on the cluster: the tasks that its nodes are pinned to, and which of them are down.
 */
import type { AddTasks, Machine, Task } from "../../main/api/cluster.js";
import { ProblemError } from "../../main/api/wire.js";
import { tasksOfCollectives } from "../../worker-runtime/graph/collective-ops.js";
import { byTaskName, taskName, taskNameOfDevice } from "../cluster/task-name.js";
import { rememberedOf } from "../document/differing-keys.js";
import { addTasks, machinesOf, runMembershipOf, useCluster } from "../stores/cluster-store.js";
import { useKubernetes } from "../stores/kubernetes-store.js";
import { texts } from "../texts/texts.js";
import { client } from "../transport/client.js";
import { listText } from "../ui/format.js";
import { mayAddTasks } from "./cluster-actions.js";

const words = texts.actions.graphTasks;

interface Pinned {
  readonly device: string;
}

/** How many nodes are pinned to each task, by its name, "worker/0"; the same after an edit that changes none of it. */
export const pinCounts = rememberedOf<string, Pinned, ReadonlyMap<string, number>>(
  (nodes) => {
    const counts = new Map<string, number>();
    for (const { device } of nodes.values()) {
      const name = device === "" ? undefined : taskNameOfDevice(device);
      if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    return counts;
  },
  (known, before, after, names) => {
    const pin = (nodes: ReadonlyMap<string, Pinned>, name: string) => nodes.get(name)?.device ?? "";
    return names.every((name) => pin(before, name) === pin(after, name)) ? known : undefined;
  },
);

/** The steps that bring up every task that a graph names. */
export interface MissingTasks {
  /** Names of the tasks that the graph needs and that are not up or starting, in order. */
  readonly names: readonly string[];
  /** The stopped ones among them. */
  readonly start: readonly Task[];
  /** Those whose machine does not answer: tasks of their names are started on this machine instead. */
  readonly instead: readonly Task[];
  /** Tasks to add, by job. A job gets its lowest free indices, so tasks before a named one are added as well. */
  readonly add: readonly { readonly job: string; readonly count: number }[];
}

const NOTHING_MISSING: MissingTasks = { names: [], start: [], instead: [], add: [] };

/**
 * Compares a graph with the cluster. A graph without pins needs one task of any kind: worker/0 if the cluster is
 * empty.
 */
export function missingTasks(nodes: ReadonlyMap<string, Pinned>, tasks: readonly Task[]): MissingTasks {
  const needed = new Set(pinCounts(nodes).keys());
  const byName = byTaskName(tasks);
  if (needed.size === 0) {
    if (tasks.some(isUsable)) return NOTHING_MISSING;
    const first = tasks[0];
    if (first) needed.add(taskName(first));
    else needed.add("worker/0");
  }
  const names = [...needed].filter((name) => !isUsable(byName.get(name))).sort(byJobAndIndex);
  if (names.length === 0) return NOTHING_MISSING;
  const down = names.flatMap((name) => byName.get(name) ?? []);
  const start = down.filter(({ unreachable }) => !unreachable);
  const instead = down.filter(({ unreachable }) => unreachable);
  const last = new Map<string, number>();
  for (const name of names) {
    if (byName.has(name)) continue;
    const { job, index } = splitName(name);
    last.set(job, Math.max(index, last.get(job) ?? 0));
  }
  const add = [...last].map(([job, index]) => {
    const there = tasks.filter((task) => task.job === job && task.index <= index).length;
    return { job, count: index + 1 - there };
  });
  return { names, start, instead, add };
}

function isUsable(task: Task | undefined): boolean {
  return task !== undefined && (task.state === "running" || task.state === "starting");
}

function splitName(name: string): { job: string; index: number } {
  const slash = name.lastIndexOf("/");
  return { job: name.slice(0, slash), index: Number(name.slice(slash + 1)) };
}

function byJobAndIndex(one: string, other: string): number {
  const a = splitName(one);
  const b = splitName(other);
  return a.job === b.job ? a.index - b.index : a.job < b.job ? -1 : 1;
}

/** How many tasks `startMissing` starts; more than the graph names if a job has gaps before a named index. */
export function missingCount(missing: MissingTasks): number {
  const { start, instead, add } = missing;
  return start.length + instead.length + add.reduce((sum, { count }) => sum + count, 0);
}

/**
 * "Start 2 workers", "Start ps/0 and worker/0"; with `andRun` "Start 2 workers and run". What is started in place of tasks
 * elsewhere is named: "Start worker/1 here instead".
 */
export function startLabel(missing: MissingTasks, { andRun = false } = {}): string {
  const start = andRun ? words.startAndRun : words.start;
  const count = missingCount(missing);
  if (missing.instead.length > 0) return start.instead({ names: listText(missing.names) });
  const jobs = new Set([...missing.start.map(({ job }) => job), ...missing.add.map(({ job }) => job)]);
  const [job] = jobs;
  if (count > 1 && jobs.size === 1 && job === "worker") return start.workers({ count });
  if (count === missing.names.length && count <= 3) return start.named({ names: listText(missing.names) });
  return start.tasks({ count });
}

/**
 * Why what is missing cannot be started from here; undefined: it can. The tasks of a fixed cluster would look for one that
 * was started in place of another at the address of the other.
 */
export function whyNotStart({ instead }: MissingTasks): string | undefined {
  if (instead.length === 0 || runMembershipOf(useCluster.getState()) !== "fixed") return undefined;
  return words.fixedElsewhere({ names: listText(instead.map(taskName)), count: instead.length });
}

/**
 * Starts and adds what is missing. Resolves with true when everything is starting, with false when the user declined;
 * rejects with a ProblemError.
 *
 * @param machineIds the machines among which tasks that are added are spread; left out: all go to this machine
 */
export async function startMissing(
  missing: MissingTasks,
  machineIds: readonly string[] = [],
): Promise<boolean> {
  const { used } = useKubernetes.getState();
  if (used !== undefined) {
    await restartPods(missing, used.cluster);
    return true;
  }
  const { start, instead, add } = missing;
  if (add.length + instead.length > 0 && !(await mayAddTasks())) return false;
  const places = placesOf(missing, machineIds, machinesOf(useCluster.getState()));
  await Promise.all([
    ...start.map((task) => client().call("cluster.startTask", { taskId: task.id })),
    ...instead.map(({ job, index }) => addTasks({ job, index, count: 1 })),
    ...places.map(addInOrder),
  ]);
  return true;
}

/** Each gets the lowest free index of its job. */
async function addInOrder(requests: readonly AddTasks[]): Promise<void> {
  for (const request of requests) await addTasks(request);
}

/**
 * The tasks to add to each machine, by job: every task goes to the machine that has the fewest of its job, the first one of
 * these.
 */
export function placesOf(
  { add }: Pick<MissingTasks, "add">,
  machineIds: readonly string[],
  machines: readonly Pick<Machine, "id" | "tasks">[],
): readonly (readonly AddTasks[])[] {
  if (machineIds.length === 0) return add.map(({ job, count }) => [{ job, count }]);
  return add.map(({ job, count }) => {
    const held = machineIds.map((machineId) => {
      const tasks = machines.find(({ id }) => id === machineId)?.tasks ?? [];
      return { machineId, tasks: tasks.filter((task) => task.job === job).length };
    });
    return Array.from({ length: count }, () => {
      const least = held.reduce((best, one) => (one.tasks < best.tasks ? one : best));
      least.tasks += 1;
      return { job, count: 1, machineId: least.machineId };
    });
  });
}

/**
 * Whether a graph's collective operations need a fixed cluster, and it is not one: TensorFlow's servers run them only with
 * tasks that they know from their start. The portable engine takes them from the session, too.
 */
export function needsFixedCluster(nodes: ReadonlyMap<string, Pinned & { readonly op: string }>): boolean {
  const store = useCluster.getState();
  if (runMembershipOf(store) === "fixed") return false;
  const needed = tasksOfCollectives(nodes.values());
  const portable = store.tasks.filter(({ engine }) => engine === "portable").map(taskName);
  return needed.size > 1 && ![...needed].every((name) => portable.includes(name));
}

/** @throws ProblemError for a task that the cluster was deployed without */
async function restartPods({ start, add }: MissingTasks, cluster: string): Promise<void> {
  const [lacking] = add;
  if (lacking !== undefined) {
    throw new ProblemError({
      code: "FAILED_PRECONDITION",
      message: words.notInKubernetes.message({ cluster, job: lacking.job }),
      remedy: words.notInKubernetes.remedy({ cluster, job: lacking.job }),
    });
  }
  await Promise.all(start.flatMap(({ pod }) => (pod ? client().call("kubernetes.restart", { pod }) : [])));
}

/** The tasks of the cluster now. */
export function currentTasks(): readonly Task[] {
  return useCluster.getState().tasks;
}
