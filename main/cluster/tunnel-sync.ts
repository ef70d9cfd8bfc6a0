/** Keeps every machine told of its end of the tunnels, also when it comes back from being away. */
import { isDeepStrictEqual } from "node:util";
import type { TunnelRequest } from "../peers/agent/tunnel-request.js";
import type { ClusterMachine, TunnelHost } from "../peers/cluster-machine.js";
import { log } from "../shared/log/log.js";
import { NO_TUNNELS } from "./tunnel-table.js";

/** A machine that refused or did not answer is asked again no sooner than this. */
const RETRY_MILLIS = 2000;
/** A program that has a port may end. */
const ASK_FOR_PORTS_AGAIN_MILLIS = 10_000;

interface Told {
  readonly host: TunnelHost;
  name: string;
  /** What it has been told; undefined while it may have forgotten. */
  said: TunnelRequest | undefined;
  wanted: TunnelRequest;
  takenPorts: readonly number[];
  /** The telling in progress; settles when the machine knows what is wanted, or cannot be told. */
  telling: Promise<void> | undefined;
  notBefore: number;
  /** Whether the last attempt failed; the console is told once. */
  failing: boolean;
}

export class TunnelSync {
  readonly #onChange: () => void;
  readonly #machines = new Map<string, Told>();

  /** @param onChange Called when other ports are taken than before, and when a machine is to be told again. */
  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** Names of the machines on which another program has a port that they should listen at. */
  machinesWithout(port: number): string[] {
    return [...this.#machines.values()].flatMap(({ name, takenPorts }) =>
      takenPorts.includes(port) ? [name] : [],
    );
  }

  /** Ports that some machine could not listen at. */
  takenPorts(): number[] {
    return [...this.#machines.values()].flatMap(({ takenPorts }) => takenPorts);
  }

  /**
   * Notes which machines are away, be it for a moment: each may come back as another process, which knows nothing.
   *
   * @returns Whether one of them knew anything.
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
   * Tells the machines what is new for them. Resolves when each that is online has answered or could not be told; one that
   * could not is told with a later call.
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

  /** Says once what is wanted now. Never rejects. */
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
      if (!told.failing) log.error(`${told.name} could not be given its tunnels:`, error);
      told.failing = true;
      this.#later(told, RETRY_MILLIS);
    }
  }

  /** Has a machine told again after a while, though nothing has changed. */
  #later(told: Told, millis: number): void {
    const again = () => {
      told.said = undefined;
      this.#onChange();
    };
    setTimeout(again, millis).unref();
  }
}
