/** Changes of the cluster that restart tasks, with the question that goes before them. */
import type { Membership, Task } from "../../main/api/cluster.js";
import { client } from "../client.js";
import { countText, listText } from "../ui/format.js";
import { addTasks, taskName, useCluster } from "./cluster-store.js";
import { confirm } from "./ui-store.js";

/** Named one by one up to here; beyond, they are counted. */
const MOST_NAMED = 4;

/** Tasks that have a process, and so something to lose. */
function liveTasks(): readonly Task[] {
  return useCluster.getState().tasks.filter(({ state }) => state !== "stopped" && state !== "failed");
}

async function mayRestart(tasks: readonly Task[], title: string, why: string): Promise<boolean> {
  if (tasks.length === 0) return true;
  const named = tasks.length > MOST_NAMED ? countText(tasks.length, "task") : listText(tasks.map(taskName));
  const verb = tasks.length === 1 ? "is" : "are";
  const choice = await confirm({
    title,
    text: `${why} ${named} ${verb} restarted. Variables that live there are lost, and a run that goes on fails.`,
    choices: [{ id: "restart", label: `Restart ${countText(tasks.length, "task")}`, style: "danger" }],
  });
  return choice === "restart";
}

/** Changes how the cluster is held together. Asks first where tasks would be restarted. Rejects with a ProblemError. */
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

/** Whether tasks may join; a fixed cluster restarts for them, which the user is asked about. */
export async function mayAddTasks(): Promise<boolean> {
  if (useCluster.getState().state?.membership !== "fixed") return true;
  return mayRestart(
    liveTasks(),
    "Add to the fixed cluster?",
    "Tasks of a fixed cluster know each other from their start.",
  );
}

/** Adds and starts tasks, unless the user would rather keep the others running. Rejects with a ProblemError. */
export async function addTasksIfAllowed(job: string, count: number): Promise<void> {
  if (await mayAddTasks()) await addTasks(job, count);
}
