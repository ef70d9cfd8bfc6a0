import type { ChannelCredentials } from "@grpc/grpc-js";
import type { ClusterDef } from "../../protos/generated/tensorflow/cluster.js";
import { ConfigProto } from "../../protos/generated/tensorflow/config.js";
import type { GraphDef } from "../../protos/generated/tensorflow/graph.js";
import { type ClusterDict, ClusterSpec } from "../cluster/cluster-spec.js";
import { tasksPassing } from "../cluster/device-filters.js";
import { type TaskName, taskDeviceName, taskText } from "../cluster/device-name.js";
import type { ServerOptions } from "../engines/server.js";
import { invalidArgument } from "../protocol/status.js";
import { targetOfAddress } from "../rpc/channel.js";
import type { GraphSource } from "./graph-source.js";
import type { Participant } from "./participants.js";

/** Any part of TensorFlow's ConfigProto; what is left out has its default. */
export type SessionConfig = Parameters<typeof ConfigProto.fromPartial>[0];

/** Options of a server that is the only task of its cluster. */
export type LocalServerOptions = Omit<
  ServerOptions,
  "cluster" | "serverDef" | "jobName" | "taskIndex" | "signal"
>;

export interface SessionOptions {
  /** What to run: a Graph that may still grow, or a GraphDef. More can be added by `extend`. */
  readonly graph?: GraphSource | GraphDef | undefined;
  /** With `clusterDef`, the session brings its own ClusterSpec to the servers (ClusterSpec propagation). */
  readonly config?: SessionConfig | undefined;
  /** The cluster that the target's server was started with, where it is known: lets errors name tasks. */
  readonly cluster?: ClusterDict | ClusterDef | ClusterSpec | undefined;
  /**
   * Which task of the cluster the target is. Needed with ClusterSpec propagation where the target is dialled by another
   * address than the ClusterSpec has for it.
   */
  readonly masterTask?: TaskName | undefined;
  /** How the local server of a session without a target is started: which library, which GPUs, where its log goes. */
  readonly server?: LocalServerOptions | undefined;
  /** For a cluster whose tasks speak TLS; plain gRPC unless given. */
  readonly credentials?: ChannelCredentials | undefined;
  /** How long creating the session may take once all tasks answer; 60,000 unless given. */
  readonly createTimeoutMillis?: number | undefined;
  /** How long to wait for tasks that do not answer yet; 10,000 unless given. A target that refuses is not waited for. */
  readonly taskWaitMillis?: number | undefined;
  /** False leaves the tasks alone: for clients that reach the master but not the other tasks. True unless given. */
  readonly watchTasks?: boolean | undefined;
  /** Closes the session when aborted. */
  readonly signal?: AbortSignal | undefined;
  /** Told what goes on while the session is created: "Waiting for /job:worker/task:1". */
  readonly onProgress?: ((text: string) => void) | undefined;
}

const DEFAULT_CREATE_TIMEOUT_MILLIS = 60_000;
const DEFAULT_TASK_WAIT_MILLIS = 10_000;

/** The options of a session with everything decided. */
export interface SessionPlan {
  readonly config: ConfigProto;
  /** As CreateSession names the master. */
  readonly target: string;
  /** The master first, then the other tasks, as far as they are known. */
  readonly participants: readonly Participant[];
  readonly createTimeoutMillis: number;
  readonly taskWaitMillis: number;
}

/**
 * Decides what a session on `address` ("host:port") needs.
 * @throws TensorFlowError INVALID_ARGUMENT when the ClusterSpec cannot be used or does not have the target.
 */
export function planSession(address: string, options: SessionOptions): SessionPlan {
  const config = ConfigProto.fromPartial(options.config ?? {});
  const propagated = config.clusterDef === undefined ? undefined : ClusterSpec.from(config.clusterDef);
  propagated?.validate();
  const known = propagated ?? (options.cluster === undefined ? undefined : ClusterSpec.from(options.cluster));
  const master = masterOf(address, known, options.masterTask, propagated !== undefined);
  const watched =
    known === undefined || options.watchTasks === false ? [] : tasksPassing(known, config.deviceFilters);
  const others = watched.filter(({ job, index }) => job !== master?.job || index !== master.index);
  const self: Participant =
    master === undefined
      ? { name: address, address }
      : { name: taskText(master), task: taskDeviceName(master), address };
  return {
    config,
    // A master that is given a ClusterSpec knows itself by its address in it; otherwise it does not look.
    target: targetOfAddress(
      propagated !== undefined && master !== undefined
        ? propagated.taskAddress(master.job, master.index)
        : address,
    ),
    participants: [
      self,
      ...others.map((task) => ({ name: taskText(task), task: taskDeviceName(task), address: task.address })),
    ],
    createTimeoutMillis: options.createTimeoutMillis ?? DEFAULT_CREATE_TIMEOUT_MILLIS,
    taskWaitMillis: options.taskWaitMillis ?? DEFAULT_TASK_WAIT_MILLIS,
  };
}

function masterOf(
  address: string,
  cluster: ClusterSpec | undefined,
  masterTask: TaskName | undefined,
  mustBeKnown: boolean,
): TaskName | undefined {
  if (masterTask !== undefined) {
    // Refuses a task that the cluster does not have.
    cluster?.taskAddress(masterTask.job, masterTask.index);
    return masterTask;
  }
  const found = cluster?.taskAt(address);
  if (found === undefined && mustBeKnown && cluster !== undefined) {
    throw invalidArgument(
      `The ClusterSpec of the session has no task at ${address}, the address of its master (it has ` +
        `${cluster
          .tasks()
          .map((task) => task.address)
          .join(", ")}). Say by masterTask which of its tasks that is.`,
    );
  }
  return found;
}
