import { parseHostPort } from "../../worker-runtime/cluster/address.js";
import { isLoopback } from "../../worker-runtime/cluster/host.js";
import { log } from "../shared/log/log.js";
import type { ClusterTask } from "./cluster-task.js";

/**
 * Lets the isolated tasks of this machine reach one of its ports that is not a task's; returns a function that ends
 * this.
 */
export type ReachPort = (port: number) => Promise<() => void>;

/** The foreign servers of this machine that a secure cluster names on localhost: kept reachable for isolated tasks. */
export class LocalServers {
  readonly #reach: ReachPort | undefined;
  /** By port; each value ends the access. */
  readonly #reached = new Map<number, Promise<() => void>>();

  constructor(reach: ReachPort | undefined) {
    this.#reach = reach;
  }

  /** Whether such a server listens on a port. */
  has(port: number): boolean {
    return this.#reached.has(port);
  }

  /** To be called after every change. @param ownId This machine. */
  look(tasks: readonly ClusterTask[], ownId: string | undefined): void {
    const ports = new Set(
      tasks.flatMap(({ foreign, machineId, address }) => {
        const parsed = foreign && machineId === ownId ? parseHostPort(address) : undefined;
        return parsed && isLoopback(parsed.host) ? [parsed.port] : [];
      }),
    );
    for (const port of this.#reached.keys()) if (!ports.has(port)) this.#end(port);
    for (const port of ports) if (!this.#reached.has(port)) this.#begin(port);
  }

  /** Resolves when all of them are within reach, or cannot be. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#reached.values());
  }

  dispose(): void {
    for (const port of [...this.#reached.keys()]) this.#end(port);
  }

  #begin(port: number): void {
    const reached = this.#reach?.(port) ?? Promise.resolve(() => undefined);
    this.#reached.set(port, reached);
    reached.catch((error: unknown) => log.error(`Isolated tasks do not reach port ${port}:`, error));
  }

  #end(port: number): void {
    const reached = this.#reached.get(port);
    this.#reached.delete(port);
    reached?.then(
      (end) => end(),
      () => undefined,
    );
  }
}
