/** The ports of this machine that the user has opened for tasks in pods. */
import { notConnected } from "./api-problem.js";
import type { PodTask } from "./pod-task.js";
import type { PortForward } from "./port-forward.js";

/** Opens a port for the task of a pod; any that is free if none is given. */
export type OpenForward = (task: PodTask, port: number | undefined) => Promise<PortForward>;

export class PodForwards {
  readonly #open: OpenForward;
  readonly #onChange: () => void;
  /** By pod. */
  readonly #forwards = new Map<string, PortForward>();
  #isClosed = false;

  /** @param onChange called when there is one more or one fewer */
  constructor(open: OpenForward, onChange: () => void) {
    this.#open = open;
    this.#onChange = onChange;
  }

  get(pod: string): PortForward | undefined {
    return this.#forwards.get(pod);
  }

  /** The address at which sessions of this machine reach a task. @throws ProblemError if the port is taken */
  async address(task: PodTask, port?: number): Promise<string> {
    const present = this.#forwards.get(task.pod);
    if (present !== undefined) return addressOf(present);
    const opened = await this.#open(task, port);
    // Another request for it, or the end of the connection, may have come first.
    const other = this.#forwards.get(task.pod);
    if (other !== undefined || this.#isClosed) {
      await opened.close();
      if (other === undefined || this.#isClosed) throw notConnected();
      return addressOf(other);
    }
    this.#forwards.set(task.pod, opened);
    this.#onChange();
    return addressOf(opened);
  }

  /** Does nothing for a pod without one. */
  async end(pod: string): Promise<void> {
    const forward = this.#forwards.get(pod);
    this.#forwards.delete(pod);
    await forward?.close();
    this.#onChange();
  }

  /** Closes those of other pods. */
  async keepOnly(isKept: (pod: string) => boolean): Promise<void> {
    for (const [pod, forward] of [...this.#forwards]) {
      if (isKept(pod)) continue;
      this.#forwards.delete(pod);
      await forward.close();
    }
  }

  /** Closes all; none is opened any more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#forwards.values()].map((forward) => forward.close()));
  }
}

function addressOf({ port }: PortForward): string {
  return `grpc://127.0.0.1:${port}`;
}
