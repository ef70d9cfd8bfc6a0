import type { ChannelCredentials } from "@grpc/grpc-js";
import type { ClusterDef } from "../../protos/generated/tensorflow/cluster.js";
import { ConfigProto } from "../../protos/generated/tensorflow/config.js";
import type { GraphDef } from "../../protos/generated/tensorflow/graph.js";
import { type ClusterDict, ClusterSpec } from "../cluster/cluster-spec.js";
import { tasksPassing } from "../cluster/device-filters.js";
import { type TaskName, taskDeviceName, taskText } from "../cluster/device-name.js";
import type { ServerOptions } from "../engines/server.js";
import { invalidArgument } from "../protocol/status.js";
import { targetOfAddress } from "../rpc/target-address.js";
import type { GraphSource } from "./graph-source.js";
import type { Participant } from "./participants.js";

/** Any part of TensorFlow's ConfigProto; omitted fields have their defaults. */
export type SessionConfig = Parameters<typeof ConfigProto.fromPartial>[0];

/** Options of a server that is the only task of its cluster. */
export type LocalServerOptions = Omit<
  ServerOptions,
  "cluster" | "serverDef" | "jobName" | "taskIndex" | "signal"
>;

export interface SessionOptions {
  /** The graph to run: a Graph that may still grow, or a GraphDef. More can be added by `extend`. */
  readonly graph?: GraphSource | GraphDef | undefined;
  /** With `clusterDef`, the session brings its own ClusterSpec to the servers (ClusterSpec propagation). */
  readonly config?: SessionConfig | undefined;
  /** The cluster that the target's server was started with, if known: lets errors name tasks. */
  readonly cluster?: ClusterDict | ClusterDef | ClusterSpec | undefined;
  /**
   * The target's task in the cluster. Required with ClusterSpec propagation if the target is dialled by an address that
   * differs from the ClusterSpec's.
   */
  readonly masterTask?: TaskName | undefined;
  /** Options of the local server of a session without a target: library, GPUs, log destination. */
  readonly server?: LocalServerOptions | undefined;
  /** For a cluster whose tasks speak TLS; defaults to plain gRPC. */
  readonly credentials?: ChannelCredentials | undefined;
  /** The time limit for creating the session once all tasks answer; defaults to 60,000. */
  readonly createTimeoutMillis?: number | undefined;
  /** How long to wait for tasks that do not answer yet; defaults to 10,000. A target that refuses fails immediately. */
  readonly taskWaitMillis?: number | undefined;
  /** Whether to probe tasks; defaults to true. False is for clients that can reach only the master. */
  readonly watchTasks?: boolean | undefined;
  /** Closes the session when aborted. */
  readonly signal?: AbortSignal | undefined;
  /** Called with progress texts while the session is created: "Waiting for /job:worker/task:1". */
  readonly onProgress?: ((text: string) => void) | undefined;
}

const DEFAULT_CREATE_TIMEOUT_MILLIS = 60_000;
const DEFAULT_TASK_WAIT_MILLIS = 10_000;

/** The resolved options of a session. */
export interface SessionPlan {
  readonly config: ConfigProto;
  /** The master's name in CreateSession. */
  readonly target: string;
  /** The master first, then the other known tasks. */
  readonly participants: readonly Participant[];
  readonly createTimeoutMillis: number;
  readonly taskWaitMillis: number;
}

/**
 * Resolves the options of a session on `address` ("host:port").
 * @throws TensorFlowError INVALID_ARGUMENT if the ClusterSpec is invalid or does not contain the target.
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
    // A master that receives a ClusterSpec finds itself by its address in it; otherwise it ignores the target.
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
    // Throws if the cluster does not have the task.
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
