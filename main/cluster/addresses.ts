import type { ClusterTasks } from "../tasks/launcher.js";

interface PlacedTask {
  readonly job: string;
  readonly index: number;
  /** "host:port" */
  readonly address: string;
}

/** The ClusterSpec of tasks, as addresses by index by job. */
export function addressesOf(tasks: Iterable<PlacedTask>): ClusterTasks {
  const cluster: Record<string, Record<number, string>> = {};
  for (const { job, index, address } of tasks) {
    const addresses = cluster[job] ?? {};
    addresses[index] = address;
    cluster[job] = addresses;
  }
  return cluster;
}
