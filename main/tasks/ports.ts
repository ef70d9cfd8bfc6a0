import { createServer } from "node:net";
import { portInUseText } from "../../worker-runtime/engines/port-holder.js";
import { problem } from "../shared/problems.js";
import { PortLocks } from "./port-locks.js";
import { FIRST_TASK_PORT, nextTaskPort, TASK_PORTS_TEXT } from "./task-ports.js";

/**
 * Allocates the ports of tasks, from 2222 upward. A port stays allocated until it is released, so two tasks that start
 * at the same time, here or in another Tensordeck, never get the same one.
 */
export class Ports {
  readonly #taken = new Set<number>();
  readonly #isFree: (port: number) => Promise<boolean>;
  readonly #locks: PortLocks;

  constructor(isFree: (port: number) => Promise<boolean> = isPortFree, locks = new PortLocks()) {
    this.#isFree = isFree;
    this.#locks = locks;
  }

  /**
   * @param preferred Taken when it is free, so that a task that is started again keeps its address.
   * @throws ProblemError RESOURCE_EXHAUSTED when none is left.
   */
  async take(preferred?: number): Promise<number> {
    if (preferred !== undefined && (await this.#tryTake(preferred))) return preferred;
    let port = nextTaskPort(FIRST_TASK_PORT, this.#taken);
    while (port !== undefined) {
      if (await this.#tryTake(port)) return port;
      port = nextTaskPort(port + 1, this.#taken);
    }
    throw problem("RESOURCE_EXHAUSTED", `None of the ports ${TASK_PORTS_TEXT} is free.`, {
      remedy: "Stop tasks or other programs that listen there.",
    });
  }

  /**
   * @throws ProblemError FAILED_PRECONDITION when it is taken, with the program that has it, if the system reports it.
   */
  async takeExactly(port: number): Promise<number> {
    if (await this.#tryTake(port)) return port;
    const reason = this.#taken.has(port)
      ? "Another task of this machine has it."
      : `On this machine ${await portInUseText(port)}.`;
    throw problem("FAILED_PRECONDITION", `Port ${port} is taken.`, {
      reason,
      remedy: "Choose another port, or end that program.",
    });
  }

  async release(port: number): Promise<void> {
    await this.#locks.release(port);
    this.#taken.delete(port);
  }

  async releaseAll(): Promise<void> {
    await Promise.all([...this.#taken].map((port) => this.release(port)));
  }

  async #tryTake(port: number): Promise<boolean> {
    if (this.#taken.has(port)) return false;
    // Reserved before the check, so that others cannot take it meanwhile.
    this.#taken.add(port);
    if (await this.#locks.take(port)) {
      if (await this.#isFree(port)) return true;
      await this.#locks.release(port);
    }
    this.#taken.delete(port);
    return false;
  }
}

/** Whether nothing listens on a port, on any address of this machine: TensorFlow's server listens on all. */
export async function isPortFree(port: number): Promise<boolean> {
  return (await canListen(port, "0.0.0.0")) && (await canListen(port, "::"));
}

function canListen(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => {
      // A machine without IPv6 has no "::" that could be in use.
      resolve(error.code === "EAFNOSUPPORT" || error.code === "EADDRNOTAVAIL");
    });
    server.listen({ port, host, exclusive: true, ipv6Only: host === "::" }, () =>
      server.close(() => resolve(true)),
    );
  });
}
