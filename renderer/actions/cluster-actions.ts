/** Changes of the cluster that restart tasks, with the question that precedes them. */
import type { Access, AddForeign, AddTasks, ClusterRow, Membership, Task } from "../../main/api/cluster.js";
import { taskName } from "../cluster/task-name.js";
import { addTasks, machinesOf, useCluster } from "../stores/cluster-store.js";
import { confirm } from "../stores/ui-store.js";
import { client } from "../transport/client.js";
import { countText, listText } from "../ui/format.js";

/** Up to this number they are listed by name; more are counted. */
const MOST_NAMED = 4;

/** Tasks that have a process, and therefore state to lose. */
function liveTasks(): readonly Task[] {
  return useCluster.getState().tasks.filter(({ state }) => state !== "stopped" && state !== "failed");
}

async function mayRestart(tasks: readonly Task[], title: string, why: string): Promise<boolean> {
  if (tasks.length === 0) return true;
  const named = tasks.length > MOST_NAMED ? countText(tasks.length, "task") : listText(tasks.map(taskName));
  const verb = tasks.length === 1 ? "is" : "are";
  const choice = await confirm({
    title,
    text: `${why} ${named} ${verb} restarted. Variables that live there are lost, and a run in progress fails.`,
    choices: [{ id: "restart", label: `Restart ${countText(tasks.length, "task")}`, style: "danger" }],
  });
  return choice === "restart";
}

/** Changes the cluster's membership. Asks first if tasks would be restarted. Rejects with a ProblemError. */
export async function changeMembership(membership: Membership): Promise<void> {
  if (useCluster.getState().state?.membership === membership) return;
  const allowed = await mayRestart(
    liveTasks(),
    membership === "fixed" ? "Make the cluster fixed?" : "Make the cluster dynamic?",
    membership === "fixed"
      ? "Tasks of a fixed cluster know each other from their start."
      : "Tasks of a dynamic cluster start alone.",
  );
  if (allowed) await client().call("cluster.setMembership", { membership });
}

/** Whether tasks may join; a fixed cluster must restart for them, which the user confirms. */
export async function mayAddTasks(): Promise<boolean> {
  if (useCluster.getState().state?.membership !== "fixed") return true;
  return mayRestart(
    liveTasks(),
    "Add to the fixed cluster?",
    "Tasks of a fixed cluster know each other from their start.",
  );
}

/** Adds and starts tasks, unless the user would rather keep the others running. Rejects with a ProblemError. */
export async function addTasksIfAllowed(request: AddTasks): Promise<void> {
  if (await mayAddTasks()) await addTasks(request);
}

/** Adds one worker on a machine; by default on this one. Rejects with a ProblemError. */
export function addWorker(machineId?: string): Promise<void> {
  return addTasksIfAllowed({ job: "worker", count: 1, ...(machineId === undefined ? {} : { machineId }) });
}

/** Adds a TensorFlow server that is already running. Rejects with a ProblemError, e.g. when it does not answer. */
export async function addForeign(server: AddForeign): Promise<void> {
  if (await mayAddTasks()) await client().call("cluster.addForeign", server);
}

/** Opens or secures the cluster. The access dialog has explained the consequences and asked for confirmation. */
export async function changeAccess(access: Access): Promise<void> {
  await client().call("cluster.setAccess", { access });
}

/** Starts, stops, restarts or removes a task. Rejects with a ProblemError. */
export async function controlTask(
  method: "cluster.startTask" | "cluster.stopTask" | "cluster.restartTask" | "cluster.removeTask",
  { id }: Task,
): Promise<void> {
  await client().call(method, { taskId: id });
}

/** Changes the cluster to match a table. Rejects with a ProblemError. */
export async function applyRows(rows: readonly ClusterRow[]): Promise<void> {
  await client().call("cluster.applyTable", { rows: [...rows] });
}

/** Makes a task forget its variables, queues and sessions, after a question. Rejects with a ProblemError. */
export async function clearState(task: Task): Promise<void> {
  const name = taskName(task);
  const choice = await confirm({
    title: `Clear the state of ${name}?`,
    text: `Variables, queues and sessions that live on ${name} are lost, including those of other programs. The task keeps running. A run in progress may fail.`,
    choices: [{ id: "clear", label: "Clear state", style: "danger" }],
  });
  if (choice === "clear") await client().call("cluster.clearState", { taskId: task.id });
}

/** Stops every task of a machine that has a process of ours, or of all machines. Rejects with a ProblemError. */
export async function stopTasks(machineId?: string): Promise<void> {
  await Promise.all(stoppable(machineId).map(({ id }) => client().call("cluster.stopTask", { taskId: id })));
}

/** The tasks that can be stopped: running ones that are not foreign. */
export function stoppable(machineId?: string): readonly Task[] {
  return machinesOf(useCluster.getState())
    .filter(({ id }) => machineId === undefined || id === machineId)
    .flatMap(({ tasks }) => tasks)
    .filter(({ state, foreign }) => !foreign && state !== "stopped" && state !== "failed");
}
