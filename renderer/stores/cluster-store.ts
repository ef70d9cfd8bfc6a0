import { create } from "zustand";
import type { AddTasks, ClusterState, Machine, Membership, Task } from "../../main/api/cluster.js";
import { byTaskName, taskNameOfDevice } from "../cluster/task-name.js";
import { client } from "../transport/client.js";
import { dismissOver } from "./app-store.js";
import { forgetDismissed } from "./dismissed-store.js";
import { keepEqual } from "./keep-equal.js";

export type TaskIdentity = Pick<Task, "id" | "job" | "index" | "colour">;

export interface ClusterStore {
  /** The state of the machines' own cluster; undefined until the application answered. */
  readonly state: ClusterState | undefined;
  /** Every task of every machine, in the order of the panel. */
  readonly ownTasks: readonly Task[];
  /** The nodes of the cluster in Kubernetes that graphs run on; undefined: they run on the machines' own. */
  readonly nodes: readonly Machine[] | undefined;
  /** The tasks that graphs run on: those of the machines, or of Kubernetes. */
  readonly tasks: readonly Task[];
  /** Their stable properties; a new object only when a task is added, removed, renamed or recoloured. */
  readonly identities: readonly TaskIdentity[];
  /**
   * The task that a device string names, "/job:worker/task:0" or longer. A device without a job or a task names
   * none.
   */
  taskForDevice(device: string): Task | undefined;
}

/** Every pinned node looks up its task whenever the cluster changes, so the lookup must be cheap. */
let tasksByName: ReadonlyMap<string, Task> = new Map();

export const useCluster = create<ClusterStore>()(() => ({
  state: undefined,
  ownTasks: [],
  nodes: undefined,
  tasks: [],
  identities: [],
  taskForDevice: (device) => {
    const name = taskNameOfDevice(device);
    return name === undefined ? undefined : tasksByName.get(name);
  },
}));

/** Identifies the notice of the whole cluster, for dismissing it. */
export const CLUSTER_NOTICE = "cluster";

/** Applies the cluster state of the application. Unchanged parts stay the same objects. */
export function receiveCluster(received: ClusterState): void {
  const before = useCluster.getState();
  const state = keepEqual(before.state, received);
  const ownTasks = keepEqual(
    before.ownTasks,
    state.machines.flatMap((machine) => machine.tasks),
  );
  change({ state, ownTasks });
  dismissOver();
  if (state.notice === undefined) forgetDismissed(CLUSTER_NOTICE);
}

/** Applies the nodes of the cluster in Kubernetes that graphs run on; undefined: on none. */
export function receiveNodes(received: readonly Machine[] | undefined): void {
  const { nodes: before } = useCluster.getState();
  const nodes = received && keepEqual(before, received);
  if (nodes !== before) change({ nodes });
}

function change(changed: Partial<Pick<ClusterStore, "state" | "ownTasks" | "nodes">>): void {
  const before = useCluster.getState();
  const { state, ownTasks, nodes } = { ...before, ...changed };
  const tasks = keepEqual(before.tasks, nodes?.flatMap((node) => node.tasks) ?? ownTasks);
  const identities = keepEqual(
    before.identities,
    tasks.map(({ id, job, index, colour }) => ({ id, job, index, colour })),
  );
  tasksByName = byTaskName(tasks);
  useCluster.setState({ state, ownTasks, nodes, tasks, identities });
}

const noMachines: readonly Machine[] = [];

/** Every known machine, this one first; empty until the application has answered. */
export function machinesOf({ state }: Pick<ClusterStore, "state">): readonly Machine[] {
  return state?.machines ?? noMachines;
}

/** The machines, or the nodes of Kubernetes, that graphs run on. */
export function runMachinesOf(store: ClusterStore): readonly Machine[] {
  return store.nodes ?? machinesOf(store);
}

/** The membership of the cluster that graphs run on; undefined until the application answered. */
export function runMembershipOf({ nodes, state }: ClusterStore): Membership | undefined {
  return nodes ? "fixed" : state?.membership;
}

/** The name of the machine that a task runs on. */
export function machineNameOfTask(store: ClusterStore, taskId: string): string | undefined {
  return runMachinesOf(store).find(({ tasks }) => tasks.some(({ id }) => id === taskId))?.name;
}

/** True while a run can use the task. */
export function isUp(task: Task): boolean {
  return task.state === "running";
}

/** Adds and starts tasks; they appear through the next cluster event. Rejects with a ProblemError. */
export async function addTasks(request: AddTasks): Promise<readonly string[]> {
  return client().call("cluster.addTasks", request);
}
