/** A machine as a place for tasks that exist in memory only: what a remote machine's agent would answer. */

import type { LogLine } from "../../../main/api/cluster.js";
import type { TunnelRequest } from "../../../main/peers/agent/tunnel-request.js";
import type { TunnelHost } from "../../../main/peers/cluster-machine.js";
import { problem } from "../../../main/shared/problems.js";
import type {
  FixedCluster,
  HostTask,
  TaskHost,
  TaskOrder,
  TaskSamples,
} from "../../../main/tasks/task-host.js";

export class MemoryHost implements TaskHost, TunnelHost {
  readonly orders: TaskOrder[] = [];
  /** The cluster as each task was told at its newest start. */
  readonly fixed = new Map<string, FixedCluster | undefined>();
  /** Commands in the order in which they came: "start worker/0". */
  readonly commands: string[] = [];
  /** Ports that other programs have. */
  readonly takenPorts = new Set<number>();
  /** Whether it can close the raw ports of its tasks. */
  isolates = true;
  tunnels: TunnelRequest | undefined;
  readonly #tasks = new Map<string, HostTask>();
  readonly #changeListeners = new Set<() => void>();
  readonly #logListeners = new Set<(taskId: string, lines: LogLine[]) => void>();
  readonly #sampleListeners = new Set<(samples: TaskSamples) => void>();
  #lives = 0;

  tasks(): readonly HostTask[] {
    return [...this.#tasks.values()];
  }

  async start(order: TaskOrder): Promise<HostTask> {
    if (this.takenPorts.has(order.port)) throw problem("FAILED_PRECONDITION", `Port ${order.port} is taken.`);
    this.orders.push(order);
    const { taskId: id, job, index, engine, gpu, port, owner, isolate } = order;
    const task: HostTask = {
      ...{ id, job, index, engine, gpu, port, owner, state: "starting" },
      ...{ devices: [], isolated: isolate && this.isolates, fixed: order.fixed !== undefined },
    };
    this.#tasks.set(id, task);
    this.#up(id, order.fixed);
    return task;
  }

  async startAgain(taskId: string, fixed?: FixedCluster): Promise<void> {
    if (this.#task(taskId).state !== "running") this.#up(taskId, fixed);
  }

  async stop(taskId: string): Promise<void> {
    const { job, index } = this.#task(taskId);
    this.commands.push(`stop ${job}/${index}`);
    const { incarnation: _, ...rest } = this.#task(taskId);
    this.#set({ ...rest, state: "stopped", devices: [] });
  }

  async remove(taskId: string): Promise<void> {
    const { job, index } = this.#task(taskId);
    this.commands.push(`remove ${job}/${index}`);
    this.#tasks.delete(taskId);
    this.tell();
  }

  async clearState(taskId: string): Promise<void> {
    const { job, index } = this.#task(taskId);
    this.commands.push(`clear ${job}/${index}`);
  }

  async log(): Promise<LogLine[]> {
    return [{ sequence: 0, at: 0, level: "info", text: "from far away" }];
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

  async setTunnels(request: TunnelRequest): Promise<number[]> {
    this.tunnels = request;
    return request.tunnels.flatMap(({ port }) => (this.takenPorts.has(port) ? [port] : []));
  }

  /** Another server fills the task's place, without anybody here having asked for that. */
  restartByItself(taskId: string): void {
    const task = this.#task(taskId);
    this.#set({ ...task, incarnation: String(++this.#lives) });
  }

  tell(): void {
    for (const listener of this.#changeListeners) listener();
  }

  #up(taskId: string, fixed: FixedCluster | undefined): void {
    const task = this.#task(taskId);
    const { job, index } = task;
    this.commands.push(`start ${job}/${index}`);
    this.fixed.set(taskId, fixed);
    this.#set({ ...task, state: "starting", fixed: fixed !== undefined });
    const device = { type: "CPU", memoryLimitBytes: 1, description: "" };
    setImmediate(() => {
      const now = this.#tasks.get(taskId);
      if (now?.state !== "starting") return;
      const name = `/job:${job}/replica:0/task:${index}/device:CPU:0`;
      this.#set({
        ...now,
        state: "running",
        devices: [{ ...device, name }],
        incarnation: String(++this.#lives),
      });
    });
  }

  #set(task: HostTask): void {
    this.#tasks.set(task.id, task);
    this.tell();
  }

  #task(taskId: string): HostTask {
    const task = this.#tasks.get(taskId);
    if (task) return task;
    throw problem("NOT_FOUND", "There is no such task.");
  }
}
