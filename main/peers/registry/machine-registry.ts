/**
 * All known machines: this one, paired ones, and those that announce themselves or were added by address. A paired
 * machine is online if its agent answers; an announcement only tells where to connect.
 */

import { isDeepStrictEqual } from "node:util";
import { delay } from "../../../worker-runtime/cancellation/delay.js";
import { formatHostPort, parseHostPort } from "../../../worker-runtime/cluster/address.js";
import { inBackground } from "../../../worker-runtime/faults.js";
import { deviceIdSchema, type MachineFacts, type Role } from "../../api/machines.js";
import type { MachineSample } from "../../api/samples.js";
import { log } from "../../shared/log/log.js";
import { messageOf, problem } from "../../shared/problems.js";
import type { TaskHost } from "../../tasks/task-host.js";
import type { ClusterMachine, ClusterMachines, TunnelHost } from "../cluster-machine.js";
import type { Discovery } from "../discovery/discovery.js";
import type { Sighting } from "../discovery/sighting.js";
import { DEFAULT_AGENT_PORT } from "../port/agent-port.js";
import type { Learned, TrustStore } from "../trust/trust-store.js";
import type { TrustedMachine } from "../trust/trusted-machine.js";
import type { CloneWatch } from "./clone-watch.js";
import { knownAgentAddresses, pairedFacts, withClones } from "./machine-facts.js";
import type { ConnectMachine, RemoteMachine } from "./remote-machine.js";
import { type UnpairedCollaborators, UnpairedMachines } from "./unpaired-machines.js";

/** This machine, as shown in its window. */
export interface OwnMachine {
  readonly tasks: TaskHost;
  readonly tunnels?: TunnelHost;
  facts(): MachineFacts;
  /** Calls the listener when the facts change, until the returned function is called. */
  onChange(listener: () => void): () => void;
  /** Calls the listener with each sample while this machine is sampled, until the returned function is called. */
  onSample(listener: (sample: MachineSample) => void): () => void;
}

export interface RegistryCollaborators<L extends RemoteMachine>
  extends Pick<UnpairedCollaborators, "askAgent" | "probe" | "file"> {
  readonly own: OwnMachine;
  readonly trust: Pick<TrustStore, "all" | "get" | "put" | "update" | "remove" | "onChange">;
  readonly connect: ConnectMachine<L>;
  readonly discovery: Pick<Discovery, "sightings" | "sighting" | "onChange" | "search">;
  /** Detects machines that share an identity; absent: no detection. */
  readonly clones?: Pick<CloneWatch, "of" | "heard" | "onChange">;
}

const UNPAIR_MILLIS = 2000;
const KEPT_ADDRESSES = 16;
type SampleListener = (machineId: string, sample: MachineSample) => void;

interface Paired<L extends RemoteMachine> {
  readonly remote: L;
  readonly stopListening: () => void;
}

export class MachineRegistry<L extends RemoteMachine> implements ClusterMachines {
  readonly #collaborators: RegistryCollaborators<L>;
  readonly #unpaired: UnpairedMachines;
  readonly #paired = new Map<string, Paired<L>>();
  readonly #listeners = new Set<() => void>();
  readonly #sampleListeners = new Set<SampleListener>();
  readonly #stops: readonly (() => void)[];
  /** Connections that are being closed. */
  readonly #closing = new Set<Promise<void>>();
  /** The latest announced addresses of paired machines: new ones are dialled at once. */
  readonly #announced = new Map<string, Pick<Sighting, "port" | "addresses">>();
  #list: readonly ClusterMachine[] | undefined;
  #unlisted = 0;
  #closed = false;

  constructor(collaborators: RegistryCollaborators<L>) {
    this.#collaborators = collaborators;
    const { own, trust, discovery, clones, askAgent, probe, file } = collaborators;
    const ownId = own.facts().id;
    this.#unpaired = new UnpairedMachines({
      ...{ discovery, askAgent, probe },
      ...(file === undefined ? {} : { file }),
      isKnown: (id) => id === ownId || trust.get(id) !== undefined,
      addressesOf: (id) => this.agentAddresses(id),
      onChange: () => this.#changed(),
    });
    this.#stops = [
      own.onChange(() => this.#changed()),
      own.onSample((sample) => this.#measured(ownId, sample)),
      trust.onChange(() => this.#trustChanged()),
      discovery.onChange(() => this.#sightingsChanged()),
      ...(clones ? [clones.onChange(() => this.#changed())] : []),
    ];
    this.#trustChanged();
  }

  /** This machine first, then the paired ones in the order of their pairing, then the others by name. */
  list(): readonly ClusterMachine[] {
    this.#list ??= this.#compose();
    return this.#list;
  }

  /** How many unpaired machines announce themselves besides those that are listed. */
  unlisted(): number {
    this.list();
    return this.#unlisted;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  onSample(listener: SampleListener): () => void {
    this.#sampleListeners.add(listener);
    return () => this.#sampleListeners.delete(listener);
  }

  facts(machineId: string): MachineFacts | undefined {
    return this.list().find(({ facts }) => facts.id === machineId)?.facts;
  }

  /** A paired machine. */
  remote(machineId: string): L | undefined {
    return this.#paired.get(machineId)?.remote;
  }

  /** Where the agent of a machine may be, "host:port" each, the likeliest first; empty for one that is not known. */
  agentAddresses(machineId: string): string[] {
    const remote = this.#paired.get(machineId)?.remote;
    return knownAgentAddresses({
      trusted: this.#collaborators.trust.get(machineId),
      sighting: this.#collaborators.discovery.sighting(machineId),
      added: this.#unpaired.added(machineId),
      described: remote?.facts(),
    });
  }

  /**
   * Adds a machine by "host", "host:port" or device ID; resolves to its id.
   *
   * @throws ProblemError INVALID_ARGUMENT, UNAVAILABLE when nothing answers there, NOT_FOUND for a device ID that
   *   nobody announces.
   */
  async add(text: string): Promise<string> {
    if (deviceIdSchema.safeParse(text).success) {
      await this.#unpaired.awaitAnnouncement(text);
      return text;
    }
    const found = await this.#unpaired.findAt(agentAddressOf(text));
    const { deviceId, host, port } = found;
    if (deviceId === this.#collaborators.own.facts().id) {
      throw problem("INVALID_ARGUMENT", `${text} is this machine.`);
    }
    const trusted = this.#collaborators.trust.get(deviceId);
    if (trusted) {
      const addresses = [host, ...trusted.addresses.filter((other) => other !== host)];
      await this.#collaborators.trust.update(deviceId, { addresses, agentPort: port });
      this.#paired.get(deviceId)?.remote.dialNow();
    } else {
      this.#unpaired.add(found);
    }
    return deviceId;
  }

  /**
   * Removes a machine from the list: unpairs it, or removes its added address.
   *
   * @throws ProblemError FAILED_PRECONDITION for a machine that is listed only because it announces itself.
   */
  async forget(machineId: string): Promise<void> {
    const { trust } = this.#collaborators;
    const wasAdded = this.#unpaired.remove(machineId);
    if (trust.get(machineId)) {
      const remote = this.#paired.get(machineId)?.remote;
      // A machine that does not answer learns of it when it connects.
      await Promise.race([remote?.unpair().catch(() => undefined), delay(UNPAIR_MILLIS)]);
      await trust.remove(machineId);
    } else if (!wasAdded) {
      const name = this.facts(machineId)?.name ?? "This machine";
      throw problem("FAILED_PRECONDITION", `${name} is not paired, so there is nothing to remove.`, {
        reason: "It is listed as long as it announces itself on the network.",
      });
    }
  }

  /** Sets what a paired machine may do here. @throws ProblemError NOT_FOUND */
  async setRole(machineId: string, grantedRole: Role): Promise<void> {
    const trusted = this.#collaborators.trust.get(machineId);
    if (!trusted) {
      throw problem("NOT_FOUND", "This machine is no longer paired.", {
        remedy: "Pair with it again.",
        details: `device ID ${machineId}`,
      });
    }
    await this.#collaborators.trust.put({ ...trusted, grantedRole });
  }

  /** Queries the network again, and dials machines that do not answer. */
  search(): void {
    this.#collaborators.discovery.search();
    for (const { remote } of this.#paired.values()) {
      if (remote.facts().presence !== "online") remote.dialNow();
    }
  }

  /** Ends all connections; resolves when they are closed. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const stop of this.#stops) stop();
    this.#listeners.clear();
    this.#sampleListeners.clear();
    for (const id of [...this.#paired.keys()]) this.#disconnect(id);
    await Promise.all([this.#unpaired.close(), ...this.#closing]);
  }

  #compose(): ClusterMachine[] {
    const { clones } = this.#collaborators;
    return this.#machines().map((machine) => {
      const addresses = clones?.of(machine.facts.id) ?? [];
      return addresses.length === 0 ? machine : { ...machine, facts: withClones(machine.facts, addresses) };
    });
  }

  #machines(): ClusterMachine[] {
    const { own, trust, discovery } = this.#collaborators;
    const facts = own.facts();
    const paired = trust.all().flatMap((trusted): ClusterMachine[] => {
      const remote = this.#paired.get(trusted.deviceId)?.remote;
      if (!remote) return [];
      const sighting = discovery.sighting(trusted.deviceId);
      return [
        {
          facts: pairedFacts(remote.facts(), trusted, sighting, facts.version),
          tasks: remote,
          tunnels: remote,
        },
      ];
    });
    const { machines, unlisted } = this.#unpaired.list();
    this.#unlisted = unlisted;
    return [
      { facts, tasks: own.tasks, ...(own.tunnels ? { tunnels: own.tunnels } : {}) },
      ...paired,
      ...machines,
    ];
  }

  #trustChanged(): void {
    if (this.#closed) return;
    const { trust } = this.#collaborators;
    for (const id of [...this.#paired.keys()]) if (!trust.get(id)) this.#disconnect(id);
    for (const machine of trust.all()) {
      if (!this.#paired.has(machine.deviceId)) this.#connect(machine);
    }
    this.#unpaired.refresh();
    this.#changed();
  }

  #connect(machine: TrustedMachine): void {
    const { deviceId } = machine;
    const remote = this.#collaborators.connect(machine, () => this.agentAddresses(deviceId));
    const stopSamples = remote.onSample((sample) => this.#measured(deviceId, sample));
    const stopFacts = remote.onFacts(() => {
      this.#remember(deviceId, remote);
      const { instance, address } = remote;
      if (instance !== undefined && address !== undefined) {
        this.#collaborators.clones?.heard(deviceId, instance, address, true);
      }
      this.#changed();
    });
    const stopListening = () => {
      stopSamples();
      stopFacts();
    };
    this.#paired.set(deviceId, { remote, stopListening });
    remote.open();
  }

  #disconnect(deviceId: string): void {
    const paired = this.#paired.get(deviceId);
    if (!paired) return;
    this.#paired.delete(deviceId);
    this.#announced.delete(deviceId);
    paired.stopListening();
    const closing = paired.remote
      .close()
      .catch((error: unknown) =>
        log.error(`The connection to ${deviceId} did not close: ${messageOf(error)}`),
      );
    this.#closing.add(closing);
    inBackground(closing.then(() => this.#closing.delete(closing)));
  }

  /**
   * Saves where a machine was last reached, for times without announcements, and that it no longer needs to be listed
   * as added.
   */
  #remember(deviceId: string, remote: L): void {
    const trusted = this.#collaborators.trust.get(deviceId);
    const reached = remote.address === undefined ? undefined : parseHostPort(remote.address);
    if (!trusted || !reached) return;
    this.#unpaired.remove(deviceId);
    const said = remote.facts();
    const { name, role, agentPort, addresses } = trusted;
    const learned: Omit<Learned, "callers"> = {
      name: said.name || name,
      role: said.role ?? role,
      agentPort: reached.port,
      addresses: [reached.host, ...addresses.filter((host) => host !== reached.host)].slice(
        0,
        KEPT_ADDRESSES,
      ),
    };
    if (isDeepStrictEqual(learned, { name, role, agentPort, addresses })) return;
    this.#collaborators.trust
      .update(deviceId, learned)
      .catch((error: unknown) => log.error(`The facts about ${learned.name} were not saved:`, error));
  }

  #sightingsChanged(): void {
    for (const [deviceId, { remote }] of this.#paired) {
      const sighting = this.#collaborators.discovery.sighting(deviceId);
      const now = sighting && { port: sighting.port, addresses: sighting.addresses };
      const isNews = now !== undefined && !isDeepStrictEqual(this.#announced.get(deviceId), now);
      if (now === undefined) this.#announced.delete(deviceId);
      else this.#announced.set(deviceId, now);
      if (isNews && remote.facts().presence !== "online") remote.dialNow();
    }
    this.#unpaired.refresh();
    this.#changed();
  }

  #measured(machineId: string, sample: MachineSample): void {
    for (const listener of [...this.#sampleListeners]) listener(machineId, sample);
  }

  #changed(): void {
    this.#list = undefined;
    for (const listener of [...this.#listeners]) listener();
  }
}

/** "host:port" from the user's text, with the agents' default port if none is given. */
function agentAddressOf(text: string): string {
  const address = parseHostPort(text) ? text : formatHostPort({ host: text, port: DEFAULT_AGENT_PORT });
  const parsed = parseHostPort(address);
  if (parsed && parsed.port !== 0) return address;
  throw problem("INVALID_ARGUMENT", `"${text}" is not the address of a machine.`, {
    remedy: "Write a host name, an IP address, host:port, or a device ID of 52 letters and digits.",
  });
}
