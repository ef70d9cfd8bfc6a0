/** The ports that a script job has on one machine: those of its tasks, and of tasks elsewhere that are reached here. */
import type { Ports } from "../tasks/ports.js";

/** The ports of a job as one machine sees them. */
export interface PortPlan {
  readonly own: readonly number[];
  readonly elsewhere: readonly number[];
  /** Whether the tasks are cut off from the network, where that is possible. */
  readonly isolate: boolean;
}

export class JobPorts {
  readonly #ports: Pick<Ports, "takeExactly" | "release">;
  readonly #taken = new Set<number>();

  constructor(ports: Pick<Ports, "takeExactly" | "release">) {
    this.#ports = ports;
  }

  has(port: number): boolean {
    return this.#taken.has(port);
  }

  /** Takes the ports of a plan, and releases those of an earlier one. @returns those that are in use. */
  async reserve({ own, elsewhere, isolate }: PortPlan): Promise<number[]> {
    // Tasks that are cut off reach the others' ports in their own namespace.
    const wanted = new Set(isolate ? own : [...own, ...elsewhere]);
    for (const port of [...this.#taken].filter((old) => !wanted.has(old))) {
      this.#taken.delete(port);
      await this.#ports.release(port);
    }
    const refused: number[] = [];
    for (const port of [...wanted].filter((added) => !this.#taken.has(added))) {
      await this.#ports.takeExactly(port).then(
        () => this.#taken.add(port),
        () => refused.push(port),
      );
    }
    return refused;
  }

  async release(): Promise<void> {
    await Promise.all([...this.#taken].map((port) => this.#ports.release(port)));
    this.#taken.clear();
  }
}
