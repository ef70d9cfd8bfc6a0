/** A place for tasks that only remembers them. */
import type { LogLine } from "../../../../main/api/cluster.js";
import type { MachineFacts } from "../../../../main/api/machines.js";
import { problem } from "../../../../main/shared/problems.js";
import type {
  FixedCluster,
  HostTask,
  TaskHost,
  TaskOrder,
  TaskSamples,
} from "../../../../main/tasks/task-host.js";

export class MemoryTasks implements TaskHost {
  readonly #tasks = new Map<string, HostTask>();
  readonly #lines = new Map<string, LogLine[]>();
  readonly #changeListeners = new Set<() => void>();
  readonly #logListeners = new Set<(taskId: string, lines: LogLine[]) => void>();
  readonly #sampleListeners = new Set<(samples: TaskSamples) => void>();
  /** The requests, in order. */
  readonly asked: unknown[] = [];
  /** The engines that are found. */
  found: MachineFacts["engines"] | undefined;

  async engines(): Promise<MachineFacts["engines"]> {
    return this.found ?? [];
  }

  tasks(): readonly HostTask[] {
    return [...this.#tasks.values()];
  }

  async start(order: TaskOrder): Promise<HostTask> {
    this.asked.push(order);
    const known = this.#tasks.get(order.taskId);
    if (known) return known;
    if (order.port === 2999) {
      throw problem("FAILED_PRECONDITION", "Port 2999 is taken.", {
        reason: "Another program listens on it.",
      });
    }
    const { taskId, job, index, engine, gpu, port, isolate, owner } = order;
    const task: HostTask = {
      id: taskId,
      job,
      index,
      engine,
      gpu,
      port,
      state: "starting",
      pid: 4242,
      startedAt: 1000,
      devices: [],
      isolated: isolate,
      fixed: order.fixed !== undefined,
      owner,
    };
    this.set(task);
    return task;
  }

  async startAgain(taskId: string, fixed?: FixedCluster): Promise<void> {
    this.asked.push({ startAgain: taskId, fixed });
    this.change(taskId, { state: "running" });
  }

  async stop(taskId: string): Promise<void> {
    this.change(taskId, { state: "stopped" });
  }

  async remove(taskId: string): Promise<void> {
    this.#tasks.delete(taskId);
    this.#tell();
  }

  async clearState(taskId: string): Promise<void> {
    this.asked.push({ clearState: taskId });
  }

  async log(taskId: string, afterSequence: number): Promise<LogLine[]> {
    return (this.#lines.get(taskId) ?? []).filter(({ sequence }) => sequence > afterSequence);
  }

  onChange(listener: () => void): () => void {
    this.#changeListeners.add(listener);
    return () => this.#changeListeners.delete(listener);
  }

  onLog(listener: (taskId: string, lines: LogLine[]) => void): () => void {
    this.#logListeners.add(listener);
    return () => this.#logListeners.delete(listener);
  }

  onSamples(listener: (samples: TaskSamples) => void): () => void {
    this.#sampleListeners.add(listener);
    return () => this.#sampleListeners.delete(listener);
  }

  /** Says what was measured of tasks. */
  measure(samples: TaskSamples): void {
    for (const listener of this.#sampleListeners) listener(samples);
  }

  /** How many listen for changes and lines: streams that ended must not stay. */
  get listeners(): number {
    return this.#changeListeners.size + this.#logListeners.size + this.#sampleListeners.size;
  }

  set(task: HostTask): void {
    this.#tasks.set(task.id, task);
    this.#tell();
  }

  change(taskId: string, change: Partial<HostTask>): void {
    const task = this.#tasks.get(taskId);
    if (task) this.set({ ...task, ...change });
  }

  say(taskId: string, ...texts: string[]): void {
    const lines = this.#lines.get(taskId) ?? [];
    const added = texts.map((text, i): LogLine => {
      return { sequence: lines.length + i, at: 1000, level: "info", text };
    });
    this.#lines.set(taskId, [...lines, ...added]);
    for (const listener of [...this.#logListeners]) listener(taskId, added);
  }

  #tell(): void {
    for (const listener of [...this.#changeListeners]) listener();
  }
}
