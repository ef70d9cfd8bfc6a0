/** Changes of the cluster that restart tasks, with the question that precedes them. */
import type { Access, AddForeign, AddTasks, ClusterRow, Membership, Task } from "../../main/api/cluster.js";
import { taskName } from "../cluster/task-name.js";
import { addTasks, machinesOf, useCluster } from "../stores/cluster-store.js";
import { confirm } from "../stores/ui-store.js";
import { texts } from "../texts/texts.js";
import { client } from "../transport/client.js";
import { listText } from "../ui/format.js";

const words = texts.actions.clusterActions;

/** Up to this number they are listed by name; more are counted. */
const MOST_NAMED = 4;

/** Tasks that have a process, and therefore state to lose. */
function liveTasks(): readonly Task[] {
  return useCluster.getState().ownTasks.filter(({ state }) => state !== "stopped" && state !== "failed");
}

/** Asks before the live tasks are restarted. @param why what restarts them */
async function mayRestart(why: "makeFixed" | "makeDynamic" | "addToFixed"): Promise<boolean> {
  const tasks = liveTasks();
  const count = tasks.length;
  if (count === 0) return true;
  const { title, text } = words[why];
  const choice = await confirm({
    title,
    text: text({
      tasks: count > MOST_NAMED ? words.tasks({ count }) : listText(tasks.map(taskName)),
      count,
    }),
    choices: [{ id: "restart", label: words.restart({ count }), style: "danger" }],
  });
  return choice === "restart";
}

/**
 * Changes the cluster's membership. Asks first if tasks would be restarted; resolves with false if the user declined.
 * Rejects with a ProblemError.
 */
export async function changeMembership(membership: Membership): Promise<boolean> {
  if (useCluster.getState().state?.membership === membership) return true;
  const allowed = await mayRestart(membership === "fixed" ? "makeFixed" : "makeDynamic");
  if (allowed) await client().call("cluster.setMembership", { membership });
  return allowed;
}

/** Whether tasks may join; a fixed cluster must restart for them, which the user confirms. */
export async function mayAddTasks(): Promise<boolean> {
  if (useCluster.getState().state?.membership !== "fixed") return true;
  return mayRestart("addToFixed");
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
  { id, pod }: Task,
): Promise<void> {
  // A pod is replaced, and started by Kubernetes.
  if (pod !== undefined) await client().call("kubernetes.restart", { pod });
  else await client().call(method, { taskId: id });
}

/** Changes the cluster to match a table. Rejects with a ProblemError. */
export async function applyRows(rows: readonly ClusterRow[]): Promise<void> {
  await client().call("cluster.applyTable", { rows: [...rows] });
}

/** Makes a task forget its variables, queues and sessions, after a question. Rejects with a ProblemError. */
export async function clearState(task: Task): Promise<void> {
  const name = taskName(task);
  const choice = await confirm({
    title: words.clearState.title({ task: name }),
    text: words.clearState.text({ task: name }),
    choices: [{ id: "clear", label: words.clearState.clear, style: "danger" }],
  });
  if (choice !== "clear") return;
  if (task.pod === undefined) await client().call("cluster.clearState", { taskId: task.id });
  else await client().call("kubernetes.clearState", { pod: task.pod });
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
