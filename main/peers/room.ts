/**
 * This machine among others: its identity, the machines it trusts, discovery, its own agent, and the connections to the
 * agents of paired machines.
 */
import type { Socket } from "node:net";
import { inBackground } from "../../worker-runtime/faults.js";
import { type DiscoveryState, deviceIdSchema, type Role } from "../api/machines.js";
import type { peerMethods } from "../api/peers.js";
import type { Throughput } from "../api/reachability.js";
import type { MachineRoom } from "../machine/room.js";
import type { FirewallTool } from "../network/firewall/tool.js";
import type { Prober } from "../network/reachability/probe.js";
import type { ScriptsRoom } from "../scripts/room.js";
import type { SettingsPort } from "../settings/room.js";
import type { EmitEvent } from "../shared/events.js";
import type { HandlersOf } from "../shared/handlers.js";
import { defined, noSuchMachine, problem } from "../shared/problems.js";
import { once, type Room } from "../shared/room.js";
import type { Watchers } from "../shared/watchers.js";
import type { TaskHost } from "../tasks/task-host.js";
import { AgentConnection } from "./agent/agent-connection.js";
import { AgentService } from "./agent/agent-service.js";
import type { KnownPeers } from "./agent/instance-lock.js";
import type { SharedWindow } from "./agent/shared-window.js";
import { ThroughputMeter } from "./agent/throughput-meter.js";
import { acceptWindow, admitsToWindow } from "./agent/window-protocol.js";
import type { ClusterMachines } from "./cluster-machine.js";
import type { Credentials } from "./credentials.js";
import { activeTasksOf, removeTasksOfFormerOwners } from "./former-owners.js";
import { elsewhere, guardedProber } from "./guarded-prober.js";
import { requestNewIdentity } from "./identity/new-identity.js";
import { type LocalCluster, noCluster } from "./local-cluster.js";
import type { NetworkScope } from "./network-scope.js";
import { ownMachine } from "./own-machine.js";
import { PairingService } from "./pairing/pairing-service.js";
import { Alpn } from "./port/agent-peer.js";
import { dialAgent, dialUnknownAgent } from "./port/dial-agent.js";
import { CloneWatch } from "./registry/clone-watch.js";
import { MachineRegistry } from "./registry/machine-registry.js";
import { probe } from "./registry/probing.js";
import { provesIdentity } from "./registry/proves-identity.js";
import { Visibility } from "./visibility.js";

export interface PeersOptions {
  readonly credentials: Credentials;
  readonly settings: SettingsPort;
  readonly machine: MachineRoom;
  /** The tasks of this machine, and the engines that can run here. */
  readonly tasks: { readonly host: TaskHost; lookForRuntime(): Promise<void> };
  /** Runs the scripts of other machines here. */
  readonly scripts: Pick<ScriptsRoom, "run" | "serve" | "admits" | "scriptsOf">;
  /** The firewall of this machine. */
  readonly firewall: FirewallTool;
  readonly watchers: Pick<Watchers, "whileAny">;
  readonly emit: EmitEvent;
  readonly dataDir: string;
  /** File that keeps the machines that were added by address. */
  readonly machinesFile: string;
  readonly scope: NetworkScope;
  /** Port at which the agent listens; the default one unless given. */
  readonly port?: number | undefined;
  /** Absent if the window is not a page that other machines can show. */
  readonly sharedWindow?: SharedWindow | undefined;
}

/** The ports that this room offers to the other rooms. */
export interface PeersPort {
  /** Device ID of this machine. */
  readonly ownId: string;
  readonly machines: ClusterMachines;
  /** Whether machines announce themselves. */
  readonly discovery: {
    state(): DiscoveryState;
    onChange(listener: () => void): () => void;
  };
  /** The rights of a paired machine here. */
  readonly trust: Pick<Credentials["trust"], "get" | "onChange">;
  /** Opens a connection for tunnels to a machine's agent, at the given addresses or any other known one. */
  dialTunnel(request: {
    readonly deviceId: string;
    readonly addresses: readonly string[];
    readonly signal: AbortSignal;
  }): Promise<Socket>;
  /** Probes addresses from a paired machine; undefined if it cannot be asked. */
  proberOf(machineId: string): Prober | undefined;
  /** The firewall of a paired machine; undefined if it cannot be asked. */
  firewallOf(machineId: string): FirewallTool | undefined;
  /** Whether a machine has a connection to this one now, even if it does not answer connections itself. */
  isCalledBy(machineId: string): boolean;
  /** Measures how fast one machine sends to another, wherever the two are. */
  measureThroughput(from: string, to: string, signal: AbortSignal): Promise<Throughput>;
  attachCluster(cluster: LocalCluster): void;
}

export interface PeersRoom extends Room<HandlersOf<typeof peerMethods>>, PeersPort {
  knownPeers(): KnownPeers;
  /** Lets other machines find and reach this one, if the settings say so. Resolves when they can. */
  show(): Promise<void>;
}

export function createPeers(options: PeersOptions): PeersRoom {
  const { credentials, settings, machine, tasks, scripts, firewall, watchers, emit, sharedWindow } = options;
  const { identity, trust } = credentials;
  const ownId = identity.deviceId;
  const name = () => machine.description().name;
  let cluster: LocalCluster = noCluster;

  const visibility = new Visibility({
    ...{ identity, trust, name, scope: options.scope },
    ...defined({ port: options.port }),
  });
  machine.add({ agentPort: () => visibility.port });
  const pairing = new PairingService({ identity, trust, name, emit: (state) => emit("pairing", state) });
  const throughput = new ThroughputMeter({ identity, trust });
  const isClusterPort = (port: number) =>
    port === visibility.port ||
    tasks.host.tasks().some((task) => task.port === port) ||
    cluster.usesPort(port);
  const agent = new AgentService({
    deviceId: ownId,
    ...{ firewall, trust, machine },
    tasks: tasks.host,
    mayExpose: () => settings.now().allowExposedTasks,
    prober: guardedProber(isClusterPort),
    tunnels: { setTunnels: (owner, request) => cluster.setTunnels(owner, request) },
    throughput: {
      measureThroughput: async (deviceId, addresses, signal) =>
        await throughput.measureThroughput(deviceId, await elsewhere(addresses, signal), signal),
    },
    scripts,
    ...defined({ window: sharedWindow }),
  });
  visibility.onPort((port) => {
    port.handle(Alpn.grpc, (peer) => agent.accept(peer));
    port.handle(
      Alpn.tunnel,
      (peer) => cluster.serveTunnels(peer),
      (peer) => cluster.admitsPeer(peer),
    );
    port.handle(Alpn.script, scripts.serve, scripts.admits);
    if (sharedWindow) {
      port.handle(
        Alpn.window,
        ({ socket }) => inBackground(acceptWindow(socket, sharedWindow)),
        admitsToWindow,
      );
    }
    pairing.listenAt(port);
  });
  const clones = new CloneWatch({ ownId, confirm: provesIdentity });
  visibility.onInstance((deviceId, instance, address) => clones.heard(deviceId, instance, address));
  const own = ownMachine({
    ...{ ownId, machine, watchers, tasks: tasks.host },
    tunnels: { setTunnels: (request) => cluster.setTunnels(ownId, request) },
  });
  const machines = new MachineRegistry({
    own,
    trust,
    connect: ({ deviceId, certPem, name }, addresses) =>
      new AgentConnection({ identity, deviceId, certPem, name, addresses }),
    discovery: visibility,
    clones,
    probe,
    askAgent: async (address, signal) => {
      const { socket, deviceId } = await dialUnknownAgent({
        identity,
        addresses: [address],
        alpn: Alpn.pairing,
        signal,
      });
      socket.destroy();
      // A machine reveals its name only when it pairs or announces itself.
      return { deviceId, name: "" };
    },
    file: options.machinesFile,
  });
  /** Machines whose device ID came from the user and not from the network. */
  const vouchedFor = new Set<string>();
  const remote = (machineId: string): AgentConnection => {
    const found = machines.remote(machineId);
    if (found) return found;
    throw problem("NOT_FOUND", "That machine is not paired with this one.", {
      remedy: "Pair them first.",
    });
  };
  const pair = async (machineId: string, grantedRole: Role) => {
    const facts = machines.facts(machineId);
    if (!facts) throw noSuchMachine(machineId);
    await pairing.start({
      ...{ machineId, grantedRole, name: facts.name },
      addresses: machines.agentAddresses(machineId),
      idIsVouchedFor: vouchedFor.has(machineId),
    });
  };
  const stops = [
    removeTasksOfFormerOwners(trust, ownId, tasks.host),
    visibility.onChange(() => machine.tellChanges()),
    tellWhoIsGone(machines, (machineId) => cluster.disconnect(machineId)),
    settings.onChange(async ({ before, now, wanted }) => {
      if (now.machineName !== before.machineName) visibility.renamed();
      if (wanted.visible !== undefined) await visibility.setVisible(wanted.visible);
    }),
  ];

  return {
    handlers: {
      "machines.identity": () => ({
        deviceId: ownId,
        name: name(),
        ...defined({ agentPort: visibility.port }),
      }),
      "machines.add": async ({ address }) => {
        const machineId = await machines.add(address);
        if (deviceIdSchema.safeParse(address).success) vouchedFor.add(machineId);
        return machineId;
      },
      "machines.forget": ({ machineId }) =>
        machineId.startsWith("foreign:") ? cluster.forgetHost(machineId) : machines.forget(machineId),
      "machines.hosted": ({ machineId }) => ({
        tasks: activeTasksOf(machineId, tasks.host.tasks()),
        scripts: scripts.scriptsOf(machineId),
      }),
      "machines.setRole": ({ machineId, role }) => machines.setRole(machineId, role),
      "machines.search": () => machines.search(),
      "machines.newIdentity": () => requestNewIdentity(options.dataDir),
      "machines.openWindow": ({ machineId }) => remote(machineId).openWindow(),
      "pairing.get": () => pairing.state(),
      "pairing.start": ({ machineId, grantedRole }) => pair(machineId, grantedRole),
      "pairing.enterCode": ({ code }) => pairing.enterCode(code),
      "pairing.setGrantedRole": ({ role }) => pairing.setGrantedRole(role),
      "pairing.close": () => pairing.close(),
    },
    ownId,
    machines,
    discovery: visibility,
    trust,
    dialTunnel: ({ addresses, ...request }) => {
      // The requesting machine may know other addresses of the machine, and this one may know none that are
      // not link-local.
      const all = new Set([...addresses, ...machines.agentAddresses(request.deviceId)]);
      return dialAgent({ ...request, addresses: [...all], identity, alpn: Alpn.tunnel });
    },
    proberOf: (machineId) => {
      const found = machines.remote(machineId);
      return found && ((request) => found.probe(request));
    },
    firewallOf: (machineId) => machines.remote(machineId),
    isCalledBy: (machineId) => agent.callers().includes(machineId),
    measureThroughput: async (from, to, signal) => {
      const addresses = machines.agentAddresses(to);
      return from === ownId
        ? await throughput.measureThroughput(to, addresses, signal)
        : await remote(from).measureThroughput(to, addresses, signal);
    },
    attachCluster: (attached) => {
      cluster = attached;
    },
    knownPeers: () => ({
      clones: Object.fromEntries([...clones.all()].map(([id, addresses]) => [id, [...addresses]])),
      callers: agent.callers(),
    }),
    show: async () => {
      await visibility.setVisible(settings.now().visible);
      // Other machines show which engines can run here, whether or not this one has a window.
      if (visibility.port !== undefined) await tasks.lookForRuntime();
    },
    dispose: once(async () => {
      clones.close();
      for (const stop of stops) stop();
      await visibility.close();
      agent.close();
      await pairing.close();
      await machines.close();
      own.close();
      await trust.close();
    }),
  };
}

/** Otherwise tunnelled connections to a machine that is gone would wait until TCP retransmission times out. */
function tellWhoIsGone(machines: ClusterMachines, gone: (machineId: string) => void): () => void {
  /** Paired machines that were online at the previous check. */
  const online = new Set<string>();
  return machines.onChange(() => {
    for (const { facts } of machines.list()) {
      if (facts.kind !== "paired") continue;
      if (facts.presence === "online") online.add(facts.id);
      else if (online.delete(facts.id)) gone(facts.id);
    }
  });
}
