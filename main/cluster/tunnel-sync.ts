/** Keeps every machine's end of the tunnels up to date, including machines that were offline. */
import { isDeepStrictEqual } from "node:util";
import type { TunnelRequest } from "../peers/agent/tunnel-request.js";
import type { ClusterMachine, TunnelHost } from "../peers/cluster-machine.js";
import { log } from "../shared/log/log.js";
import { NO_TUNNELS } from "./tunnel-table.js";

/** A machine that refused or did not answer is retried no sooner than this. */
const RETRY_MILLIS = 2000;
/** Retry interval for a port that another program has, since the program may end. */
const ASK_FOR_PORTS_AGAIN_MILLIS = 10_000;

interface Told {
  readonly host: TunnelHost;
  name: string;
  /** The table that was last sent to it; undefined while it may have been lost. */
  said: TunnelRequest | undefined;
  wanted: TunnelRequest;
  takenPorts: readonly number[];
  /** The update in progress; settles when the machine has it, or cannot be reached. */
  telling: Promise<void> | undefined;
  notBefore: number;
  /** Whether the last attempt failed; it is logged once. */
  failing: boolean;
}

export class TunnelSync {
  readonly #onChange: () => void;
  readonly #machines = new Map<string, Told>();

  /**
   * @param onChange Called when the set of taken ports changes, and when a machine has to be updated again.
   */
  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** Names of the machines on which another program has a port that they should listen on. */
  machinesWithout(port: number): string[] {
    return [...this.#machines.values()].flatMap(({ name, takenPorts }) =>
      takenPorts.includes(port) ? [name] : [],
    );
  }

  /** Ports on which some machine could not listen. */
  takenPorts(): number[] {
    return [...this.#machines.values()].flatMap(({ takenPorts }) => takenPorts);
  }

  /**
   * Records which machines are offline, even for a moment: each may come back as another process without tunnels.
   *
   * @returns Whether one of them had tunnels.
   */
  noteAway(machines: readonly ClusterMachine[]): boolean {
    let knew = false;
    for (const { facts } of machines) {
      const told = this.#machines.get(facts.id);
      if (facts.presence === "online" || told?.said === undefined) continue;
      told.said = undefined;
      knew = true;
    }
    return knew;
  }

  /**
   * Sends the machines their changes. Resolves when each online machine has answered or failed; one that failed is
   * updated by a later call.
   */
  async tell(
    machines: readonly ClusterMachine[],
    requests: ReadonlyMap<string, TunnelRequest>,
  ): Promise<void> {
    for (const id of this.#machines.keys()) {
      if (!machines.some(({ facts }) => facts.id === id)) this.#machines.delete(id);
    }
    await Promise.all(machines.map((machine) => this.#tellOne(machine, requests.get(machine.facts.id))));
  }

  async #tellOne({ facts, tunnels: host }: ClusterMachine, wanted = NO_TUNNELS): Promise<void> {
    if (!host) return;
    let told = this.#machines.get(facts.id);
    if (told?.host !== host) {
      told = {
        ...{ host, name: "", said: undefined, wanted, takenPorts: [] },
        ...{ telling: undefined, notBefore: 0, failing: false },
      };
      this.#machines.set(facts.id, told);
    }
    told.name = facts.name;
    told.wanted = wanted;
    if (facts.presence !== "online") {
      told.said = undefined;
      if (told.takenPorts.length > 0) {
        told.takenPorts = [];
        this.#onChange();
      }
      return;
    }
    if (told.said === undefined && wanted === NO_TUNNELS) return;
    while (Date.now() >= told.notBefore && !isDeepStrictEqual(told.said, told.wanted)) {
      told.telling ??= this.#say(told);
      await told.telling;
      told.telling = undefined;
    }
  }

  /** Sends the current tunnels once. Never rejects. */
  async #say(told: Told): Promise<void> {
    try {
      const { wanted } = told;
      const takenPorts = await told.host.setTunnels(wanted);
      told.said = wanted;
      told.failing = false;
      const isNew = !isDeepStrictEqual(takenPorts, told.takenPorts);
      told.takenPorts = takenPorts;
      if (isNew) this.#onChange();
      if (takenPorts.length > 0) this.#later(told, ASK_FOR_PORTS_AGAIN_MILLIS);
    } catch (error) {
      told.notBefore = Date.now() + RETRY_MILLIS;
      if (!told.failing) log.error(`${told.name} could not set up its tunnels:`, error);
      told.failing = true;
      this.#later(told, RETRY_MILLIS);
    }
  }

  /** Updates a machine again after a while, though nothing has changed. */
  #later(told: Told, millis: number): void {
    const again = () => {
      told.said = undefined;
      this.#onChange();
    };
    setTimeout(again, millis).unref();
  }
}
