import type { ClusterDef } from "../../../protos/generated/tensorflow/cluster.js";
import { PARAMETER_SERVER_JOB } from "../../../worker-runtime/cluster/job-names.js";

/** The cluster behind a gateway, as presented to a session. */
export interface GatewayCluster {
  /** Every task with the address at which this machine and the tasks themselves reach it. */
  readonly clusterDef: ClusterDef;
  /**
   * Whether sessions send the cluster to the servers. Those of a fixed cluster know it from their start, and refuse a
   * ClusterSpec that repeats their own job and index.
   */
  readonly isPropagated: boolean;
  /** Task that is the master of new sessions; by default the first worker. */
  readonly master?: { readonly job: string; readonly index: number };
}

/** Jobs whose tasks run sessions, in order of preference; a ps task only keeps variables. */
const MASTER_JOBS = ["worker", "chief", "master"];

/** Address of the task that is the master of new sessions; undefined when there is no task. */
export function masterAddress({ clusterDef, master }: GatewayCluster): string | undefined {
  const jobs = clusterDef.job.filter(({ tasks }) => tasks.size > 0);
  if (master !== undefined) {
    const address = jobs.find(({ name }) => name === master.job)?.tasks.get(master.index);
    if (address !== undefined) return address;
  }
  const job =
    MASTER_JOBS.map((wanted) => jobs.find(({ name }) => name === wanted)).find(
      (found) => found !== undefined,
    ) ??
    jobs.find(({ name }) => name !== PARAMETER_SERVER_JOB) ??
    jobs[0];
  if (job === undefined) return undefined;
  return job.tasks.get(Math.min(...job.tasks.keys()));
}
