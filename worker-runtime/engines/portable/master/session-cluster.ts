import type { ClusterDef } from "../../../../protos/generated/tensorflow/cluster.js";
import type { ConfigProto } from "../../../../protos/generated/tensorflow/config.js";
import type { DeviceAttributes } from "../../../../protos/generated/tensorflow/device_attributes.js";
import type { CancellationSignal } from "../../../cancellation/cancellation-signal.js";
import { ClusterSpec } from "../../../cluster/cluster-spec.js";
import { passesFilters, tasksPassing } from "../../../cluster/device-filters.js";
import {
  formatDeviceName,
  parseDeviceName,
  type TaskName,
  taskDeviceName,
  taskOfDevice,
} from "../../../cluster/device-name.js";
import { internalError, invalidArgument } from "../../../protocol/status.js";
import { type Device, renameDevice } from "../device.js";
import type { WorkerCache, WorkerInterface } from "../worker/worker-interface.js";
import type { MasterEnvironment } from "./master-environment.js";
import { waitForDevices } from "./worker-discovery.js";

const TARGET_SCHEME = /^grpc(?:\+\w+)?:\/\//;

/** The tasks and devices of a session, under their names in it. */
export interface SessionCluster {
  /** The master's own task, "/job:worker/replica:0/task:0". */
  readonly masterTask: string;
  /** All tasks that take part, the master's own included. */
  readonly tasks: readonly string[];
  /** The cluster that the client sent (ClusterSpec propagation); undefined for the server's own. */
  readonly propagated: ClusterDef | undefined;
  /** The master's CPU: feeds start and fetches end there. */
  readonly clientDevice: Device;
  readonly localDevices: readonly DeviceAttributes[];
  readonly remoteDevices: readonly DeviceAttributes[];
  worker(task: string): WorkerInterface;
  /** Closes the connections that only this session uses. */
  close(): void;
}

export interface ClusterRequest {
  readonly config: ConfigProto;
  /** As the client dialled the master, "grpc://host:port". */
  readonly target: string;
}

/**
 * Finds the tasks of a session and waits until each has reported its devices.
 *
 * @param shared the connections of the server's own cluster.
 * @throws TensorFlowError INVALID_ARGUMENT for a cluster in which the master cannot find itself, or filters that are
 *   not device names; CANCELLED when the client cancels.
 */
export async function openCluster(
  { config, target }: ClusterRequest,
  env: MasterEnvironment,
  shared: () => WorkerCache,
  signal: CancellationSignal,
): Promise<SessionCluster> {
  const propagated = (config.clusterDef?.job.length ?? 0) > 0 ? config.clusterDef : undefined;
  const own: TaskName =
    propagated === undefined
      ? { job: env.serverDef.jobName, index: env.serverDef.taskIndex }
      : ownTask(propagated, target, env);
  const masterTask = taskDeviceName(own);
  const spec = ClusterSpec.from(propagated ?? env.serverDef.cluster ?? { job: [] });
  const kept = keptTasks(spec, config.deviceFilters).filter((task) => task !== masterTask);
  const local = env.localDevices.map((device) =>
    propagated === undefined ? device : renameDevice(device, own),
  );
  const [clientDevice] = local;
  if (clientDevice === undefined) {
    throw internalError("The master's own task has no device.");
  }
  const cache = propagated === undefined ? shared() : env.makeWorkerCache(propagated);
  const worker = (task: string) => (task === masterTask ? env.worker : cache.worker(task));
  const close = () => {
    if (propagated !== undefined) {
      cache.close();
    }
  };
  try {
    const found = await waitForDevices(kept, worker, { signal, log: env.log });
    const remoteDevices = [...found]
      .flatMap(([task, devices]) => devices.map((device) => renameAttributes(device, task)))
      .filter(({ name }) => passesFilters(config.deviceFilters, name));
    return {
      masterTask,
      tasks: [masterTask, ...kept],
      propagated,
      clientDevice,
      localDevices: local.map(({ attributes }) => attributes),
      remoteDevices,
      worker,
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}

/**
 * Like a server of TensorFlow, the master identifies itself in a client's cluster by the address that the client
 * dialled.
 */
function ownTask(cluster: ClusterDef, target: string, env: MasterEnvironment): TaskName {
  const address = target.replace(TARGET_SCHEME, "");
  const matching = ClusterSpec.from(cluster)
    .tasks()
    .filter((task) => task.address === address);
  const [own, another] = matching;
  const text = ClusterSpec.from(cluster).toString();
  if (own === undefined) {
    throw invalidArgument(
      `The master (current machine) is not included in the provided cluster_def. ${text}`,
    );
  }
  if (another !== undefined) {
    throw invalidArgument(
      `Found multiple matching tasks that correspond to to the master. Master target: '${target}'. ClusterDef: ${text}`,
    );
  }
  if (own.job === env.serverDef.jobName && own.index === env.serverDef.taskIndex) {
    throw invalidArgument(
      "The ClusterSpec names the job and task index to be the same names that were provided when the server booted. " +
        `This is currently not allowed. Job: ${own.job}, task index: ${own.index}`,
    );
  }
  return own;
}

function keptTasks(spec: ClusterSpec, filters: readonly string[]): string[] {
  return tasksPassing(spec, filters).map(taskDeviceName);
}

/**
 * A device under its task's name in this session: a server that was started for another cluster reports a different
 * name.
 */
function renameAttributes(device: DeviceAttributes, task: string): DeviceAttributes {
  const own = taskOfDevice(task);
  const { type, index } = parseDeviceName(device.name);
  const name = formatDeviceName({ job: own?.job, replica: 0, task: own?.index, type, index });
  return name === device.name ? device : { ...device, name };
}
