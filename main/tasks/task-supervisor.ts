/** Manages the processes of this machine's tasks: allocates ports, starts, measures and ends them. */
import type { LogLine } from "../api/cluster.js";
import type { TaskSample } from "../api/samples.js";
import { defined, problem, problemOf } from "../shared/problems.js";
import type { OpenProbe } from "./health.js";
import type { LaunchTask, TaskPlan } from "./launcher.js";
import { LogBatcher } from "./log-batcher.js";
import { ManagedTask, type TaskIdentity } from "./managed-task.js";
import { MetricsSampler } from "./metrics-sampler.js";
import { isPortFree, Ports } from "./ports.js";
import type { ReadUsage } from "./process-usage.js";
import type { TaskSamples } from "./task-host.js";

export interface SupervisorCollaborators {
  readonly launch: LaunchTask;
  readonly openProbe: OpenProbe;
  /** Something about a task has changed. */
  readonly onChange: () => void;
  readonly onLog: (taskId: string, lines: LogLine[]) => void;
  readonly onSamples: (samples: TaskSamples) => void;
  /** Bytes that a process holds on GPUs, if known. */
  readonly gpuMemoryOf?: (pid: number) => number | undefined;
  readonly readUsage?: ReadUsage;
  readonly ports?: Ports;
}

export interface TaskStart {
  /** Returns the cluster for the task's server when it starts on a port. */
  readonly plan: (port: number) => TaskPlan;
  /**
   * False in a fixed cluster, whose members know the port: one that another program took in the meantime then fails the
   * start.
   */
  readonly mayMove: boolean;
}

interface Entry {
  readonly task: ManagedTask;
  port: number;
  /** Commands for one task run one after the other: a start waits for the stop before it. */
  queue: Promise<void>;
}

export class TaskSupervisor {
  readonly #collaborators: SupervisorCollaborators;
  readonly #ports: Ports;
  readonly #logs: LogBatcher;
  readonly #sampler: MetricsSampler;
  /** In the order in which they were added. */
  readonly #entries = new Map<string, Entry>();
  #disposed = false;

  constructor(collaborators: SupervisorCollaborators) {
    this.#collaborators = collaborators;
    this.#ports = collaborators.ports ?? new Ports();
    this.#logs = new LogBatcher(collaborators.onLog);
    this.#sampler = new MetricsSampler(
      () => this.tasks().flatMap((task) => task.pid ?? []),
      (samples) => {
        const ofTasks = new Map<string, TaskSample>();
        for (const { pid, identity } of this.tasks()) {
          const sample = pid === undefined ? undefined : samples.get(pid);
          if (sample === undefined || pid === undefined) continue;
          ofTasks.set(identity.id, defined({ ...sample, gpuMemoryBytes: collaborators.gpuMemoryOf?.(pid) }));
        }
        collaborators.onSamples(ofTasks);
      },
      collaborators.readUsage,
    );
    this.#sampler.start();
  }

  tasks(): ManagedTask[] {
    return [...this.#entries.values()].map((entry) => entry.task);
  }

  find(taskId: string): ManagedTask | undefined {
    return this.#entries.get(taskId)?.task;
  }

  /** @throws ProblemError NOT_FOUND */
  get(taskId: string): ManagedTask {
    return this.#entry(taskId).task;
  }

  /**
   * Creates a task. It has a port, but is not started.
   *
   * @param port 0: any that is free.
   * @throws ProblemError FAILED_PRECONDITION when the port is taken; RESOURCE_EXHAUSTED when none is free.
   */
  async add(identity: TaskIdentity, port: number): Promise<ManagedTask> {
    const chosen = port === 0 ? await this.#ports.take() : await this.#ports.takeExactly(port);
    return await this.#insert(identity, chosen);
  }

  /** Restores a task of a previous run, at its old port if that is free. */
  async addAgain(identity: TaskIdentity, port: number): Promise<ManagedTask> {
    return await this.#insert(identity, await this.#ports.take(port));
  }

  /**
   * Starts a task unless it runs; resolves when its process was created, not when it is up. Failures to start show
   * in its state.
   */
  start(taskId: string, { plan, mayMove }: TaskStart): Promise<void> {
    const entry = this.#entry(taskId);
    const { task } = entry;
    // Immediately, so that the task does not appear unwanted; a task that is being stopped reports that first.
    task.announceStart();
    return this.#enqueue(entry, async () => {
      // Removed while this waited for its turn: a process would have no owner.
      this.#entry(taskId);
      task.announceStart();
      if (this.#disposed || task.hasProcess || task.state !== "starting") return;
      try {
        if (mayMove && !(await isPortFree(entry.port))) {
          await this.#ports.release(entry.port);
          entry.port = await this.#ports.take();
        }
        if (!this.#disposed) task.start(plan(entry.port));
      } catch (error) {
        task.fail(problemOf(error));
      }
    });
  }

  /** Resolves when the task's process is gone. */
  stop(taskId: string): Promise<void> {
    const entry = this.#entry(taskId);
    return this.#enqueue(entry, () => entry.task.stop());
  }

  /** Stops a task and takes it off the list. Its port is free again. */
  async remove(taskId: string): Promise<void> {
    const entry = this.#entry(taskId);
    let removed = false;
    await this.#enqueue(entry, async () => {
      await entry.task.stop();
      // Before the next command's turn, which must not start it again.
      removed = this.#entries.delete(taskId);
    });
    if (!removed) return;
    await this.#ports.release(entry.port);
    this.#collaborators.onChange();
  }

  /** Ends every process; resolves when all are gone. Nothing can be started any more. */
  async dispose(): Promise<void> {
    this.#disposed = true;
    this.#sampler.dispose();
    this.#logs.dispose();
    // Bypasses the queues: a start that hangs must not keep the application from ending.
    await Promise.allSettled(this.tasks().map((task) => task.stop()));
    await this.#ports.releaseAll();
  }

  async #insert(identity: TaskIdentity, port: number): Promise<ManagedTask> {
    if (this.#disposed) {
      await this.#ports.release(port);
      throw problem("CANCELLED", "Tensordeck is shutting down.");
    }
    const task = new ManagedTask(identity, {
      launch: this.#collaborators.launch,
      openProbe: this.#collaborators.openProbe,
      onChange: this.#collaborators.onChange,
      onLine: (line) => this.#logs.add(identity.id, line),
    });
    task.setPort(port);
    this.#entries.set(identity.id, { task, port, queue: Promise.resolve() });
    this.#collaborators.onChange();
    return task;
  }

  #enqueue(entry: Entry, command: () => Promise<void>): Promise<void> {
    const done = entry.queue.then(command);
    entry.queue = done.catch(() => undefined);
    return done;
  }

  #entry(taskId: string): Entry {
    const entry = this.#entries.get(taskId);
    if (entry) return entry;
    throw problem("NOT_FOUND", "This task is no longer in the cluster.", {
      remedy: "It was removed, perhaps in another window.",
      details: `task id ${taskId}`,
    });
  }
}
