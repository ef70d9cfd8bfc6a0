/**
 * Everything between this machine and others, put together: who it is, whom it trusts, how it is found, what it answers,
 * and the lines to paired machines. It has no logic of its own.
 */
import { join } from "node:path";
import { inBackground } from "../../worker-runtime/faults.js";
import { deviceIdSchema, type MachineFacts, type PairingState, type Role } from "../api/machines.js";
import type { LinkSpeed } from "../api/reachability.js";
import { type PortHolder, TunnelService } from "../cluster/tunnel/tunnel-service.js";
import type { MachineDescriber } from "../machine/machine-describer.js";
import type { FirewallTool } from "../network/firewall/tool.js";
import { type Prober, probeAddress } from "../network/reachability/probe.js";
import { noSuchMachine, problem } from "../shared/problems.js";
import type { Isolation } from "../tasks/isolation/isolation.js";
import type { HostTask, TaskHost } from "../tasks/task-host.js";
import { AgentConnection } from "./agent/agent-connection.js";
import { AgentService } from "./agent/agent-service.js";
import { LinkMeter } from "./agent/link-meter.js";
import type { SharedWindow } from "./agent/shared-window.js";
import { acceptWindow, admitsToWindow } from "./agent/window-protocol.js";
import type { TunnelHost } from "./cluster-machine.js";
import { mayOwnTasks, removeTasksOfFormerOwners } from "./former-owners.js";
import { elsewhere, guardedProber } from "./guarded-prober.js";
import { type Identity, loadIdentity } from "./identity/identity.js";
import { renewIfAsked } from "./identity/new-identity.js";
import type { NetworkScope } from "./network-scope.js";
import { PairingService } from "./pairing/pairing-service.js";
import { Alpn } from "./port/agent-peer.js";
import type { AgentPort } from "./port/agent-port.js";
import { dialAgent, dialUnknownAgent } from "./port/dial-agent.js";
import { Presence } from "./presence.js";
import { CloneWatch } from "./registry/clone-watch.js";
import { MachineRegistry } from "./registry/machine-registry.js";
import { probe } from "./registry/probing.js";
import { TrustStore } from "./trust/trust-store.js";

/** Who this installation is and whom it trusts; read before anything else is made. */
export interface Credentials {
  readonly identity: Identity;
  readonly trust: TrustStore;
}

/** @throws ProblemError when the files of the data folder cannot be read, or made. */
export async function loadCredentials(dataDir: string): Promise<Credentials> {
  await renewIfAsked(dataDir);
  const [identity, trust] = await Promise.all([loadIdentity(dataDir), TrustStore.load(dataDir)]);
  return { identity, trust };
}

export interface ControlPlaneOptions extends Credentials {
  readonly dataDir: string;
  readonly scope: NetworkScope;
  readonly port?: number;
  readonly name: () => string;
  readonly machine: MachineDescriber;
  readonly tasks: TaskHost;
  /** Whether a server that somebody else started here, and that the cluster uses, listens at a port. */
  readonly isLocalServer: (port: number) => boolean;
  /** Tasks of this machine that are shut off from the network. */
  readonly isolation: Pick<Isolation, "connectTask" | "setTunnelPorts">;
  readonly firewall: FirewallTool;
  /** Whether the network may reach tasks that other machines start here. */
  readonly mayExpose: () => boolean;
  /** Absent where the window is not a page that can be shown elsewhere. */
  readonly sharedWindow?: SharedWindow;
  readonly onPairing: (state: PairingState | undefined) => void;
}

export class ControlPlane {
  readonly presence: Presence;
  readonly pairing: PairingService;
  readonly tunnels: TunnelService;
  readonly links: LinkMeter;
  readonly machines: MachineRegistry<AgentConnection>;
  readonly clones: CloneWatch;
  /** Machines whose device ID the user gave, and not the network. */
  readonly #vouchedFor = new Set<string>();
  readonly #sharedWindow: SharedWindow | undefined;
  readonly #agent: AgentService;
  readonly #stopWatching: () => void;
  readonly #stopRemoving: () => void;
  /** Paired machines that answered last time. */
  readonly #online = new Set<string>();
  readonly #trust: TrustStore;
  readonly #machine: MachineDescriber;
  readonly #loadListeners = new Set<() => void>();
  readonly #ownId: string;
  readonly #tasks: TaskHost;
  readonly #isLocalServer: (port: number) => boolean;

  constructor(options: ControlPlaneOptions) {
    const { identity, trust, machine, tasks, dataDir, scope, port, name } = options;
    this.#trust = trust;
    this.#machine = machine;
    this.#ownId = identity.deviceId;
    this.#tasks = tasks;
    this.#isLocalServer = options.isLocalServer;
    this.#sharedWindow = options.sharedWindow;
    this.tunnels = new TunnelService({
      ownId: identity.deviceId,
      trust: {
        // This machine may do anything here: its own cluster is one of those that have tunnels.
        get: (id) => (id === identity.deviceId ? { grantedRole: "manage" } : trust.get(id)),
        onChange: (listener) => trust.onChange(() => listener()),
      },
      // Whoever asks for a tunnel may know other ways to the machine than this one, and none where all are link-local.
      dial: ({ addresses, ...request }) => {
        const all = new Set([...addresses, ...this.machines.agentAddresses(request.deviceId)]);
        return dialAgent({ ...request, addresses: [...all], identity, alpn: Alpn.tunnel });
      },
      taskAt: (candidate) =>
        portHolder(tasks.tasks(), candidate) ??
        (options.isLocalServer(candidate) ? { owner: identity.deviceId, runs: true } : undefined),
      connectTask: options.isolation.connectTask,
      onPorts: options.isolation.setTunnelPorts,
    });
    this.#stopRemoving = removeTasksOfFormerOwners(trust, identity.deviceId, tasks);
    this.links = new LinkMeter({ identity, trust });
    this.pairing = new PairingService({
      identity,
      trust,
      name,
      emit: options.onPairing,
    });
    this.#agent = new AgentService({
      firewall: options.firewall,
      mayExpose: options.mayExpose,
      prober: guardedProber((candidate) => this.#isClusterPort(candidate)),
      ...(options.sharedWindow ? { window: options.sharedWindow } : {}),
      deviceId: identity.deviceId,
      trust,
      machine,
      tasks,
      tunnels: {
        setTunnels: async (owner, request) => (await this.tunnels.setTunnels(owner, request)).takenPorts,
      },
      links: {
        measureLink: async (deviceId, addresses, signal) =>
          await this.links.measureLink(deviceId, await elsewhere(addresses, signal), signal),
      },
    });
    this.clones = new CloneWatch({
      ownId: identity.deviceId,
      confirm: provesIdentity,
      onChange: () => this.machines.refresh(),
    });
    this.presence = new Presence({
      identity,
      trust,
      scope,
      onInstance: (deviceId, instance, place) => this.clones.heard(deviceId, instance, place),
      ...(port === undefined ? {} : { port }),
      name,
      serve: (agentPort) => this.#serve(agentPort),
    });
    const ownTunnels: TunnelHost = {
      setTunnels: async (request) => (await this.tunnels.setTunnels(identity.deviceId, request)).takenPorts,
    };
    this.machines = new MachineRegistry({
      own: {
        tasks,
        tunnels: ownTunnels,
        facts: () => ownFacts(identity, machine),
        onChange: (listener) => {
          this.#loadListeners.add(listener);
          const stop = machine.onChange(listener);
          return () => {
            stop();
            this.#loadListeners.delete(listener);
          };
        },
      },
      trust,
      connect: (trusted, addresses) =>
        new AgentConnection({
          identity,
          deviceId: trusted.deviceId,
          certPem: trusted.certPem,
          name: trusted.name,
          addresses,
        }),
      discovery: this.presence,
      clones: this.clones,
      probe,
      askAgent: async (address, signal) => {
        const { socket, deviceId } = await dialUnknownAgent({
          identity,
          addresses: [address],
          alpn: Alpn.pairing,
          signal,
        });
        socket.destroy();
        // A machine tells its name in a pairing or an announcement only.
        return { deviceId, name: "" };
      },
      file: join(dataDir, "machines.json"),
    });
    this.#stopWatching = this.machines.onChange(() => this.#followPresence());
  }

  /** Measures how busy this machine is, for its own windows, until the returned function is called. */
  measureOwnLoad(): () => void {
    return this.#machine.onMetrics(() => {
      for (const listener of [...this.#loadListeners]) listener();
    });
  }

  /** Takes in a machine by address or device ID; answers its id. */
  async add(text: string): Promise<string> {
    const machineId = await this.machines.add(text);
    if (deviceIdSchema.safeParse(text).success) this.#vouchedFor.add(machineId);
    return machineId;
  }

  /** The line to a paired machine. @throws ProblemError NOT_FOUND for one that is not paired. */
  link(machineId: string): AgentConnection {
    const link = this.machines.link(machineId);
    if (link) return link;
    throw problem("NOT_FOUND", "This machine is not paired with the one here.", {
      remedy: "Pair them first.",
    });
  }

  /** Whether a machine, this one or another, may have tasks here. */
  mayOwnTasks(deviceId: string): boolean {
    return mayOwnTasks(this.#trust, this.#ownId, deviceId);
  }

  /** Whether a machine has a connection to this one now, though it may not answer itself. */
  isCalledBy(machineId: string): boolean {
    return this.#agent.isCalledBy(machineId);
  }

  /** How a paired machine dials; undefined where it cannot be asked. */
  proberOf(machineId: string): Prober | undefined {
    const link = this.machines.link(machineId);
    return link && ((request) => link.probe(request));
  }

  /** Measures how fast one machine sends to another, wherever the two are. */
  async measureLink(from: string, to: string, signal: AbortSignal): Promise<LinkSpeed> {
    const addresses = this.machines.agentAddresses(to);
    return from === this.#ownId
      ? await this.links.measureLink(to, addresses, signal)
      : await this.link(from).measureLink(to, addresses, signal);
  }

  /** Begins a pairing with a listed machine. @throws ProblemError NOT_FOUND, FAILED_PRECONDITION. */
  async pair(machineId: string, grantedRole: Role): Promise<void> {
    const facts = this.machines.facts(machineId);
    if (!facts) throw noSuchMachine(machineId);
    await this.pairing.start({
      machineId,
      addresses: this.machines.agentAddresses(machineId),
      name: facts.name,
      grantedRole,
      idIsVouchedFor: this.#vouchedFor.has(machineId),
    });
  }

  /** Ends every line and listens no more. */
  async close(): Promise<void> {
    this.clones.close();
    this.#stopWatching();
    this.#stopRemoving();
    await this.presence.close();
    this.#agent.close();
    await this.pairing.close();
    await Promise.all([this.machines.close(), this.tunnels.close()]);
    await this.#trust.close();
  }

  /** Connections through tunnels to a machine that is gone would else wait until the system gives up resending. */
  #followPresence(): void {
    for (const { facts } of this.machines.list()) {
      if (facts.kind !== "paired") continue;
      if (facts.presence === "online") this.#online.add(facts.id);
      else if (this.#online.delete(facts.id)) this.tunnels.disconnect(facts.id);
    }
  }

  /** Whether a port of this machine is one that others have to do with: of a task, a tunnel or the agent. */
  #isClusterPort(port: number): boolean {
    return (
      port === this.presence.port ||
      this.#tasks.tasks().some((task) => task.port === port) ||
      this.#isLocalServer(port) ||
      this.tunnels.status().some((tunnel) => tunnel.port === port)
    );
  }

  #serve(agentPort: AgentPort): void {
    agentPort.handle(Alpn.grpc, (peer) => this.#agent.accept(peer));
    agentPort.handle(Alpn.tunnel, this.tunnels.serve, this.tunnels.admitsPeer);
    const sharedWindow = this.#sharedWindow;
    if (sharedWindow) {
      agentPort.handle(
        Alpn.window,
        ({ socket }) => inBackground(acceptWindow(socket, sharedWindow)),
        admitsToWindow,
      );
    }
    this.pairing.listenAt(agentPort);
  }
}

/** Whether a machine with that key answers at an address. TLS proves it to whoever connects, answered or not. */
async function provesIdentity(deviceId: string, address: string, signal: AbortSignal): Promise<boolean> {
  try {
    const layers = await probeAddress({ address, kind: "agent", tries: 1, signal });
    return layers.some(
      ({ layer, outcome, detail }) => layer === "tls" && outcome === "ok" && detail === deviceId,
    );
  } catch {
    // Called off, or an address that cannot be dialled from here.
    return false;
  }
}

function portHolder(tasks: readonly HostTask[], port: number): PortHolder | undefined {
  const task = tasks.find((candidate) => candidate.port === port);
  return task && { owner: task.owner, runs: task.state !== "stopped" && task.state !== "failed" };
}

function ownFacts(identity: Identity, machine: MachineDescriber): MachineFacts {
  return {
    ...machine.description(),
    id: identity.deviceId,
    kind: "this",
    presence: "online",
    metrics: [...machine.metrics()],
  };
}
