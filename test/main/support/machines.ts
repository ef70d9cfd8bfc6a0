import type { MachineFacts } from "../../../main/api/machines.js";
import type { MachineSample } from "../../../main/api/samples.js";
import type { ClusterMachine, ClusterMachines } from "../../../main/peers/cluster-machine.js";

/** Facts of a paired machine that answers, as its agent would describe it. */
export function machineFacts(id: string, more: Partial<MachineFacts> = {}): MachineFacts {
  return {
    id,
    name: id,
    kind: "paired",
    presence: "online",
    platform: "linux",
    osName: "Debian",
    arch: "x64",
    cores: 4,
    memoryBytes: 2 ** 30,
    gpus: [],
    addresses: [],
    agentPort: 2220,
    version: "0.1.0",
    engines: [{ engine: "tensorflow", version: "2.21.0", gpu: false }],
    ...more,
  };
}

/** A list of machines that tests change as they like. */
export class MachineList implements ClusterMachines {
  #machines: readonly ClusterMachine[];
  readonly #listeners = new Set<() => void>();
  readonly #sampleListeners = new Set<(machineId: string, sample: MachineSample) => void>();

  /** @param machines This machine first. */
  constructor(machines: readonly ClusterMachine[]) {
    this.#machines = machines;
  }

  list(): readonly ClusterMachine[] {
    return this.#machines;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  onSample(listener: (machineId: string, sample: MachineSample) => void): () => void {
    this.#sampleListeners.add(listener);
    return () => this.#sampleListeners.delete(listener);
  }

  /** Says what was measured of a machine. */
  measure(machineId: string, sample: MachineSample): void {
    for (const listener of this.#sampleListeners) listener(machineId, sample);
  }

  add(machine: ClusterMachine): void {
    this.#set([...this.#machines, machine]);
  }

  /** Changes what is known of one machine. */
  change(id: string, facts: Partial<MachineFacts>): void {
    this.#set(
      this.#machines.map((machine) =>
        machine.facts.id === id ? { ...machine, facts: { ...machine.facts, ...facts } } : machine,
      ),
    );
  }

  #set(machines: readonly ClusterMachine[]): void {
    this.#machines = machines;
    for (const listener of this.#listeners) listener();
  }
}
