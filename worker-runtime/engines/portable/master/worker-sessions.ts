import type { ConfigProto } from "../../../../protos/generated/tensorflow/config.js";
import { ConfigProto_Experimental } from "../../../../protos/generated/tensorflow/config.js";
import { CoordinationServiceConfig } from "../../../../protos/generated/tensorflow/coordination_config.js";
import { ServerDef } from "../../../../protos/generated/tensorflow/tensorflow_server.js";
import { CreateWorkerSessionRequest } from "../../../../protos/generated/tensorflow/worker.js";
import type { CancellationSignal } from "../../../cancellation/cancellation-signal.js";
import { withSharedSignal } from "../../../cancellation/shared-signal.js";
import { taskOfDevice } from "../../../cluster/device-name.js";
import type { StepSequences } from "../collectives/step-sequences.js";
import type { SessionCluster } from "./session-cluster.js";
import { combinedError, type TaskFailure } from "./worker-errors.js";

/** Deadline for workers; one that does not answer keeps its session until it ends. */
const DELETE_DEADLINE_MILLIS = 10_000;

/** A session as created on its workers. */
export interface WorkerSessions {
  readonly handle: string;
  readonly cluster: SessionCluster;
  readonly config: ConfigProto;
  /** Counts the steps with collectives of all masters of this task; without it each gets a random id. */
  readonly stepSequences?: StepSequences | undefined;
  /** The task that leads the groups of collectives; "" for the master's own. */
  readonly groupLeader?: string | undefined;
}

/**
 * Creates the session on every task. If one refuses, the others delete it again.
 * @throws TensorFlowError what the tasks answered.
 */
export async function createWorkerSessions(
  session: WorkerSessions,
  signal: CancellationSignal,
): Promise<void> {
  const { cluster } = session;
  const failures: TaskFailure[] = [];
  await withSharedSignal(signal, (shared) =>
    Promise.all(
      cluster.tasks.map((task) =>
        cluster
          .worker(task)
          .createWorkerSession(requestFor(session, task), { signal: shared })
          .catch((error: unknown) => failures.push({ task, error })),
      ),
    ),
  );
  if (failures.length > 0) {
    await deleteWorkerSessions(session);
    throw combinedError(failures);
  }
}

/** Deletes the session with its graphs on every task. Tasks that do not answer are skipped. */
export async function deleteWorkerSessions({ handle, cluster }: WorkerSessions): Promise<void> {
  await Promise.allSettled(
    cluster.tasks.map((task) =>
      cluster
        .worker(task)
        .deleteWorkerSession({ sessionHandle: handle }, { deadlineMillis: DELETE_DEADLINE_MILLIS }),
    ),
  );
}

function requestFor({ handle, cluster, config }: WorkerSessions, task: string): CreateWorkerSessionRequest {
  const { masterTask, clientDevice, propagated, localDevices, remoteDevices } = cluster;
  const target = taskOfDevice(task);
  const request = CreateWorkerSessionRequest.create();
  request.sessionHandle = handle;
  request.masterTask = masterTask;
  request.masterIncarnation = BigInt.asIntN(64, clientDevice.incarnation);
  request.isolateSessionState = isIsolated(config, propagated !== undefined);
  if (config.shareClusterDevicesInSession || config.experimental?.shareClusterDevicesInSession) {
    request.clusterDeviceAttributes = [...localDevices, ...remoteDevices];
  }
  const serverDef = ServerDef.create();
  serverDef.cluster = propagated;
  serverDef.jobName = target?.job ?? "";
  serverDef.taskIndex = target?.index ?? 0;
  serverDef.protocol = "grpc";
  serverDef.defaultSessionConfig = withCoordination(config, masterTask);
  request.serverDef = serverDef;
  return request;
}

/** Sessions with a cluster of their own do not share variables with others unless they ask for it. */
function isIsolated(config: ConfigProto, isPropagated: boolean): boolean {
  const shares = config.experimental?.shareSessionStateInClusterspecPropagation ?? false;
  return isPropagated ? !shares : config.isolateSessionState;
}

/** Stock workers read the group leader from there. */
function withCoordination(config: ConfigProto, masterTask: string): ConfigProto {
  const coordinationConfig = CoordinationServiceConfig.fromPartial({
    serviceType: "standalone",
    serviceLeader: masterTask,
  });
  const experimental = { ...(config.experimental ?? ConfigProto_Experimental.create()), coordinationConfig };
  return { ...config, clusterDef: undefined, experimental };
}
