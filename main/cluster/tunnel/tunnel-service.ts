/**
 * The tunnels of secure clusters. Every task has a port that no other task of its cluster has, and the ClusterSpec names
 * all of them as localhost:port. On each machine this service listens on the ports of the tasks elsewhere, and carries
 * connections to them over mutual TLS to the machine that has the task. TensorFlow and stock scripts see loopback
 * addresses only, the same on every machine.
 */
import type { Socket } from "node:net";
import { inBackground, reportFault } from "../../../worker-runtime/faults.js";
import type { Role } from "../../api/machines.js";
import type { TunnelRequest } from "../../peers/agent/tunnel-request.js";
import { problem } from "../../shared/problems.js";
import { isPortFree } from "../../tasks/ports.js";
import { isTaskPort } from "../../tasks/task-ports.js";
import { gated } from "./dial-gate.js";
import { type AgreedTunnel, TunnelClaims } from "./tunnel-claims.js";
import { TunnelConnections } from "./tunnel-connections.js";
import { type DialTunnel, TunnelEntrance, type TunnelStatus } from "./tunnel-entrance.js";
import { type TaskUse, TunnelExit, type TunnelPeer } from "./tunnel-exit.js";

/** The paired machines, as far as the service needs them. */
export interface TunnelTrust {
  /** The machine with this device ID and what it may do here, if it is paired. */
  get(deviceId: string): { readonly grantedRole: Role } | undefined;
  /** Calls the listener after every change, until the returned function is called. */
  onChange(listener: () => void): () => void;
}

export interface PortHolder {
  /** Device ID of the machine that had the task started. */
  readonly owner: string;
  /** Whether it listens, or is about to. Otherwise its port may meanwhile belong to another program. */
  readonly runs: boolean;
}

export interface TunnelCollaborators {
  /** Device ID of this machine: the owner of its own cluster. */
  readonly ownId: string;
  readonly trust: TunnelTrust;
  readonly dial: DialTunnel;
  /** The task of this machine that has a port; undefined if there is none. */
  readonly taskAt: (port: number) => PortHolder | undefined;
  /** Opens a connection to a task of this machine; 127.0.0.1 unless given. */
  readonly connectTask?: (port: number) => Promise<Socket>;
  /**
   * Called with the ports of all tunnels whenever they have changed; callers that wait for a change wait for
   * this, too.
   */
  readonly onPorts?: (ports: readonly number[]) => Promise<void>;
  /** Whether tunnels may listen on a port; by default on those of tasks. */
  readonly mayTakePort?: (port: number) => boolean;
  /** See `TunnelExitOptions`. */
  readonly isOwnRun?: () => boolean;
  /** Maximum concurrent connections of one machine; 1024 unless given. */
  readonly connectionsPerPeer?: number;
}

const HIGHEST_PORT = 65_535;

export class TunnelService {
  readonly #collaborators: TunnelCollaborators;
  readonly #dial: DialTunnel;
  readonly #claims: TunnelClaims;
  readonly #entrances = new Map<number, TunnelEntrance>();
  readonly #exit: TunnelExit;
  readonly #connections = new TunnelConnections();
  readonly #stopListening: () => void;
  /** Changes are made one after the other: a port is freed before it is listened on again. */
  #queue: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(collaborators: TunnelCollaborators) {
    this.#collaborators = collaborators;
    this.#dial = gated(async (request) => {
      const socket = await collaborators.dial(request);
      this.#connections.add(socket);
      return socket;
    });
    this.#claims = new TunnelClaims(collaborators.ownId);
    const { taskAt, connectTask, isOwnRun, connectionsPerPeer, trust } = collaborators;
    this.#exit = new TunnelExit({
      admits: (deviceId, port) => this.#mayRun(deviceId) || this.#isVouchedFor(deviceId, port),
      isTaskPort: (port) => taskAt(port)?.runs === true,
      connectTask,
      isOwnRun,
      connectionsPerPeer,
    });
    this.#stopListening = trust.onChange(() => this.#reviewTrust());
  }

  /**
   * Sets the tunnels that an owner wants here and the machines that it admits; replaces its previous claims.
   * Connections of tunnels that stay go on; those of tunnels and admissions that are gone end. Tunnels to this machine
   * itself are skipped, so that one list serves all machines of a cluster.
   *
   * @param owner Device ID of the machine whose cluster it is.
   * @returns The ports at which connections will not reach the machine that the owner wants: another program listens
   *   there, a task of this machine, or a tunnel of another owner to another machine; or it is not a port of tasks.
   * @throws ProblemError PERMISSION_DENIED for an owner that may not run anything here; INVALID_ARGUMENT for an invalid
   *   port or two tunnels with one port; UNAVAILABLE when the service is closed.
   */
  async setTunnels(
    owner: string,
    { tunnels: wanted, admissions }: TunnelRequest,
  ): Promise<{ takenPorts: number[] }> {
    if (!this.#mayRun(owner)) {
      throw problem("PERMISSION_DENIED", "That machine may not set up tunnels here.", {
        reason: "It is not paired with this machine, or may only view it.",
        remedy: "Allow it to run graphs here, in this machine's list of paired machines.",
        details: `device ID ${owner}`,
      });
    }
    // An owner repeats it to a machine that was offline, which may have come back with another address.
    this.#connections.dropStranded();
    const tunnels = wanted.filter(({ deviceId }) => deviceId !== this.#collaborators.ownId);
    checkPorts(tunnels.map(({ port }) => port));
    this.#claims.set(owner, { tunnels, admissions });
    this.#exit.recheck();
    await this.#reconcile();
    const agreed = this.#claims.agreed();
    const unheard = tunnels.flatMap(({ port }) => (this.#entrances.has(port) ? [] : [port]));
    return {
      takenPorts: [...new Set([...this.#claims.lost(owner, agreed), ...unheard])].sort((a, b) => a - b),
    };
  }

  /** Ends everything that an owner has set up. Resolves when its ports are free or belong to another owner. */
  async forget(owner: string): Promise<void> {
    if (!this.#claims.delete(owner)) return;
    this.#exit.recheck();
    await this.#reconcile();
  }

  /** Whether a machine may name the task it wants to reach, i.e. whether there is any that it may reach. */
  readonly admitsPeer = ({ deviceId }: { readonly deviceId: string }): boolean =>
    !this.#closed && (this.#mayRun(deviceId) || this.#claims.admitsAnywhere(deviceId));

  /** Takes over a connection of another machine's agent that was opened for tunnels. */
  readonly serve = (peer: TunnelPeer): void => {
    if (this.#closed) peer.socket.destroy();
    else {
      this.#connections.add(peer.socket);
      this.#exit.serve(peer);
    }
  };

  /**
   * Breaks all connections with a machine that is known to be gone. Otherwise a client that has just sent something
   * would wait for the answer until TCP retransmission times out, a quarter of an hour later.
   */
  disconnect(deviceId: string): void {
    for (const entrance of this.#entrances.values()) {
      if (entrance.deviceId === deviceId) entrance.disconnect();
    }
    this.#exit.disconnect(deviceId);
  }

  /**
   * Carries a connection that did not come over the loopback interface of this machine: that of an isolated task.
   *
   * @returns False if no tunnel has the port; the connection is then left alone.
   */
  readonly accept = (port: number, client: Socket): boolean => {
    const entrance = this.#entrances.get(port);
    entrance?.accept(client);
    return entrance !== undefined;
  };

  /** The tunnels for which this machine listens, by port. */
  status(): TunnelStatus[] {
    return [...this.#entrances.values()].map((entrance) => entrance.status()).sort((a, b) => a.port - b.port);
  }

  /** The tasks of this machine that other machines use now of their own accord. */
  uses(): TaskUse[] {
    return this.#exit.uses();
  }

  /** Ends all tunnels, those of other machines into this one too; resolves when the ports are free. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#stopListening();
    this.#exit.close();
    for (const owner of this.#claims.owners()) this.#claims.delete(owner);
    await this.#reconcile();
  }

  #mayRun(deviceId: string): boolean {
    if (deviceId === this.#collaborators.ownId) return true;
    const role = this.#collaborators.trust.get(deviceId)?.grantedRole;
    return role === "run" || role === "manage";
  }

  /**
   * Whether a machine without rights here may nevertheless reach a task: the task's owner admits it, or a machine that
   * may do anything here. A machine that may run graphs can admit others to its own tasks only.
   */
  #isVouchedFor(deviceId: string, port: number): boolean {
    const { ownId, taskAt, trust } = this.#collaborators;
    const ownerOfTask = taskAt(port)?.owner;
    return this.#claims
      .vouchersFor(deviceId, port)
      .some(
        (owner) => owner === ownId || owner === ownerOfTask || trust.get(owner)?.grantedRole === "manage",
      );
  }

  #reviewTrust(): void {
    for (const owner of this.#claims.owners()) {
      if (!this.#mayRun(owner)) this.#claims.delete(owner);
    }
    this.#exit.recheck();
    inBackground(this.#reconcile());
  }

  /** Listens on exactly the ports that the claims agree on. Never rejects. */
  #reconcile(): Promise<void> {
    const reconcile = async () => {
      // The current claims: later ones reconcile again.
      const agreed = this.#claims.agreed();
      for (const [port, entrance] of this.#entrances) {
        if (agreed.get(port)?.deviceId === entrance.deviceId) continue;
        this.#entrances.delete(port);
        entrance.close();
      }
      for (const [port, tunnel] of agreed) {
        const entrance = this.#entrances.get(port) ?? (await this.#open(tunnel));
        if (!entrance) continue;
        entrance.update(tunnel);
        this.#entrances.set(port, entrance);
      }
      await this.#collaborators.onPorts?.([...this.#entrances.keys()]);
    };
    // A failure must not end all later ones.
    this.#queue = this.#queue.then(reconcile).catch(reportFault);
    return this.#queue;
  }

  async #open(tunnel: AgreedTunnel): Promise<TunnelEntrance | undefined> {
    // Not even for this machine's own cluster: the ports of its tasks are reported by the other machines.
    const { mayTakePort = isTaskPort, taskAt } = this.#collaborators;
    if (!mayTakePort(tunnel.port) || taskAt(tunnel.port)) return undefined;
    // Some systems let a loopback listener take the connections of a server that listens on all addresses.
    if (!(await isPortFree(tunnel.port))) return undefined;
    try {
      return await TunnelEntrance.open(tunnel, this.#dial);
    } catch {
      // Taken meanwhile, or not available to this user.
      return undefined;
    }
  }
}

function checkPorts(ports: readonly number[]): void {
  const seen = new Set<number>();
  for (const port of ports) {
    if (!Number.isInteger(port) || port < 1 || port > HIGHEST_PORT) {
      throw problem("INVALID_ARGUMENT", `A tunnel's port must be from 1 to ${HIGHEST_PORT}, not ${port}.`);
    }
    if (seen.has(port)) throw problem("INVALID_ARGUMENT", `Two tunnels have the port ${port}.`);
    seen.add(port);
  }
}
