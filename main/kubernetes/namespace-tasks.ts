/** The tasks of a namespace's pods, by what was deployed there. Pure. */
import { hostLabel } from "../../worker-runtime/cluster/orchestrators/job-groups.js";
import type { DeployedCluster } from "./deployed-cluster.js";
import { INSTANCE_LABEL, type Pod, type PodTask, taskOfPod } from "./pod-task.js";

interface JobOfCluster {
  readonly job: string;
  /** In the names of its pods. */
  readonly label: string;
  readonly replicas: number;
}

type Clusters = ReadonlyMap<string, DeployedCluster>;

export function jobsOf(cluster: DeployedCluster | undefined): JobOfCluster[] {
  const jobs = new Map<string, number>();
  for (const { job } of cluster?.tasks ?? []) jobs.set(job, (jobs.get(job) ?? 0) + 1);
  return [...jobs].map(([job, replicas]) => ({ job, label: hostLabel(job), replicas }));
}

/** In the order of clusters, jobs and indices. */
export function tasksOfPods(pods: Iterable<Pod>, clusters: Clusters): PodTask[] {
  return [...pods]
    .flatMap((pod) => {
      const jobs = jobsOf(clusters.get(clusterOfPod(pod))).map(({ job }) => job);
      return taskOfPod(pod, jobs) ?? [];
    })
    .sort((a, b) => a.cluster.localeCompare(b.cluster) || a.job.localeCompare(b.job) || a.index - b.index);
}

/** The name of the cluster that a pod belongs to; empty if it says none. */
export function clusterOfPod(pod: Pod): string {
  return pod.metadata.labels?.[INSTANCE_LABEL] ?? "";
}

/** Whether a cluster has a task whose pod has this name, whether the pod exists or not. */
export function isPodOf(clusters: Clusters, pod: string): boolean {
  const index = Number(/-(\d+)$/.exec(pod)?.[1]);
  return [...clusters].some(([name, cluster]) =>
    jobsOf(cluster).some(({ label, replicas }) => pod === `${name}-${label}-${index}` && index < replicas),
  );
}
