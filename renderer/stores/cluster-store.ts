import { create } from "zustand";
import type { AddTasks, ClusterState, Machine, Task } from "../../main/api/cluster.js";
import { client } from "../client.js";
import { forgetDismissed } from "./dismissed-store.js";

export interface ClusterStore {
  /** Undefined until the application answered. */
  readonly state: ClusterState | undefined;
  /** Every task of every machine, in the order of the panel. */
  readonly tasks: readonly Task[];
  /**
   * The task that a device string names, "/job:worker/task:0" or longer. A device without a job or a task names
   * none.
   */
  taskForDevice(device: string): Task | undefined;
}

/** Every pinned node asks for its task with every sample of the metrics, so that finding one must cost nothing. */
let tasksByName: ReadonlyMap<string, Task> = new Map();

export const useCluster = create<ClusterStore>()(() => ({
  state: undefined,
  tasks: [],
  taskForDevice: (device) => {
    const name = taskNameOfDevice(device);
    return name === undefined ? undefined : tasksByName.get(name);
  },
}));

/** What the notice of the cluster as a whole is about, for putting it away. */
export const CLUSTER_NOTICE = "cluster";

/** Takes over what the application says of the cluster. */
export function receiveCluster(state: ClusterState): void {
  const tasks = state.machines.flatMap((machine) => machine.tasks);
  tasksByName = new Map(tasks.map((task) => [taskName(task), task]));
  useCluster.setState({ state, tasks });
  if (state.notice === undefined) forgetDismissed(CLUSTER_NOTICE);
}

const noMachines: readonly Machine[] = [];

/** Every machine that is known, this one first; none until the application answered. */
export function machinesOf({ state }: ClusterStore): readonly Machine[] {
  return state?.machines ?? noMachines;
}

/** The name of the machine that a task runs on. */
export function machineNameOfTask(store: ClusterStore, taskId: string): string | undefined {
  return machinesOf(store).find(({ tasks }) => tasks.some(({ id }) => id === taskId))?.name;
}

/** "worker/0", as the user interface names a task everywhere. */
export function taskName(task: { readonly job: string; readonly index: number }): string {
  return `${task.job}/${task.index}`;
}

/** "/job:worker/task:0", as a node's device field pins to the task. */
export function taskDevice(task: { readonly job: string; readonly index: number }): string {
  return `/job:${task.job}/task:${task.index}`;
}

/** "worker/0" of "/job:worker/replica:0/task:0/device:CPU:0"; undefined where job or task is missing. */
export function taskNameOfDevice(device: string): string | undefined {
  const job = /(?:^|\/)job:([A-Za-z][A-Za-z0-9_]*)/.exec(device)?.[1];
  const index = /(?:^|\/)task:(\d+)/.exec(device)?.[1];
  return job === undefined || index === undefined ? undefined : `${job}/${Number(index)}`;
}

const PALETTE_SIZE = 8;

/** The CSS colour of a task, "var(--t1)" to "var(--t8)". From the ninth task on colours repeat, see `isStriped`. */
export function taskColourVar(task: { readonly colour: number } | undefined): string {
  return task === undefined ? "var(--fg-2)" : `var(--t${(task.colour % PALETTE_SIZE) + 1})`;
}

/** True where the swatch of a task is striped because its colour is already another task's. */
export function isStriped(task: { readonly colour: number }): boolean {
  return task.colour >= PALETTE_SIZE;
}

/** True while a run can use the task. */
export function isUp(task: Task): boolean {
  return task.state === "running";
}

/** Adds and starts tasks; they appear through the next cluster event. Rejects with a ProblemError. */
export async function addTasks(request: AddTasks): Promise<readonly string[]> {
  return client().call("cluster.addTasks", request);
}
