/** Collective operations of several tasks: one task, their leader, tells the others who takes part. */
import { ConfigProto } from "../../protos/generated/tensorflow/config.js";
import type { ClusterSpec } from "./cluster-spec.js";
import { taskDeviceName } from "./device-name.js";
import { CHIEF_JOB, WORKER_JOB } from "./job-names.js";

/**
 * The first task of the chief's job or the workers', as TensorFlow's strategies choose it; in a cluster of other jobs the
 * first task of the first job by name, so that all tasks choose the same one.
 * @returns its device name, as `ConfigProto.experimental.collective_group_leader` takes it; undefined for a cluster of one
 *   task, which needs no leader.
 */
export function collectiveLeader(cluster: ClusterSpec): string | undefined {
  if (cluster.tasks().length < 2) return undefined;
  const [job] = [CHIEF_JOB, WORKER_JOB, ...[...cluster.jobs].sort()].filter((name) =>
    cluster.jobs.includes(name),
  );
  const [index] = job === undefined ? [] : cluster.taskIndices(job);
  return job === undefined || index === undefined ? undefined : taskDeviceName({ job, index });
}

/** The default configuration of a cluster's servers that lets them run collective operations together. */
export function collectiveConfig(cluster: ClusterSpec): ConfigProto | undefined {
  const leader = collectiveLeader(cluster);
  if (leader === undefined) return undefined;
  return ConfigProto.fromPartial({ experimental: { collectiveGroupLeader: leader } });
}
