import type { ClusterDef } from "../../protos/generated/tensorflow/cluster.js";
import { ConfigProto } from "../../protos/generated/tensorflow/config.js";
import { ServerDef } from "../../protos/generated/tensorflow/tensorflow_server.js";
import { invalidArgument } from "../protocol/status.js";
import { type ClusterDict, ClusterSpec } from "./cluster-spec.js";

export interface ServerDefOptions {
  readonly cluster: ClusterDict | ClusterDef | ClusterSpec;
  /** May be omitted if the cluster has one job. */
  readonly jobName?: string | undefined;
  /** May be omitted if the job has one task. */
  readonly taskIndex?: number | undefined;
  /** "grpc" unless given. */
  readonly protocol?: string | undefined;
  /** The port to listen on if it differs from that of the task's address (0: the same). */
  readonly port?: number | undefined;
  /** Default for all sessions of the server. */
  readonly config?: ConfigProto | undefined;
}

/**
 * Everything a server needs to join a cluster, as created by tf.distribute.Server.
 * @throws TensorFlowError INVALID_ARGUMENT when the job or the index must be given, is not in the cluster, or an address
 *   of the cluster cannot be used.
 */
export function makeServerDef(options: ServerDefOptions): ServerDef {
  const cluster = ClusterSpec.from(options.cluster);
  cluster.validate();
  const jobName = options.jobName ?? onlyJob(cluster);
  const taskIndex = options.taskIndex ?? onlyTask(cluster, jobName);
  // Refuses a job or an index that the cluster does not have.
  checkTask(cluster, jobName, taskIndex);
  const def = ServerDef.create();
  def.cluster = cluster.asClusterDef();
  def.jobName = jobName;
  def.taskIndex = taskIndex;
  def.protocol = options.protocol ?? "grpc";
  def.port = options.port ?? 0;
  def.defaultSessionConfig =
    options.config === undefined ? undefined : ConfigProto.fromPartial(options.config);
  return def;
}

function onlyJob(cluster: ClusterSpec): string {
  const [job, ...others] = cluster.jobs;
  if (job === undefined || others.length > 0) {
    throw invalidArgument(
      `Must specify an explicit job name: the cluster has the jobs ${cluster.jobs.join(", ")}.`,
    );
  }
  return job;
}

function onlyTask(cluster: ClusterSpec, job: string): number {
  const [index, ...others] = cluster.taskIndices(job);
  if (index === undefined || others.length > 0) {
    throw invalidArgument(
      `Must specify an explicit task index: job '${job}' has the tasks ${cluster.taskIndices(job).join(", ")}.`,
    );
  }
  return index;
}

function checkTask(cluster: ClusterSpec, job: string, index: number): void {
  if (!cluster.has(job, index)) {
    const indices = cluster.taskIndices(job);
    throw invalidArgument(
      `Task ${index} is not in the cluster: job '${job}' has ${indices.length === 1 ? "only task" : "the tasks"} ` +
        `${indices.join(", ")}.`,
    );
  }
}
