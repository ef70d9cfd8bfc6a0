import type { Task } from "../../main/api/cluster.js";
import { taskName } from "../stores/cluster-store.js";
import { listText } from "../ui/format.js";

export interface Health {
  readonly dot: "ok" | "warn" | "err" | "off";
  readonly text: string;
}

/** The state of a cluster in one dot and a few words. */
export function clusterHealth(tasks: readonly Task[]): Health {
  if (tasks.length === 0) return { dot: "off", text: "No tasks" };
  const of = (...states: Task["state"][]) => tasks.filter(({ state }) => states.includes(state));
  const failed = of("failed", "unresponsive");
  const running = of("running");
  const count = `${running.length}/${tasks.length} tasks`;
  if (failed.length > 0) {
    const verb = failed.every(({ state }) => state === "failed") ? "failed" : "not answering";
    return { dot: "err", text: `${listText(failed.slice(0, 3).map(taskName))} ${verb}, ${count}` };
  }
  if (of("starting").length > 0) return { dot: "warn", text: `Cluster starting, ${count}` };
  if (running.length === 0) return { dot: "off", text: `Cluster stopped, ${count}` };
  if (running.length < tasks.length) return { dot: "warn", text: `Cluster ok, ${count}` };
  return { dot: "ok", text: `Cluster ok, ${count}` };
}
