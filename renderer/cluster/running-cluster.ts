/** The cluster as a script names it. Pure. */
import type { ClusterState } from "../../main/api/cluster.js";
import { ClusterSpec } from "../../worker-runtime/cluster/cluster-spec.js";

export interface RunningCluster {
  readonly spec: ClusterSpec;
  /** The task whose master runs a script's sessions: a worker if there is one. */
  readonly master: { readonly job: string; readonly index: number };
}

/** The running tasks; undefined if there are none. */
export function runningCluster(state: ClusterState | undefined): RunningCluster | undefined {
  const tasks = (state?.machines ?? [])
    .flatMap((machine) => machine.tasks)
    .filter((task) => task.state === "running");
  const master = tasks.find(({ job }) => job === "worker") ?? tasks[0];
  if (!master) return undefined;
  const jobs: Record<string, Record<number, string>> = {};
  for (const { job, index, address } of tasks) jobs[job] = { ...jobs[job], [index]: address };
  return { spec: ClusterSpec.from(jobs), master: { job: master.job, index: master.index } };
}
