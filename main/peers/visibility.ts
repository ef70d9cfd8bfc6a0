/**
 * Whether other machines can find and reach this one: its agent's port and its announcements, which are switched
 * together.
 */

import type { DiscoveryState } from "../api/machines.js";
import { problemOf } from "../shared/problems.js";
import { version } from "../shared/version.js";
import { type Discovery, type DiscoveryOptions, startDiscovery } from "./discovery/discovery.js";
import type { Sighting } from "./discovery/sighting.js";
import type { Identity } from "./identity/identity.js";
import type { NetworkScope } from "./network-scope.js";
import { AgentPort } from "./port/agent-port.js";
import { PairedAddresses } from "./trust/paired-addresses.js";
import type { TrustStore } from "./trust/trust-store.js";

const LOOPBACK = "127.0.0.1";

export interface VisibilityOptions {
  readonly identity: Identity;
  readonly trust: TrustStore;
  readonly scope: NetworkScope;
  /** Port of the agent; the default one unless given. */
  readonly port?: number;
  readonly name: () => string;
}

/** Adds a protocol to the agent's port. */
export type ServePort = (port: AgentPort) => void;

type InstanceListener = NonNullable<DiscoveryOptions["onInstance"]>;

export class Visibility {
  readonly #options: VisibilityOptions;
  readonly #pairedAddresses: PairedAddresses;
  readonly #listeners = new Set<() => void>();
  readonly #instanceListeners = new Set<InstanceListener>();
  readonly #serves = new Set<ServePort>();
  #agentPort: AgentPort | undefined;
  #discovery: Discovery | undefined;
  #failure: DiscoveryState | undefined;
  /** Switching on and off happens one after the other. */
  #queue: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(options: VisibilityOptions) {
    this.#options = options;
    this.#pairedAddresses = new PairedAddresses(options.trust);
  }

  /** Undefined while the agent does not listen. */
  get port(): number | undefined {
    return this.#agentPort?.port;
  }

  state(): DiscoveryState {
    return this.#failure ?? this.#discovery?.state() ?? { state: "off" };
  }

  sightings(): readonly Sighting[] {
    return this.#discovery?.sightings() ?? [];
  }

  sighting(deviceId: string): Sighting | undefined {
    return this.#discovery?.sighting(deviceId);
  }

  /** Calls the listener when the port, the state or the sightings change. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Calls the listener as described at `DiscoveryOptions.onInstance`. */
  onInstance(listener: InstanceListener): () => void {
    this.#instanceListeners.add(listener);
    return () => this.#instanceListeners.delete(listener);
  }

  /** Adds the protocols to every port that is opened from now on, before any peer can use them. */
  onPort(serve: ServePort): () => void {
    this.#serves.add(serve);
    return () => this.#serves.delete(serve);
  }

  search(): void {
    this.#discovery?.search();
  }

  /** Announces this machine's new name to the network. */
  renamed(): void {
    this.#discovery?.setName(this.#options.name());
  }

  /** Resolves when this machine can be found and reached, or no longer can. The state has the reason of a failure. */
  setVisible(visible: boolean): Promise<void> {
    this.#queue = this.#queue.then(async () => {
      if (visible && !this.#closed) await this.#open();
      else await this.#shut();
      this.#changed();
    });
    return this.#queue;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.setVisible(false);
    this.#pairedAddresses.close();
    this.#listeners.clear();
    this.#instanceListeners.clear();
    this.#serves.clear();
  }

  async #open(): Promise<void> {
    const { identity, trust, scope, port, name } = this.#options;
    if (this.#agentPort || scope === "off") return;
    try {
      this.#failure = undefined;
      const host = scope === "loopback" ? { host: LOOPBACK } : {};
      this.#agentPort = await AgentPort.listen({
        identity,
        trust,
        pairedAddresses: this.#pairedAddresses,
        ...host,
        ...(port === undefined ? {} : { port }),
      });
      for (const serve of this.#serves) serve(this.#agentPort);
    } catch (error) {
      this.#failure = { state: "unavailable", problem: problemOf(error) };
      return;
    }
    this.#discovery = startDiscovery({
      deviceId: identity.deviceId,
      name: name(),
      port: this.#agentPort.port,
      version: version(),
      scope,
      onInstance: (...heard) => {
        for (const listener of this.#instanceListeners) listener(...heard);
      },
      paired: {
        has: (deviceId) => trust.get(deviceId) !== undefined,
        isAt: (address) => this.#pairedAddresses.has(address),
      },
    });
    this.#discovery.onChange(() => this.#changed());
  }

  async #shut(): Promise<void> {
    const [discovery, agentPort] = [this.#discovery, this.#agentPort];
    this.#discovery = undefined;
    this.#agentPort = undefined;
    // The goodbye is sent while the agent still answers.
    await discovery?.close();
    await agentPort?.close();
  }

  #changed(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}
