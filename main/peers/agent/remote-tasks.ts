/** The tasks of another machine as far as they are known here. */
import type * as wire from "../../../protos/generated/tensordeck/agent.js";
import { KEPT_SAMPLES } from "../../tasks/metrics-sampler.js";
import type { HostTask } from "../../tasks/task-host.js";
import { taskFromMessage } from "./messages/tasks.js";

/** As many as one cluster may have. What a machine lists beyond is passed over. */
const MOST_TASKS = 512;

export class RemoteTasks {
  readonly #listeners = new Set<() => void>();
  #tasks = new Map<string, HostTask>();

  /** In the order in which they were made. */
  list(): readonly HostTask[] {
    return [...this.#tasks.values()];
  }

  get(taskId: string): HostTask | undefined {
    return this.#tasks.get(taskId);
  }

  /** Takes over what the machine said has changed; after a connection began, that is all it has. */
  apply({ tasks, removedTaskIds }: wire.WatchEvent, isFirst: boolean): void {
    if (!isFirst && tasks.length === 0 && removedTaskIds.length === 0) return;
    const kept = isFirst ? new Map<string, HostTask>() : this.#tasks;
    // Nothing is made in between: the old samples are looked up before the list is replaced.
    const next = new Map(kept);
    for (const task of tasks.flatMap(readable)) {
      if (next.has(task.id) || next.size < MOST_TASKS) next.set(task.id, this.#merged(task));
    }
    for (const id of removedTaskIds) next.delete(id);
    this.#tasks = next;
    this.#tell();
  }

  /** Takes over an answer to a command, which may come before the news of the change. */
  put(message: wire.Task): HostTask {
    const task = this.#merged(taskFromMessage(message));
    this.#tasks.set(task.id, task);
    this.#tell();
    return task;
  }

  delete(taskId: string): void {
    if (this.#tasks.delete(taskId)) this.#tell();
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Only the newest sample travels; the ones before are kept here, for as long as the same process runs. */
  #merged(task: HostTask): HostTask {
    const before = this.#tasks.get(task.id);
    const [sample] = task.metrics;
    if (!before || sample === undefined || before.startedAt !== task.startedAt) return task;
    const earlier = before.metrics.filter(({ at }) => at < sample.at);
    return { ...task, metrics: [...earlier, sample].slice(-KEPT_SAMPLES) };
  }

  #tell(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}

/** Nothing for what cannot be a task: it is that machine's to mend, and no reason to lose sight of the others. */
function readable(message: wire.Task): HostTask[] {
  try {
    return [taskFromMessage(message)];
  } catch {
    return [];
  }
}
