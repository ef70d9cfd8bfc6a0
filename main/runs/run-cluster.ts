/** The cluster that graphs run on: the tasks of this machine and the paired ones, or another cluster in their place. */
import type { ClusterService } from "../cluster/cluster-service.js";

export type RunCluster = Pick<
  ClusterService,
  "tasks" | "membership" | "onChange" | "startTask" | "noteVariables"
>;

/** Passes everything on to the cluster that is chosen at the time. A run keeps the one that it began on. */
export class ChosenCluster implements RunCluster {
  readonly #own: RunCluster;
  readonly #listeners = new Set<() => void>();
  #current: RunCluster;
  #stopListening: () => void;

  /** @param own Used while no other one is chosen. */
  constructor(own: RunCluster) {
    this.#own = own;
    this.#current = own;
    this.#stopListening = own.onChange(this.#tell);
  }

  get current(): RunCluster {
    return this.#current;
  }

  /** @param cluster Undefined: its own one. */
  choose(cluster: RunCluster | undefined): void {
    this.#stopListening();
    this.#current = cluster ?? this.#own;
    this.#stopListening = this.#current.onChange(this.#tell);
    this.#tell();
  }

  get membership() {
    return this.#current.membership;
  }

  tasks() {
    return this.#current.tasks();
  }

  startTask(taskId: string): Promise<void> {
    return this.#current.startTask(taskId);
  }

  noteVariables(taskIds: readonly string[]): void {
    this.#current.noteVariables(taskIds);
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  dispose(): void {
    this.#stopListening();
    this.#listeners.clear();
  }

  readonly #tell = (): void => {
    for (const listener of [...this.#listeners]) listener();
  };
}
