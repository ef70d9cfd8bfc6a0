/** Where a run's session is created, and with which ClusterSpec and options. */
import type { GraphDef } from "../../protos/generated/tensorflow/graph.js";
import { ClusterSpec } from "../../worker-runtime/cluster/cluster-spec.js";
import { collectiveLeader } from "../../worker-runtime/cluster/collective-leader.js";
import { taskDeviceName } from "../../worker-runtime/cluster/device-name.js";
import { inBackground } from "../../worker-runtime/faults.js";
import { targetOfAddress } from "../../worker-runtime/rpc/target-address.js";
import { Session, type SessionConfig } from "../../worker-runtime/session/session.js";
import { unoptimizedConfig } from "../../worker-runtime/session/trace/unoptimized-config.js";
import type { Membership } from "../api/cluster.js";
import { addressesOf } from "../cluster/addresses.js";
import type { Participant } from "./participants.js";
import type { SessionRequest } from "./session-keeper.js";

/** Everything that decides whether a run can use the session of the one before. */
export interface SessionPlanInput {
  readonly membership: Membership;
  /** Every task that a fixed cluster was started with. */
  readonly allTasks: readonly Participant[];
  readonly members: readonly Participant[];
  readonly master: Participant;
  readonly softPlacement: boolean;
  readonly logDevicePlacement: boolean;
  /** False keeps the user's nodes as they are, so that a trace shows each of them. */
  readonly optimize: boolean;
}

/** Creating a session takes milliseconds once all tasks answer, which was ensured before. */
const CREATE_TIMEOUT_MILLIS = 30_000;

export function planRunSession(input: SessionPlanInput, onProgress: (text: string) => void): SessionRequest {
  const { membership, members, master, allTasks } = input;
  const memberCluster = clusterOf(members);
  const config = configOf(input, memberCluster);
  const key = JSON.stringify([
    membership,
    master.name,
    members.map((task) => [task.name, task.address, task.incarnation]),
    input.softPlacement,
    input.logDevicePlacement,
    input.optimize,
  ]);
  const open = async (graph: GraphDef, signal: AbortSignal): Promise<Session> => {
    const session = new Session(targetOfAddress(master.address), {
      graph,
      config,
      // The servers of a fixed cluster know it; the client needs it so that errors name tasks.
      ...(membership === "fixed" ? { cluster: clusterOf(allTasks) } : {}),
      masterTask: { job: master.job, index: master.index },
      createTimeoutMillis: CREATE_TIMEOUT_MILLIS,
      onProgress,
    });
    try {
      await session.open(signal);
      return session;
    } catch (error) {
      inBackground(session.close());
      throw error;
    }
  };
  return { key, open };
}

function clusterOf(tasks: readonly Participant[]): ClusterSpec {
  return ClusterSpec.from(addressesOf(tasks));
}

function configOf(input: SessionPlanInput, memberCluster: ClusterSpec): SessionConfig {
  const { membership, members, allTasks } = input;
  const config: SessionConfig = {
    ...(input.optimize ? {} : unoptimizedConfig()),
    allowSoftPlacement: input.softPlacement,
    logDevicePlacement: input.logDevicePlacement,
  };
  if (membership === "dynamic") {
    return {
      ...config,
      clusterDef: memberCluster.asClusterDef(),
      experimental: {
        // Variables then belong to the tasks, not to this session and this master.
        shareSessionStateInClusterspecPropagation: true,
        // The servers started alone and have none of their own. Only the portable engine heeds that of a session.
        collectiveGroupLeader: collectiveLeader(memberCluster) ?? "",
      },
    };
  }
  // A master waits forever for every task of its cluster that passes the filters.
  return members.length === allTasks.length
    ? config
    : { ...config, deviceFilters: members.map(taskDeviceName) };
}
