/** All tasks of this machine: makes them, numbers them, colours them, measures them and ends them. */
import { randomUUID } from "node:crypto";
import type { Engine, LogLine } from "../api/cluster.js";
import { problem, problemOf } from "../problems.js";
import { Colours } from "./colours.js";
import type { OpenProbe } from "./health.js";
import type { LaunchTask, TaskPlan } from "./launcher.js";
import { LogBatcher } from "./log-batcher.js";
import { ManagedTask } from "./managed-task.js";
import { MetricsSampler } from "./metrics-sampler.js";
import { isPortFree, Ports } from "./ports.js";
import type { ReadUsage } from "./process-usage.js";

export interface SupervisorCollaborators {
  readonly launch: LaunchTask;
  readonly openProbe: OpenProbe;
  /** Something about a task is different now. */
  readonly onChange: () => void;
  readonly onLog: (taskId: string, lines: LogLine[]) => void;
  readonly readUsage?: ReadUsage;
  readonly ports?: Ports;
}

/** Says what a task's server is told when it starts at a port. */
export type PlanTask = (task: ManagedTask, port: number) => TaskPlan;

/** Tasks of a cluster name each other by this host as long as all are on one machine. */
const HOST = "localhost";

interface Entry {
  readonly task: ManagedTask;
  port: number;
  /** Commands for one task run one after the other: a start waits for the stop before it. */
  queue: Promise<void>;
}

export class TaskSupervisor {
  readonly #collaborators: SupervisorCollaborators;
  readonly #ports: Ports;
  readonly #colours = new Colours();
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
        for (const task of this.tasks()) {
          const sample = task.pid === undefined ? undefined : samples.get(task.pid);
          if (sample) task.addSample(sample);
        }
        collaborators.onChange();
      },
      collaborators.readUsage,
    );
    this.#sampler.start();
  }

  tasks(): ManagedTask[] {
    return [...this.#entries.values()].map((entry) => entry.task);
  }

  /** @throws ProblemError NOT_FOUND */
  get(taskId: string): ManagedTask {
    return this.#entry(taskId).task;
  }

  /** Makes tasks with the lowest indices that their job has free. They have an address, but are not started. */
  async add(job: string, count: number, engine: Engine): Promise<ManagedTask[]> {
    const added: ManagedTask[] = [];
    for (const port of await this.#takePorts(count)) {
      const id = randomUUID();
      const identity = { id, job, index: this.#freeIndex(job), engine, colour: this.#colours.take() };
      const task = new ManagedTask(identity, {
        launch: this.#collaborators.launch,
        openProbe: this.#collaborators.openProbe,
        onChange: this.#collaborators.onChange,
        onLine: (line) => this.#logs.add(id, line),
      });
      task.setAddress(`${HOST}:${port}`);
      this.#entries.set(id, { task, port, queue: Promise.resolve() });
      added.push(task);
    }
    this.#collaborators.onChange();
    return added;
  }

  /**
   * Starts a task unless it runs; resolves when its process was made, not when it is up. What keeps it from starting
   * is told by its state.
   *
   * @param mayMove False in a fixed cluster, whose members know the address: a port that another program took in the
   *   meantime then fails the start.
   */
  start(taskId: string, plan: PlanTask, mayMove: boolean): Promise<void> {
    const entry = this.#entry(taskId);
    const { task } = entry;
    // At once, so that nobody takes the task for one that nobody wants; a task that is being stopped says so first.
    task.announceStart();
    return this.#enqueue(entry, async () => {
      // Removed while this waited for its turn: a process would belong to nobody.
      this.#entry(taskId);
      task.announceStart();
      if (this.#disposed || task.hasProcess || task.state !== "starting") return;
      try {
        if (mayMove && !(await isPortFree(entry.port))) {
          await this.#ports.release(entry.port);
          entry.port = await this.#ports.take();
        }
        if (!this.#disposed) task.start(plan(task, entry.port), `${HOST}:${entry.port}`);
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

  /** Stops a task and takes it off the list. Its colour and port are free again. */
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
    this.#colours.free(entry.task.identity.colour);
    this.#collaborators.onChange();
  }

  /** Ends every process; resolves when all are gone. Nothing can be started any more. */
  async dispose(): Promise<void> {
    this.#disposed = true;
    this.#sampler.dispose();
    this.#logs.dispose();
    // Not behind the queues: a start that hangs must not keep the application from ending.
    await Promise.allSettled(this.tasks().map((task) => task.stop()));
    await this.#ports.releaseAll();
  }

  /** All or none. */
  async #takePorts(count: number): Promise<number[]> {
    const taken: number[] = [];
    try {
      while (taken.length < count) taken.push(await this.#ports.take());
      if (this.#disposed) throw problem("CANCELLED", "Tensordeck ends.");
      return taken;
    } catch (error) {
      await Promise.all(taken.map((port) => this.#ports.release(port)));
      throw error;
    }
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

  #freeIndex(job: string): number {
    const used = new Set(
      this.tasks().flatMap(({ identity }) => (identity.job === job ? [identity.index] : [])),
    );
    let index = 0;
    while (used.has(index)) index++;
    return index;
  }
}
