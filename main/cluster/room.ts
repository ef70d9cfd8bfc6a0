/** The cluster: the tasks on all machines, and the tunnels and the gateway through which they are reached. */
import type { clusterMethods } from "../api/cluster.js";
import type { PeersPort } from "../peers/room.js";
import type { SettingsPort } from "../settings/room.js";
import type { EmitEvent } from "../shared/events.js";
import type { HandlersOf } from "../shared/handlers.js";
import { once, type Room } from "../shared/room.js";
import type { OpenProbe } from "../tasks/health.js";
import type { TasksRoom } from "../tasks/room.js";
import type { HostTask } from "../tasks/task-host.js";
import { ClusterGateway } from "./cluster-gateway.js";
import { ClusterService } from "./cluster-service.js";
import type { TaskUse } from "./tunnel/tunnel-exit.js";
import { type PortHolder, TunnelService } from "./tunnel/tunnel-service.js";

export interface ClusterOptions {
  readonly peers: Pick<
    PeersPort,
    "ownId" | "machines" | "discovery" | "trust" | "dialTunnel" | "attachCluster"
  >;
  /** The tasks of this machine. */
  readonly tasks: Pick<TasksRoom, "host" | "isolation" | "attachTunnels">;
  /** For foreign servers. */
  readonly openProbe: OpenProbe;
  readonly settings: Pick<SettingsPort, "now">;
  readonly emit: EmitEvent;
  /** File that keeps membership, access, foreign servers and colours. */
  readonly file: string;
}

/** The ports that the cluster offers to the other rooms. */
export type ClusterPort = Pick<
  ClusterService,
  "tasks" | "state" | "samples" | "membership" | "onChange" | "onSamples" | "startTask" | "noteVariables"
>;

export interface ClusterRoom extends Room<HandlersOf<typeof clusterMethods>> {
  readonly cluster: ClusterPort;
  /** Resolves when the saved state of the cluster has been read: restored tasks then get their former colours. */
  readonly loaded: Promise<void>;
  /** The tasks of this machine that other machines use now, each through a tunnel. */
  uses(): TaskUse[];
  /** Sets what tells whether a run of this machine goes on. Runs are created after this room. */
  attachRuns(isOwnRun: () => boolean): void;
}

export function createCluster(options: ClusterOptions): ClusterRoom {
  const { peers, tasks, openProbe, settings, emit, file } = options;
  const { ownId, trust } = peers;
  const gateway = new ClusterGateway();
  const cluster = new ClusterService({
    machines: peers.machines,
    emit,
    openProbe,
    file,
    discovery: () => peers.discovery.state(),
    gateway: () => gateway.state(),
    stopPsWithLastWorker: async () => settings.now().stopPsWithLastWorker,
    reachPort: (port) => tasks.isolation.reach(port),
  });
  gateway.follow(cluster);
  let isOwnRun = () => false;
  const tunnels = new TunnelService({
    ownId,
    trust: {
      // This machine may do anything here, so its own cluster may have tunnels.
      get: (id) => (id === ownId ? { grantedRole: "manage" } : trust.get(id)),
      onChange: (listener) => trust.onChange(() => listener()),
    },
    dial: (request) => peers.dialTunnel(request),
    taskAt: (port) =>
      portHolder(tasks.host.tasks(), port) ??
      (cluster.hasLocalServer(port) ? { owner: ownId, runs: true } : undefined),
    connectTask: tasks.isolation.connectTask,
    onPorts: tasks.isolation.setTunnelPorts,
    isOwnRun: () => isOwnRun(),
  });
  tasks.attachTunnels(tunnels.accept);
  peers.attachCluster({
    setTunnels: async (owner, request) => (await tunnels.setTunnels(owner, request)).takenPorts,
    serveTunnels: tunnels.serve,
    admitsPeer: tunnels.admitsPeer,
    disconnect: (deviceId) => tunnels.disconnect(deviceId),
    usesPort: (port) =>
      cluster.hasLocalServer(port) || tunnels.status().some((tunnel) => tunnel.port === port),
    forgetHost: (machineId) => cluster.forgetHost(machineId),
  });
  const stopListening = peers.discovery.onChange(() => cluster.refresh());
  const endWork = once(async () => {
    stopListening();
    await cluster.dispose();
  });
  return {
    handlers: {
      "cluster.get": () => cluster.state(),
      "cluster.addTasks": (request) => cluster.addTasks(request),
      "cluster.addForeign": (request) => cluster.addForeign(request),
      "cluster.applyTable": ({ rows }) => cluster.applyTable(rows),
      "cluster.setAccess": ({ access }) => cluster.setAccess(access),
      "cluster.clearState": ({ taskId }) => cluster.clearState(taskId),
      "cluster.startTask": ({ taskId }) => cluster.startTask(taskId),
      "cluster.stopTask": ({ taskId }) => cluster.stopTask(taskId),
      "cluster.restartTask": ({ taskId }) => cluster.restartTask(taskId),
      "cluster.removeTask": ({ taskId }) => cluster.removeTask(taskId),
      "cluster.setMembership": ({ membership }) => cluster.setMembership(membership),
      "cluster.taskLog": ({ taskId, afterSequence }) => cluster.taskLog(taskId, afterSequence),
    },
    cluster,
    loaded: cluster.loaded,
    uses: () => tunnels.uses(),
    attachRuns: (asked) => {
      isOwnRun = asked;
    },
    endWork,
    dispose: once(async () => {
      await endWork();
      await Promise.allSettled([gateway.close(), tunnels.close()]);
    }),
  };
}

function portHolder(tasks: readonly HostTask[], port: number): PortHolder | undefined {
  const task = tasks.find((candidate) => candidate.port === port);
  return task && { owner: task.owner, runs: task.state !== "stopped" && task.state !== "failed" };
}
