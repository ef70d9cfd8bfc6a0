/**
 * The machines that are not paired: those that announce themselves, and those that the user added by address or device
 * ID.
 */
import { delay } from "../../../worker-runtime/cancellation/delay.js";
import type { MachineFacts } from "../../api/machines.js";
import { problem } from "../../shared/problems.js";
import type { ClusterMachine } from "../cluster-machine.js";
import type { Discovery } from "../discovery/discovery.js";
import { type AddedMachine, AddedMachines, type AskAgent } from "./added-machines.js";
import { discoveredFacts } from "./machine-facts.js";
import { type Probe, Probing } from "./probing.js";

export interface UnpairedCollaborators {
  readonly discovery: Pick<Discovery, "sightings" | "sighting" | "search">;
  readonly askAgent: AskAgent;
  /** Probes whether a machine that only announces itself is still there. */
  readonly probe: Probe;
  /** File that keeps the addresses that were added; without it they are not saved. */
  readonly file?: string;
  /** Whether a machine is this one or a paired one, and so listed elsewhere. */
  readonly isKnown: (machineId: string) => boolean;
  /** Where the agent of a machine may be, "host:port" each. */
  readonly addressesOf: (machineId: string) => readonly string[];
  /** Called when the list may have changed. */
  readonly onChange: () => void;
}

/** How long a machine that was added by device ID may take to announce itself. */
const SEARCH_MILLIS = 3000;
/** Maximum listed machines, as anyone on the network can make them up. Further ones are only counted. */
const MAX_LISTED = 250;

/** Created once: comparing two names without it is a hundred times as much work. */
const alphabetical = new Intl.Collator();

export class UnpairedMachines {
  readonly #collaborators: UnpairedCollaborators;
  readonly #added: AddedMachines;
  readonly #probing: Probing;
  /** Device IDs that the user added: they are listed no matter how many others there are. */
  readonly #named = new Set<string>();
  /** The searches in progress for machines that the user added by device ID. */
  readonly #searches = new Set<() => void>();

  constructor(collaborators: UnpairedCollaborators) {
    this.#collaborators = collaborators;
    const { askAgent, file, probe, addressesOf } = collaborators;
    this.#added = new AddedMachines(askAgent, file, () => this.#changed());
    this.#probing = new Probing({ probe, addressesOf, onChange: () => this.#changed() });
  }

  /** The listed machines by name, and how many more there are. */
  list(): { readonly machines: ClusterMachine[]; readonly unlisted: number } {
    const { discovery } = this.#collaborators;
    const ids = this.#ids();
    const listed = ids.slice(0, MAX_LISTED);
    const machines = listed
      .map((id) => ({
        facts: discoveredFacts(discovery.sighting(id), this.#added.get(id), this.#probing.answers(id)),
      }))
      .sort((a, b) => byName(a.facts, b.facts));
    return { machines, unlisted: ids.length - listed.length };
  }

  /** The machine that was added by address under an id, if any. */
  added(machineId: string): AddedMachine | undefined {
    return this.#added.get(machineId);
  }

  /** Asks which machine is at an address. @throws ProblemError UNAVAILABLE when nothing answers. */
  async findAt(address: string): Promise<AddedMachine> {
    return await this.#added.find(address);
  }

  /** Lists a machine by its address, whether it announces itself or not. */
  add(machine: AddedMachine): void {
    this.#added.put(machine);
  }

  /** Removes the address of a machine. Returns false if none was added. */
  remove(machineId: string): boolean {
    return this.#added.remove(machineId);
  }

  /**
   * Lists a machine by its device ID; resolves when it announces itself.
   *
   * @throws ProblemError NOT_FOUND when it does not within a few seconds.
   */
  async awaitAnnouncement(deviceId: string): Promise<void> {
    this.#named.add(deviceId);
    this.#changed();
    const isThere = () => this.#collaborators.isKnown(deviceId) || this.#ids().includes(deviceId);
    const found = new AbortController();
    const check = () => {
      if (isThere()) found.abort();
    };
    check();
    if (!found.signal.aborted) {
      this.#searches.add(check);
      this.#collaborators.discovery.search();
      await delay(SEARCH_MILLIS, found.signal);
      this.#searches.delete(check);
    }
    if (isThere()) return;
    throw problem("NOT_FOUND", "No machine with this device ID announces itself here.", {
      reason: "It is off, on another network, or the network does not carry multicast.",
      remedy: "Add it by its address, as host or host:port.",
      details: deviceId,
    });
  }

  /** To be called when the announcements or the paired machines have changed. */
  refresh(): void {
    const { discovery } = this.#collaborators;
    const listed = this.#ids().slice(0, MAX_LISTED);
    // An announcement alone does not tell whether the machine is still there.
    this.#probing.follow(listed.filter((id) => discovery.sighting(id)));
    for (const check of [...this.#searches]) check();
  }

  async close(): Promise<void> {
    this.#probing.follow([]);
    await this.#added.close();
  }

  /** First those that the user added, then in order of first sighting. */
  #ids(): string[] {
    const { discovery, isKnown } = this.#collaborators;
    const ids = new Set([
      ...this.#added.list().map(({ deviceId }) => deviceId),
      ...[...this.#named].filter((id) => discovery.sighting(id)),
      ...discovery.sightings().map(({ deviceId }) => deviceId),
    ]);
    return [...ids].filter((id) => !isKnown(id));
  }

  #changed(): void {
    for (const check of [...this.#searches]) check();
    this.#collaborators.onChange();
  }
}

function byName(a: MachineFacts, b: MachineFacts): number {
  return alphabetical.compare(a.name, b.name) || (a.id < b.id ? -1 : 1);
}
