/** The tasks of another machine as far as they are known here. */
import type * as wire from "../../../protos/generated/tensordeck/agent.js";
import type { TaskSample } from "../../api/samples.js";
import type { HostTask, TaskSamples } from "../../tasks/task-host.js";
import { taskFromMessage, taskSampleFromMessage } from "./messages/tasks.js";

/** As many as one cluster may have. Tasks beyond that are ignored. */
const MOST_TASKS = 512;

export class RemoteTasks {
  readonly #listeners = new Set<() => void>();
  readonly #sampleListeners = new Set<(samples: TaskSamples) => void>();
  #tasks = new Map<string, HostTask>();

  /** In order of creation. */
  list(): readonly HostTask[] {
    return [...this.#tasks.values()];
  }

  get(taskId: string): HostTask | undefined {
    return this.#tasks.get(taskId);
  }

  /** Applies the changes that the machine reported; the first report of a connection has all its tasks. */
  apply({ tasks, removedTaskIds, taskMetrics }: wire.WatchEvent, isFirst: boolean): void {
    if (isFirst || tasks.length > 0 || removedTaskIds.length > 0)
      this.#change(tasks, removedTaskIds, isFirst);
    if (taskMetrics.length > 0) this.#measured(taskMetrics);
  }

  /** Applies the answer to a command, which may arrive before the event about the change. */
  put(message: wire.Task): HostTask {
    const task = taskFromMessage(message);
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

  onSamples(listener: (samples: TaskSamples) => void): () => void {
    this.#sampleListeners.add(listener);
    return () => this.#sampleListeners.delete(listener);
  }

  #change(tasks: readonly wire.Task[], removedTaskIds: readonly string[], isFirst: boolean): void {
    const next = isFirst ? new Map<string, HostTask>() : new Map(this.#tasks);
    for (const task of tasks.flatMap(readable)) {
      if (next.has(task.id) || next.size < MOST_TASKS) next.set(task.id, task);
    }
    for (const id of removedTaskIds) next.delete(id);
    this.#tasks = next;
    this.#tell();
  }

  #measured(taskMetrics: readonly wire.TaskMetrics[]): void {
    const samples = new Map<string, TaskSample>();
    for (const message of taskMetrics) {
      if (this.#tasks.has(message.taskId)) samples.set(message.taskId, taskSampleFromMessage(message));
    }
    for (const listener of [...this.#sampleListeners]) listener(samples);
  }

  #tell(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}

/** Empty for an invalid task: that is the machine's bug, and no reason to lose the other tasks. */
function readable(message: wire.Task): HostTask[] {
  try {
    return [taskFromMessage(message)];
  } catch {
    return [];
  }
}
